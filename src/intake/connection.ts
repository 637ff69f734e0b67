// One device on a TCP connection, from its bytes to its acknowledgements. Serial: while something is asked of the house, what
// arrives is collected, up to a bound; then all frames that are complete go to the house together and are acknowledged in order.
// Knows no protocol's bytes, and not how reports are stored. Holds no timer and, between frames, no buffer: thousands are idle.
import type { Socket } from 'node:net';
import type { Log } from '../basics/log.ts';
import type { Report } from '../kinds/report.ts';
import type { Message, Session, StreamProtocol } from '../protocols/protocol.ts';
import type { Complain } from './complaints.ts';
import type { House, Limits, Tracker } from './intake.ts';
import type { Counts, CutReason } from './metrics.ts';
import type { Work } from './work.ts';

/** More than this waiting to be read by us: the socket is paused. */
const MAX_WAITING = 64 * 1024;
/** More than this waiting to be read by the device: it is cut off. */
const MAX_UNREAD = 16 * 1024;
/** A connection with this many bad frames is hung up. */
const MAX_BAD_FRAMES = 20;
/** A device that was hung up may take this long to notice, ms. */
const CLOSING_TIME = 5_000;

/** What the connections of one listener share. */
export interface Shared {
  readonly name: string;
  readonly protocol: StreamProtocol;
  readonly house: House;
  readonly log: Log;
  readonly complain: Complain;
  readonly counts: Counts;
  readonly limits: Limits;
  readonly work: Work;
}

type Login = Extract<Message, { kind: 'login' }>;

/** What the complete frames of one go ask of the house. */
interface Batch {
  reports: Report[];
  acknowledgements: Uint8Array[];
  /** The frame after the reports, if it was a login. */
  login: Login | null;
  /** A frame that broke the stream ended the batch. */
  isLast: boolean;
}

export class Connection {
  readonly #shared: Shared;
  readonly #socket: Socket;
  readonly #id: number;
  readonly #address: string;
  readonly #session: Session = { imei: null };
  #tracker: Tracker | null = null;
  /** `draining`: finishes what it is at, reads nothing more. `closing`: nothing is read or written any more. */
  #phase: 'open' | 'draining' | 'closing' = 'open';
  #waiting: Uint8Array | null = null;
  #hasNews = false;
  #isBusy = false;
  #hasEnded = false;
  #badFrames = 0;
  /** When the current wait began: for the login, for the next frame, for the close. */
  #since: number;

  constructor(shared: Shared, socket: Socket, id: number, address: string, now: number) {
    this.#shared = shared;
    this.#socket = socket;
    this.#id = id;
    this.#address = address;
    this.#since = now;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => this.#peerEnded());
    socket.on('error', (error) => this.#debug('connection failed', { error: error.message }));
  }

  /** Cuts the device off when it has kept us waiting for too long. */
  checkTime(now: number): void {
    const waited = now - this.#since;
    if (this.#phase !== 'open') {
      if (!this.#isBusy && waited > CLOSING_TIME) this.#socket.destroy();
    } else if (this.#isBusy) return;
    else if (this.#tracker === null && waited > this.#shared.limits.loginTimeout) this.#cut('login_timeout');
    else if (waited > this.#shared.limits.idleTimeout) this.#cut('idle');
  }

  /** Reads nothing more; hangs up once what is under way is acknowledged. */
  drain(): void {
    if (this.#phase !== 'open') return;
    this.#phase = 'draining';
    if (!this.#isBusy) this.#hangUp();
  }

  #receive(chunk: Buffer): void {
    this.#shared.counts.received(chunk.length);
    if (this.#phase !== 'open') return;
    this.#waiting = this.#waiting === null ? chunk : Buffer.concat([this.#waiting, chunk]);
    this.#hasNews = true;
    if (!this.#isBusy) void this.#work();
    else if (this.#waiting.length > MAX_WAITING) this.#socket.pause();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    this.#shared.work.begin();
    try {
      while (this.#hasNews && this.#phase === 'open') {
        this.#hasNews = false;
        const batch = this.#readFrames();
        if (batch.reports.length > 0) await this.#commit(batch);
        if (batch.login !== null && this.#phase === 'open') await this.#logIn(batch.login);
        if (batch.isLast) this.#hangUp();
        if (this.#socket.isPaused() && (this.#waiting?.length ?? 0) <= MAX_WAITING) this.#socket.resume();
      }
    } catch (error) {
      this.#note('error', 'connection ended by a fault of the service', { err: error });
      this.#close();
    }
    this.#isBusy = false;
    this.#shared.work.end();
    if (this.#phase === 'draining') this.#hangUp();
    else if (this.#hasEnded) this.#finish();
  }

  /** Reads frames until the bytes run out, or until something must be known first. Leaves the rest waiting. */
  #readFrames(): Batch {
    const batch: Batch = { reports: [], acknowledgements: [], login: null, isLast: false };
    const { protocol, counts } = this.#shared;
    const bytes = this.#waiting;
    if (bytes === null) return batch;
    let at = 0;
    while (at < bytes.length && batch.login === null && !batch.isLast) {
      const step = protocol.read(at === 0 ? bytes : bytes.subarray(at), this.#session);
      if (step === null) break;
      at += step.consumed;
      counts.frame();
      if (this.#tracker !== null) this.#since = Date.now();
      const { message } = step;
      if (message.kind === 'reports') {
        for (const report of message.reports) batch.reports.push(report);
        batch.acknowledgements.push(message.acknowledgement);
      } else if (message.kind === 'login') batch.login = message;
      else if (message.kind === 'bad') batch.isLast = this.#refuse(message);
    }
    const left = bytes.length - at;
    if (batch.login === null && !batch.isLast && left > protocol.maxFrame) {
      batch.isLast = this.#refuse({ kind: 'bad', reason: 'length', detail: `no frame in ${left} bytes`, fatal: true });
    }
    // A copy, because the rest of a chunk would keep the whole of it in memory.
    this.#waiting = left === 0 ? null : at === 0 ? bytes : Uint8Array.from(bytes.subarray(at));
    return batch;
  }

  /** True when the connection has to end. */
  #refuse(message: Extract<Message, { kind: 'bad' }>): boolean {
    this.#shared.counts.refused(message.reason);
    const isOneTooMany = ++this.#badFrames >= MAX_BAD_FRAMES;
    if (isOneTooMany && !message.fatal) this.#shared.counts.cut('bad_frames');
    this.#note('warn', 'bad frame', { reason: message.reason, detail: message.detail, hangingUp: message.fatal || isOneTooMany });
    return message.fatal || isOneTooMany;
  }

  async #commit(batch: Batch): Promise<void> {
    const { house, counts } = this.#shared;
    const tracker = this.#tracker;
    if (tracker === null) throw new Error('a protocol gave reports before a login');
    let outcome;
    try {
      outcome = await house.accept(tracker, batch.reports);
    } catch (error) {
      counts.failed(batch.reports.length);
      this.#note('error', 'reports not committed, not acknowledged', { err: error, reports: batch.reports.length });
      this.#close();
      return;
    }
    if (outcome === 'gone') {
      this.#note('info', 'tracker was removed', {});
      this.#hangUp();
      return;
    }
    const [first] = batch.acknowledgements;
    const bytes = batch.acknowledgements.length === 1 && first !== undefined ? first : Buffer.concat(batch.acknowledgements);
    if (!this.#send(bytes)) return;
    counts.acknowledged(batch.reports.length);
    this.#debug('reports acknowledged', { reports: batch.reports.length });
  }

  async #logIn(login: Login): Promise<void> {
    const { house, counts, name } = this.#shared;
    let tracker;
    try {
      tracker = await house.find(login.imei);
    } catch (error) {
      this.#note('error', 'login not looked up', { err: error, imei: login.imei });
      this.#close();
      return;
    }
    if (tracker === null) {
      counts.unknown();
      house.unknown(login.imei, name, this.#address);
      this.#note('info', 'unknown device refused', { imei: login.imei });
      this.#hangUp(login.refuse);
      return;
    }
    this.#tracker = tracker;
    this.#session.imei = login.imei;
    this.#since = Date.now();
    this.#debug('device logged in', {});
    this.#send(login.accept);
    this.#hasNews = this.#waiting !== null;
  }

  /** False when there is no one to send to any more. */
  #send(bytes: Uint8Array): boolean {
    if (!this.#socket.writable) return false;
    this.#socket.write(bytes);
    if (this.#socket.writableLength > MAX_UNREAD) this.#cut('unread_replies');
    return true;
  }

  #peerEnded(): void {
    this.#hasEnded = true;
    if (!this.#isBusy) this.#finish();
  }

  /** The device has said all that it will say, and everything complete is answered. */
  #finish(): void {
    if (this.#phase === 'open' && this.#waiting !== null) {
      this.#refuse({ kind: 'bad', reason: 'truncated', detail: 'the device hung up within a frame', fatal: true });
    }
    this.#hangUp();
  }

  /** Says goodbye, after everything that was written; goes on reading, so that the last reply is not lost to a reset. */
  #hangUp(last?: Uint8Array): void {
    if (this.#phase === 'closing') return;
    this.#phase = 'closing';
    this.#waiting = null;
    this.#since = Date.now();
    if (last === undefined) this.#socket.end();
    else this.#socket.end(last);
    this.#socket.resume();
  }

  #cut(reason: CutReason): void {
    this.#shared.counts.cut(reason);
    this.#note('info', 'device cut off', { reason });
    this.#close();
  }

  #close(): void {
    this.#phase = 'closing';
    this.#waiting = null;
    this.#socket.destroy();
  }

  #note(level: 'info' | 'warn' | 'error', text: string, more: object): void {
    this.#shared.complain(level, { ...this.#name(), ...more }, text);
  }

  #debug(text: string, more: object): void {
    if (this.#shared.log.isLevelEnabled('debug')) this.#shared.log.debug({ ...this.#name(), ...more }, text);
  }

  #name(): object {
    return { connection: this.#id, imei: this.#session.imei, address: this.#address };
  }
}

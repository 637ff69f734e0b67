// Many Teltonika devices in one process: each sends a packet, waits for its acknowledgement, and sends the next. Built to cost little:
// every device has one frame, encoded once, in which times, places and checksum are written anew. Knows what was acknowledged, not what was stored.
import { connect, type Socket } from 'node:net';
import { createHistogram, performance } from 'node:perf_hooks';
import { crc16 } from '../src/protocols/teltonika/codec.ts';
import { encodeLogin, encodeTcp } from '../src/protocols/teltonika/encode.ts';
import { DELIVERING, driveWay, LATE_OF, latenessOf, straightRoute, Way, type Route } from './drives.ts';

export interface LoadOptions {
  host: string;
  port: number;
  /** One connection each. */
  imeis: readonly string[];
  /** Records in a packet, 1 to 255. */
  records: number;
  /** Records a second over all connections: 0 logs in and stays silent, null is as fast as acknowledgements come. */
  rate: number | null;
  /** How long to send, once all have logged in. */
  seconds: number;
  /** Time of every device's first record, ms since 1970, and from record to record. */
  start: number;
  step: number;
  /** Drives through a city instead of a straight line; `step` counts for nothing then, and there is no journal. */
  drives?: Drives;
}

export interface Drives {
  /** The number of every device's first record; number 0 is the one at `start`. */
  first: number;
  /** One record of a hundred is hours old. */
  late: boolean;
}

/** What one device had acknowledged: its records from `from` to `to`, both included, every `step` ms. Absent from the list when it was nothing. */
export interface Acknowledged {
  imei: string;
  from: number;
  to: number;
  step: number;
}

export interface LoadResult {
  connections: number;
  /** Connections that could not be made, that the service refused, and that ended before we ended them. */
  unreachable: number;
  refused: number;
  disconnected: number;
  records: number;
  seconds: number;
  acknowledged: number;
  perSecond: number;
  /** Of the device that had most acknowledged. */
  most: number;
  /** From sending a packet to its acknowledgement, ms. */
  latency: { p50: number; p99: number; max: number };
  /** At a given rate: records that were due and could not be sent, because every device still waited. */
  behind: number;
}

export interface Load {
  /** Acknowledged so far. */
  acknowledged(): number;
  done: Promise<{ result: LoadResult; journal: Acknowledged[] }>;
}

type State = 'connecting' | 'idle' | 'waiting' | 'ended';

class Sender {
  readonly imei: string;
  readonly socket: Socket;
  state: State = 'connecting';
  refused = false;
  /** Records acknowledged, and the moment of the last sending. */
  acknowledged = 0;
  sentAt = 0;
  readonly #frame: Uint8Array;
  readonly #view: DataView;
  readonly #size: number;
  readonly #count: number;
  readonly #way: Way;
  readonly #first: number;
  /** Which of a hundred records is late; none when this is null. Not the same one of every device. */
  readonly #late: number | null;
  #answer = 0;
  #answered = 0;

  constructor(
    index: number,
    imei: string,
    options: LoadOptions,
    straight: Route,
    on: { login(sender: Sender): void; acknowledged(sender: Sender): void; end(sender: Sender): void },
  ) {
    this.imei = imei;
    this.#first = options.drives?.first ?? 0;
    this.#late = options.drives?.late === true ? (index * 37) % LATE_OF : null;
    this.#count = options.records;
    const from = { latitude: 470_000_000 + Math.floor(index / 100) * 100_000, longitude: 200_000_000 + (index % 100) * 200_000 };
    this.#way = options.drives === undefined ? new Way(straight, options.start, { from }) : driveWay(index, options.start, DELIVERING);
    // Ignition and motion stand first and the odometer last, so that their places are known.
    const record = {
      time: options.start,
      longitude: 0,
      latitude: 0,
      altitude: 95,
      satellites: 11,
      elements: [
        [239, 1, 1],
        [240, 1, 1],
        [21, 1, 4],
        [69, 1, 1],
        [181, 2, 12],
        [182, 2, 8],
        [66, 2, 13_950],
        [67, 2, 4080],
        [16, 4, 1_000_000],
      ] as const,
    };
    this.#frame = encodeTcp(
      0x08,
      Array.from({ length: options.records }, () => record),
    );
    this.#view = new DataView(this.#frame.buffer);
    this.#size = (this.#frame.length - 15) / options.records;
    // One buffer for all that comes in on this connection: answers are a few bytes.
    this.socket = connect({
      host: options.host,
      port: options.port,
      noDelay: true,
      onread: {
        buffer: new Uint8Array(64),
        callback: (length, bytes) => {
          for (let i = 0; i < length; i++) this.#take(bytes[i] ?? 0, on);
          return true;
        },
      },
    });
    // The reason for an end does not matter here, only that it came: the counts say how many did.
    this.socket.on('error', () => undefined);
    this.socket.on('connect', () => this.socket.write(encodeLogin(imei)));
    this.socket.on('close', () => on.end(this));
  }

  #take(byte: number, on: { login(sender: Sender): void; acknowledged(sender: Sender): void }): void {
    if (this.state === 'connecting') {
      this.refused = byte !== 1;
      if (this.refused) this.socket.destroy();
      else {
        this.state = 'idle';
        on.login(this);
      }
      return;
    }
    this.#answer = this.#answer * 256 + byte;
    if (++this.#answered < 4) return;
    const isWhole = this.#answer === this.#count && this.state === 'waiting';
    this.#answer = this.#answered = 0;
    if (!isWhole) {
      this.socket.destroy();
      return;
    }
    this.state = 'idle';
    this.acknowledged += this.#count;
    on.acknowledged(this);
  }

  /** Sends the packet after the last acknowledged one. Only when idle: the frame is free again once it was acknowledged. */
  send(): void {
    const view = this.#view;
    const way = this.#way;
    const first = this.#first + this.acknowledged;
    for (let i = 0, at = 10; i < this.#count; i++, at += this.#size) {
      const number = first + i;
      if (number % LATE_OF === this.#late) way.goBetween(number - latenessOf(number));
      else way.go(number);
      view.setUint32(at, Math.floor(way.time / 2 ** 32));
      view.setUint32(at + 4, way.time % 2 ** 32);
      view.setInt32(at + 9, way.longitude);
      view.setInt32(at + 13, way.latitude);
      view.setUint16(at + 19, way.heading);
      view.setUint16(at + 22, way.speed);
      view.setUint8(at + 28, way.ignition);
      view.setUint8(at + 30, way.speed > 0 ? 1 : 0);
      view.setUint32(at + this.#size - 5, 1_000_000 + 10 * number);
    }
    const end = this.#frame.length - 4;
    view.setUint32(end, crc16(this.#frame, 8, end));
    this.state = 'waiting';
    this.sentAt = performance.now();
    this.socket.write(this.#frame);
  }
}

export function startLoad(options: LoadOptions): Load {
  let acknowledged = 0;
  const done = (async () => {
    const histogram = createHistogram();
    const idle: Sender[] = [];
    let isSending = false;
    let opened = (): void => undefined;
    let settled = (): void => undefined;
    let disconnected = 0;
    let unreachable = 0;
    let isOver = false;
    /** Connections that have been let in, refused or lost. */
    let settledLogins = 0;

    const on = {
      login: (sender: Sender): void => {
        idle.push(sender);
        settledLogins++;
        opened();
      },
      acknowledged: (sender: Sender): void => {
        acknowledged += options.records;
        histogram.record(Math.max(1, Math.round((performance.now() - sender.sentAt) * 1000)));
        if (isSending && options.rate === null) sender.send();
        else idle.push(sender);
        if (isOver) settled();
      },
      end: (sender: Sender): void => {
        if (sender.state === 'connecting') settledLogins++;
        if (sender.state === 'connecting' && !sender.refused) unreachable++;
        else if (!sender.refused && !isOver) disconnected++;
        sender.state = 'ended';
        opened();
        settled();
      },
    };

    const senders: Sender[] = [];
    const straight = straightRoute(options.step);
    for (const [i, imei] of options.imeis.entries()) {
      // Not all at once: the queue of connections that a listener has not taken yet is short.
      while (senders.length - settledLogins >= 100) await new Promise<void>((resolve) => (opened = resolve));
      senders.push(new Sender(i, imei, options, straight, on));
    }
    while (settledLogins < senders.length) await new Promise<void>((resolve) => (opened = resolve));
    opened = () => undefined;

    const started = performance.now();
    const deadline = started + options.seconds * 1000;
    const isAlive = (): boolean => senders.some(({ state }) => state !== 'ended');
    let behind = 0;
    isSending = true;
    if (options.rate === null) for (const sender of idle.splice(0)) if (sender.state === 'idle') sender.send();
    let due = 0;
    let turn = started;
    while (performance.now() < deadline && isAlive()) {
      if (options.rate !== null && options.rate > 0) {
        const now = performance.now();
        due += ((now - turn) / 1000) * options.rate;
        turn = now;
        // Those that have waited longest for their turn come first.
        let taken = 0;
        for (; due >= options.records && taken < idle.length; taken++) {
          const sender = idle[taken];
          if (sender?.state !== 'idle') continue;
          sender.send();
          due -= options.records;
        }
        idle.splice(0, taken);
        behind = due >= options.records ? Math.round(due) : 0;
      }
      await new Promise((resolve) => setTimeout(resolve, options.rate === null || options.rate === 0 ? 20 : 2));
    }
    isSending = false;
    const seconds = (performance.now() - started) / 1000;
    const sum = acknowledged;

    // What is under way may still be acknowledged, and the journal is to have it.
    isOver = true;
    const late = setTimeout(() => settled(), 5000);
    const last = performance.now() + 5000;
    while (senders.some(({ state }) => state === 'waiting') && performance.now() < last)
      await new Promise<void>((resolve) => (settled = resolve));
    clearTimeout(late);
    for (const { socket } of senders) socket.destroy();

    const milliseconds = (value: number): number => Math.round(value) / 1000;
    const result: LoadResult = {
      connections: senders.length,
      unreachable,
      refused: senders.filter(({ refused }) => refused).length,
      disconnected,
      records: options.records,
      seconds: Math.round(seconds * 1000) / 1000,
      acknowledged: sum,
      perSecond: Math.round(sum / seconds),
      most: Math.max(...senders.map((sender) => sender.acknowledged)),
      latency: {
        p50: milliseconds(histogram.percentile(50)),
        p99: milliseconds(histogram.percentile(99)),
        max: histogram.count === 0 ? 0 : milliseconds(histogram.max),
      },
      behind,
    };
    const journal = senders
      .filter((sender) => sender.acknowledged > 0 && options.drives === undefined)
      .map((sender) => ({
        imei: sender.imei,
        from: options.start,
        to: options.start + (sender.acknowledged - 1) * options.step,
        step: options.step,
      }));
    return { result, journal };
  })();
  return { acknowledged: () => acknowledged, done };
}

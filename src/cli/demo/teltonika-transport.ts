// How a simulated tracker talks Teltonika's protocol over TCP and UDP. Knows when a packet is acknowledged;
// when to try again is the device's business.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { encodeLogin, encodeTcp, encodeUdp, type AvlRecord } from '../../protocols/teltonika/encode.ts';
import type { Transport } from './device.ts';
import { parseDoor } from './doors.ts';
import type { Speech } from './fleet.ts';
import type { Fix } from './vehicle.ts';

type Dialect = Extract<Speech, { protocol: 'teltonika' }>;

/** How long an answer is waited for, ms. */
const patience = { tcp: 30_000, udp: 2_000 };

/** The priority of a record that somebody is meant to look at at once, and the element of the button. */
const [PANIC, ALARM_BUTTON] = [2, 236];

/** A fix as a tracker of the FMB family records it, with its usual elements. */
function toRecord(fix: Fix): AvlRecord {
  return {
    time: fix.time,
    longitude: fix.longitude,
    latitude: fix.latitude,
    altitude: Math.round(fix.altitude),
    angle: Math.round(fix.heading) % 360,
    satellites: fix.satellites,
    speedKmh: Math.round(fix.speed * 3.6),
    ...(fix.panic && { priority: PANIC, eventId: ALARM_BUTTON }),
    elements: [
      [239, 1, fix.ignition ? 1 : 0],
      [240, 1, fix.moving ? 1 : 0],
      [21, 1, 4],
      [69, 1, 1],
      [181, 2, Math.round(fix.hdop * 16)],
      [182, 2, Math.round(fix.hdop * 10)],
      [66, 2, Math.round(fix.power * 1000)],
      [67, 2, Math.round(fix.battery * 1000)],
      [16, 4, fix.odometer % 2 ** 32],
      ...(fix.panic ? [[ALARM_BUTTON, 1, 1] as const] : []),
    ],
  };
}

/** How many records fit into a packet of the model's size, if all are of our longest: those of a panic. */
function recordsPerPacket(dialect: Dialect, imei: string): number {
  const sample: AvlRecord = toRecord({
    time: 0,
    latitude: 0,
    longitude: 0,
    altitude: 0,
    speed: 0,
    heading: 0,
    satellites: 0,
    hdop: 0,
    ignition: false,
    moving: false,
    odometer: 0,
    power: 0,
    battery: 0,
    panic: true,
  });
  const size = (count: number): number => {
    const records = Array.from({ length: count }, () => sample);
    return (
      dialect.transport === 'tcp' ? encodeTcp(dialect.codec, records) : encodeUdp(dialect.codec, imei, { packet: 0, avl: 0 }, records)
    ).length;
  };
  return 1 + Math.floor((dialect.packet - size(1)) / (size(2) - size(1)));
}

export class TeltonikaTcpTransport implements Transport {
  readonly batch: number;
  readonly #imei: string;
  readonly #dialect: Dialect;
  readonly #door: { host: string; port: number };
  #socket: Socket | null = null;

  constructor(imei: string, dialect: Dialect, door: string) {
    this.batch = recordsPerPacket(dialect, imei);
    this.#imei = imei;
    this.#dialect = dialect;
    this.#door = parseDoor(door);
  }

  async send(fixes: readonly Fix[]): Promise<void> {
    const socket = this.#socket ?? (await this.#open());
    const answer = await ask(socket, encodeTcp(this.#dialect.codec, fixes.map(toRecord)), 4);
    const count = answer.readUInt32BE();
    if (count !== fixes.length) throw new Error(`${count} of ${fixes.length} records acknowledged`);
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #open(): Promise<Socket> {
    const socket = connect({ ...this.#door, noDelay: true });
    // Without a listener an error would end the process; whoever waits for an answer learns of it by 'close'.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null;
    });
    this.#socket = socket;
    const [accepted] = await ask(socket, encodeLogin(this.#imei), 1);
    if (accepted !== 1) throw new Error('the service does not know this device');
    return socket;
  }
}

/** Writes and waits for an answer of so many bytes. */
function ask(socket: Socket, bytes: Uint8Array, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let answer = Buffer.alloc(0);
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      finish();
    };
    const fail = (reason: string): void => settle(() => reject(new Error(reason)));
    const onClose = (): void => fail('the connection ended before the answer');
    const onData = (chunk: Buffer): void => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length === length) settle(() => resolve(answer));
      else if (answer.length > length) fail('a longer answer than the protocol has');
    };
    const timer = setTimeout(fail, patience.tcp, 'no answer in time');
    socket.on('data', onData).on('close', onClose);
    socket.write(bytes);
  });
}

export class TeltonikaUdpTransport implements Transport {
  readonly batch: number;
  readonly #imei: string;
  readonly #dialect: Dialect;
  readonly #door: { host: string; port: number };
  #socket: UdpSocket | null = null;
  #stop: (reason: string) => void = () => undefined;
  #packet = 0;

  constructor(imei: string, dialect: Dialect, door: string) {
    this.batch = recordsPerPacket(dialect, imei);
    this.#imei = imei;
    this.#dialect = dialect;
    this.#door = parseDoor(door);
  }

  send(fixes: readonly Fix[]): Promise<void> {
    const ids = { packet: (this.#packet = (this.#packet + 1) % 0x10000), avl: this.#packet & 0xff };
    const socket = (this.#socket ??= this.#open());
    const datagram = encodeUdp(this.#dialect.codec, this.#imei, ids, fixes.map(toRecord));
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        socket.off('message', onMessage);
        finish();
      };
      this.#stop = (reason) => settle(() => reject(new Error(reason)));
      const onMessage = (answer: Buffer): void => {
        // Length 5, packet id, an unused byte, AVL packet id, accepted records; an answer to an earlier packet is passed over.
        if (answer.length !== 7 || answer.readUInt16BE(2) !== ids.packet || answer[5] !== ids.avl) return;
        if (answer[6] === fixes.length) settle(resolve);
        else this.#stop(`${answer[6]} of ${fixes.length} records acknowledged`);
      };
      const timer = setTimeout(() => this.#stop('no answer in time'), patience.udp);
      socket.on('message', onMessage);
      socket.send(datagram, this.#door.port, this.#door.host, (error) => {
        if (error !== null) this.#stop(error.message);
      });
    });
  }

  close(): void {
    this.#stop('closed');
    this.#socket?.close();
    this.#socket = null;
  }

  #open(): UdpSocket {
    const socket = createSocket(isIPv6(this.#door.host) ? 'udp6' : 'udp4');
    socket.on('error', (error) => this.#stop(error.message));
    return socket;
  }
}

// Devices as the service sees them from outside: bytes on sockets, and what comes back.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Codec } from '../src/protocols/teltonika/codec.ts';
import { encodeLogin, encodeTcp, type AvlRecord } from '../src/protocols/teltonika/encode.ts';

function placeOf(place: string): { host: string; port: number } {
  const at = place.lastIndexOf(':');
  return { host: place.slice(0, at), port: Number(place.slice(at + 1)) };
}

/** A Teltonika tracker on TCP. */
export class Device {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  #ended = false;
  #wake = (): void => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    socket.on('end', end);
    socket.on('close', end);
    // That the connection ended is seen by what is read, whatever the reason.
    socket.on('error', () => undefined);
  }

  static async connect(place: string): Promise<Device> {
    const socket = connect({ ...placeOf(place), noDelay: true });
    await once(socket, 'connect');
    // A test that failed leaves its devices connected; they are not to keep the process from its end.
    socket.unref();
    return new Device(socket);
  }

  /** A device that has logged in. */
  static async login(place: string, imei: string): Promise<Device> {
    const device = await Device.connect(place);
    const answer = await device.exchange(encodeLogin(imei), 1);
    if (answer?.[0] !== 1) throw new Error(`the login of ${imei} was answered ${answer?.toString('hex') ?? 'nothing'}`);
    return device;
  }

  /** The next bytes; null when the connection ends, or `milliseconds` pass, before they are all there. */
  async read(count: number, milliseconds = 10_000): Promise<Buffer | null> {
    const last = performance.now() + milliseconds;
    while (this.#bytes.length < count && !this.#ended && performance.now() < last)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, last - performance.now()));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    if (this.#bytes.length < count) return null;
    const bytes = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return bytes;
  }

  exchange(bytes: Uint8Array, count: number): Promise<Buffer | null> {
    this.socket.write(bytes);
    return this.read(count);
  }

  /** Sends a frame; how many records were acknowledged, null when the service hung up instead. */
  async send(records: readonly AvlRecord[], codec: Codec = 0x08): Promise<number | null> {
    return (await this.exchange(encodeTcp(codec, records), 4))?.readUInt32BE() ?? null;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Sends a datagram; the answer, null when none comes in time. */
export async function sendDatagram(place: string, bytes: Uint8Array, milliseconds = 5000): Promise<Buffer | null> {
  const { host, port } = placeOf(place);
  const socket = createSocket('udp4');
  try {
    socket.send(bytes, port, host);
    const timeout = AbortSignal.timeout(milliseconds);
    const [answer] = (await once(socket, 'message', { signal: timeout })) as [Buffer];
    return answer;
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null;
    throw error;
  } finally {
    socket.close();
  }
}

/** A record of a parked van in Vienna, with a fix. */
export const record = (time: number, more: Partial<AvlRecord> = {}): AvlRecord => ({
  time,
  longitude: 16.3725,
  latitude: 48.20849,
  altitude: 171,
  angle: 90,
  satellites: 9,
  speedKmh: 36,
  elements: [
    [239, 1, 1],
    [66, 2, 12_600],
    [16, 4, 123_456],
  ],
  ...more,
});

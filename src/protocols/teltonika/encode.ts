// The device's side of Teltonika's protocol: logins, frames and datagrams as a tracker sends them.
// For the demonstration fleet, the load generator and the tests; the service itself never sends these.
import { crc16, layoutOf, type Codec } from './codec.ts';

/** An IO element: its id, the bytes of its value, its value (unsigned, or signed in two's complement). */
export type IoElement = readonly [id: number, size: 1 | 2 | 4 | 8, value: number | bigint];

/** What a tracker records, in its own units. */
export interface AvlRecord {
  /** ms since 1970 UTC. */
  time: number;
  /** 0 low, 1 high, 2 panic; 0 if absent. */
  priority?: number;
  /** Degrees. */
  longitude: number;
  latitude: number;
  /** Metres, a whole number; 0 if absent. */
  altitude?: number;
  /** Whole degrees from north; 0 if absent. */
  angle?: number;
  satellites?: number;
  /** Whole km/h; 0 if absent. */
  speedKmh?: number;
  /** The element that caused the record; 0 if absent: none did. */
  eventId?: number;
  /** Codec 16 only: 0 to 7; 7 (periodical) if absent. */
  generation?: number;
  elements: readonly IoElement[];
  /** Codec 8 Extended only: elements of any length. */
  variable?: readonly (readonly [id: number, bytes: Uint8Array])[];
}

const SIZES = [1, 2, 4, 8] as const;

/** The first bytes on a TCP connection. */
export function encodeLogin(imei: string): Uint8Array {
  const login = new Uint8Array(2 + imei.length);
  login[1] = imei.length;
  login.set(Buffer.from(imei, 'latin1'), 2);
  return login;
}

/** One TCP frame of 1 to 255 records. */
export function encodeTcp(codec: Codec, records: readonly AvlRecord[]): Uint8Array {
  const length = sizeOfData(codec, records);
  const frame = new Uint8Array(length + 12);
  const view = new DataView(frame.buffer);
  view.setUint32(4, length);
  writeData(view, 8, codec, records);
  view.setUint32(8 + length, crc16(frame, 8, 8 + length));
  return frame;
}

/** The ids of a datagram, which its answer repeats. */
export interface PacketIds {
  /** u16 */
  packet: number;
  /** u8 */
  avl: number;
}

/** One UDP datagram of 1 to 255 records. The answer to it is `encodeUdpAnswer(ids, records.length)`. */
export function encodeUdp(codec: Codec, imei: string, ids: PacketIds, records: readonly AvlRecord[]): Uint8Array {
  const start = 8 + imei.length;
  const datagram = new Uint8Array(start + sizeOfData(codec, records));
  const view = new DataView(datagram.buffer);
  view.setUint16(0, datagram.length - 2);
  view.setUint16(2, ids.packet);
  view.setUint8(4, 1);
  view.setUint8(5, ids.avl);
  view.setUint16(6, imei.length);
  datagram.set(Buffer.from(imei, 'latin1'), 8);
  writeData(view, start, codec, records);
  return datagram;
}

/** The answer that a device waits for after a datagram. */
export function encodeUdpAnswer(ids: PacketIds, count: number): Uint8Array {
  return Uint8Array.of(0, 5, ids.packet >> 8, ids.packet & 0xff, 1, ids.avl, count);
}

function sizeOfData(codec: Codec, records: readonly AvlRecord[]): number {
  const layout = widths(codec);
  let size = 3;
  for (const record of records) {
    size += 24 + layout.idBytes + 5 * layout.countBytes + (layout.hasGeneration ? 1 : 0);
    for (const element of record.elements) size += layout.idBytes + element[1];
    if (layout.hasVariable) size += 2;
    for (const [, bytes] of record.variable ?? []) size += 4 + bytes.length;
  }
  return size;
}

function widths(codec: Codec) {
  const layout = layoutOf(codec);
  if (layout === null) throw new RangeError(`codec ${codec} carries no records`);
  return layout;
}

function writeData(view: DataView, start: number, codec: Codec, records: readonly AvlRecord[]): void {
  const layout = widths(codec);
  if (records.length < 1 || records.length > 255) throw new RangeError(`a packet has 1 to 255 records, not ${records.length}`);
  let at = start;
  const byte = (value: number): void => view.setUint8(at++, value);
  const short = (value: number): void => {
    view.setUint16(at, value);
    at += 2;
  };
  const id = layout.idBytes === 1 ? byte : short;
  const count = layout.countBytes === 1 ? byte : short;
  byte(codec);
  byte(records.length);
  for (const record of records) {
    const variable = record.variable ?? [];
    if (variable.length > 0 && !layout.hasVariable) throw new RangeError(`codec ${codec} has no elements of variable length`);
    view.setUint32(at, Math.floor(record.time / 2 ** 32));
    view.setUint32(at + 4, record.time % 2 ** 32);
    view.setUint8(at + 8, record.priority ?? 0);
    view.setInt32(at + 9, Math.round(record.longitude * 1e7));
    view.setInt32(at + 13, Math.round(record.latitude * 1e7));
    view.setInt16(at + 17, record.altitude ?? 0);
    view.setUint16(at + 19, record.angle ?? 0);
    view.setUint8(at + 21, record.satellites ?? 0);
    view.setUint16(at + 22, record.speedKmh ?? 0);
    at += 24;
    id(record.eventId ?? 0);
    if (layout.hasGeneration) byte(record.generation ?? 7);
    count(record.elements.length + variable.length);
    for (const size of SIZES) {
      // The count is written where it belongs once the group is.
      const countAt = at;
      at += layout.countBytes;
      let members = 0;
      for (const [elementId, elementSize, value] of record.elements) {
        if (elementSize !== size) continue;
        id(elementId);
        writeValue(view, at, size, value);
        at += size;
        members++;
      }
      if (layout.countBytes === 1) view.setUint8(countAt, members);
      else view.setUint16(countAt, members);
    }
    if (!layout.hasVariable) continue;
    short(variable.length);
    for (const [elementId, bytes] of variable) {
      short(elementId);
      short(bytes.length);
      new Uint8Array(view.buffer).set(bytes, at);
      at += bytes.length;
    }
  }
  byte(records.length);
}

function writeValue(view: DataView, at: number, size: 1 | 2 | 4 | 8, value: number | bigint): void {
  if (size === 8) view.setBigInt64(at, BigInt.asIntN(64, BigInt(value)));
  else if (size === 4) view.setInt32(at, Number(value));
  else if (size === 2) view.setInt16(at, Number(value));
  else view.setUint8(at, Number(value));
}

// The wrapping of Teltonika data: the frame with its checksum on TCP, the envelope on UDP. Knows nothing of records.
// Source: Teltonika "Data Sending Protocols", sections on TCP and UDP.
import { ByteReader } from '../../basics/bytes.ts';
import { Rejection } from '../rejection.ts';
import { crc16 } from './codec.ts';

/** The largest frame or datagram taken, bytes. Devices send at most 1280. */
export const MAX_FRAME = 4096;
/** Preamble and length before the data, checksum after it. */
const WRAPPING = 12;
/** Codec id and the two counts. */
const MIN_DATA = 3;
export const IMEI_LENGTH = 15;

/** A frame cut from a stream. */
export interface Frame {
  /** Bytes of the whole frame. */
  size: number;
  /** Codec id through second count. */
  data: Uint8Array;
  /** Whether the checksum is right. */
  isSound: boolean;
}

/**
 * Cuts the first frame: four zero bytes, length, data, CRC-16 in a u32. Null while it is incomplete.
 * @throws Rejection when the preamble or the length cannot be: where the next frame starts is then unknown.
 */
export function cutFrame(bytes: Uint8Array): Frame | null {
  const seen = Math.min(4, bytes.length);
  for (let i = 0; i < seen; i++) {
    if (bytes[i] !== 0) throw new Rejection('syntax', `the preamble has 0x${bytes.subarray(0, seen).toHex()}`);
  }
  if (bytes.length < 8) return null;
  const reader = new ByteReader(bytes, 4);
  const length = reader.u32();
  if (length < MIN_DATA || length > MAX_FRAME - WRAPPING) throw new Rejection('length', `a data length of ${length}`);
  const size = length + WRAPPING;
  if (bytes.length < size) return null;
  const data = reader.bytes(length);
  return { size, data, isSound: reader.u32() === crc16(data, 0, length) };
}

/** One datagram opened. */
export interface Envelope {
  imei: string;
  /** Codec id through second count. */
  data: Uint8Array;
  /** The answer that takes `count` records: length 5, the ids of the packet, the number of records. */
  acknowledge: (count: number) => Uint8Array;
}

/** Opens a datagram. @throws Rejection, Truncated */
export function openDatagram(bytes: Uint8Array): Envelope {
  if (bytes.length > MAX_FRAME) throw new Rejection('length', `a datagram of ${bytes.length} bytes`);
  const reader = new ByteReader(bytes);
  const length = reader.u16();
  if (length > reader.left) throw new Rejection('truncated', `${length} bytes announced, ${reader.left} sent`);
  if (length < reader.left) throw new Rejection('trailing', `${length} bytes announced, ${reader.left} sent`);
  const ids = reader.bytes(4);
  const imeiLength = reader.u16();
  if (imeiLength !== IMEI_LENGTH) throw new Rejection('identity', `an IMEI of ${imeiLength} bytes`);
  const imei = readImei(reader.bytes(IMEI_LENGTH));
  const data = reader.bytes(reader.left);
  return {
    imei,
    data,
    acknowledge(count) {
      const answer = new Uint8Array(7);
      answer[1] = 5;
      answer.set(ids, 2);
      answer[6] = count;
      return answer;
    },
  };
}

/** The 15 ASCII digits that name a device. Their check digit is not looked at. @throws Rejection */
export function readImei(bytes: Uint8Array): string {
  for (const byte of bytes) if (byte < 0x30 || byte > 0x39) throw new Rejection('identity', `the IMEI is 0x${bytes.toHex()}`);
  return String.fromCharCode(...bytes);
}

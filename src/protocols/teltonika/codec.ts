// How the codecs of Teltonika differ: widths of the IO part of a record. Shared by the reader and by the device's side.
// Source: Teltonika "Data Sending Protocols", Codec 8, Codec 8 Extended, Codec 16.

/** The codec id, first byte of the data part. */
export type Codec = 0x08 | 0x8e | 0x10;

export interface Layout {
  /** Bytes of the event id and of every element id. */
  readonly idBytes: 1 | 2;
  /** Bytes of the total and of every group's count. */
  readonly countBytes: 1 | 2;
  /** Codec 16: the generation type follows the event id. */
  readonly hasGeneration: boolean;
  /** Codec 8 Extended: a group of elements that bring their own length ends the record. */
  readonly hasVariable: boolean;
}

const codec8: Layout = { idBytes: 1, countBytes: 1, hasGeneration: false, hasVariable: false };
const codec8Extended: Layout = { idBytes: 2, countBytes: 2, hasGeneration: false, hasVariable: true };
const codec16: Layout = { idBytes: 2, countBytes: 1, hasGeneration: true, hasVariable: false };

/** The layout of a codec that carries records; null for any other id. */
export function layoutOf(codec: number): Layout | null {
  return codec === 0x08 ? codec8 : codec === 0x8e ? codec8Extended : codec === 0x10 ? codec16 : null;
}

/** Codecs 12 to 14: what a device answers to a command. */
export function isCommandAnswer(codec: number): boolean {
  return codec >= 0x0c && codec <= 0x0e;
}

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** CRC-16/IBM (also called ARC: polynomial 0xA001 reflected, start 0, no final inversion) of `bytes[from, to)`. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  // Both indexes are in range: a byte for the table, and `to` is the caller's promise.
  for (let i = from; i < to; i++) crc = (crc >> 8) ^ table[(crc ^ bytes[i]!) & 0xff]!;
  return crc;
}

// Big-endian reading of a received frame. Every read is checked: past the end throws Truncated, never yields garbage.

/** A frame claims more than it holds. */
export class Truncated extends Error {
  override name = 'Truncated';
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  #take(length: number): number {
    const from = this.#at;
    if (length < 0 || from + length > this.#bytes.length)
      throw new Truncated(`${length} bytes wanted at ${from}, the frame has ${this.#bytes.length}`);
    this.#at = from + length;
    return from;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4));
  }

  i8(): number {
    return this.#view.getInt8(this.#take(1));
  }

  i16(): number {
    return this.#view.getInt16(this.#take(2));
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4));
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8));
  }

  bytes(length: number): Uint8Array {
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  ascii(length: number): string {
    return String.fromCharCode(...this.bytes(length));
  }
}

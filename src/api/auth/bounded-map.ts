// A map of bounded size: once full, writing a new key forgets the one that was written longest ago.
// Knows no time; those who keep values that expire look at their age themselves.

export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** Writes the key as the newest. Returns the value that had to be forgotten for it, if one had to. */
  set(key: K, value: V): V | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return this.#entries.size > this.#capacity ? this.forgetOldest() : undefined;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  /** The value that was written longest ago. */
  oldest(): V | undefined {
    return this.#entries.values().next().value;
  }

  /** Forgets the value that was written longest ago, and returns it. */
  forgetOldest(): V | undefined {
    for (const [key, value] of this.#entries) {
      this.#entries.delete(key);
      return value;
    }
    return undefined;
  }
}

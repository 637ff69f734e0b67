// Counts what is under way, so that stopping can wait for it. Knows not what the work is.

export class Work {
  #pending = 0;
  #whenDone: (() => void) | null = null;

  get pending(): number {
    return this.#pending;
  }

  begin(): void {
    this.#pending++;
  }

  end(): void {
    this.#pending--;
    if (this.#pending === 0) this.#whenDone?.();
  }

  /** True once nothing is under way; false when that is not so after `timeout` ms. */
  async finish(timeout: number): Promise<boolean> {
    if (this.#pending === 0) return true;
    const done = new Promise<true>((resolve) => {
      this.#whenDone = () => resolve(true);
    });
    return within(done, timeout, false);
  }
}

/** The promise's value, or `late` after `timeout` ms. */
export async function within<T>(promise: Promise<T>, timeout: number, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const alarm = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), timeout);
  });
  try {
    return await Promise.race([promise, alarm]);
  } finally {
    clearTimeout(timer);
  }
}

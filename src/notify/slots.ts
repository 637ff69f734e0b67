// How many may do something at once: over all, and for one key, so that one key's many do not keep the others waiting.

export interface Slots {
  /** Resolves when it is one's turn, with what to call at the end of it. Keys take turns; each key's own wait in order. */
  take(key: number): Promise<() => void>;
}

export function createSlots(most: number, mostOfKey: number): Slots {
  let taken = 0;
  const takenBy = new Map<number, number>();
  /** The keys in the order of their turn. */
  const waiting = new Map<number, (() => void)[]>();

  function admit(): void {
    for (const [key, queue] of waiting) {
      if (taken >= most) return;
      const own = takenBy.get(key) ?? 0;
      if (own >= mostOfKey) continue;
      taken++;
      takenBy.set(key, own + 1);
      queue.shift()?.();
      // To the end of the line, which this loop reaches again.
      waiting.delete(key);
      if (queue.length > 0) waiting.set(key, queue);
    }
  }

  function release(key: number): void {
    taken--;
    const own = (takenBy.get(key) ?? 0) - 1;
    if (own > 0) takenBy.set(key, own);
    else takenBy.delete(key);
    admit();
  }

  return {
    async take(key) {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(key);
        if (queue === undefined) waiting.set(key, [resolve]);
        else queue.push(resolve);
        admit();
      });
      return () => release(key);
    },
  };
}

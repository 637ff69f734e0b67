// Wakes those who watch an account when a commit changed what they see. Carries no data: a watcher reads what is new to it,
// so a slow one misses nothing, it only sees fewer steps.

export interface Hub {
  /** `wake` is called after a commit that changed the account's live view; call the result to stop. */
  watch(accountId: number, wake: () => void): () => void;
  /** What was just committed changed these accounts. */
  announce(accountIds: Iterable<number>): void;
  readonly watchers: number;
}

export function createHub(): Hub {
  const watchers = new Map<number, Set<() => void>>();
  let count = 0;
  return {
    watch(accountId, wake) {
      const own = watchers.get(accountId) ?? new Set();
      watchers.set(accountId, own.add(wake));
      count++;
      return () => {
        if (!own.delete(wake)) return;
        count--;
        if (own.size === 0) watchers.delete(accountId);
      };
    },
    announce(accountIds) {
      if (count > 0) for (const id of accountIds) for (const wake of watchers.get(id) ?? []) wake();
    },
    get watchers() {
      return count;
    },
  };
}

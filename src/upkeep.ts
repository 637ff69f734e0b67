// What is done now and then: positions past their time, positions of removed trackers, old messages and expired tokens are
// deleted, a small batch at a time, so that nothing else waits for it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from './basics/clock.ts';
import type { Log } from './basics/log.ts';
import type { Storage } from './storage/storage.ts';

/** Rows of one batch: some milliseconds of the writer. */
const BATCH = 1000;
/** Between two batches, ms: reports are let in. */
const REST = 20;

export interface Upkeep {
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  /** How often, ms. */
  every: number;
  /** How long messages that are done with are kept, ms. */
  keepDeliveries: number;
}

export function startUpkeep(
  storage: Pick<Storage, 'positions' | 'deliveries' | 'tokens'>,
  { every, keepDeliveries }: UpkeepOptions,
  clock: Clock,
  log: Log,
): Upkeep {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function drain(what: string, batch: () => Promise<number>): Promise<void> {
    let deleted = 0;
    for (let count = -1; count !== 0 && !signal.aborted; deleted += count) {
      count = await batch();
      if (count > 0) await rest(REST);
    }
    if (deleted > 0) log.info({ what, deleted }, 'deleted what is past its time');
  }

  async function rest(milliseconds: number): Promise<void> {
    // Woken early by the stop: that is no failure.
    await pause(milliseconds, undefined, { signal }).catch((error: Error) => {
      if (error.name !== 'AbortError') throw error;
    });
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await drain('positions past retention', () => storage.positions.expire(clock(), BATCH));
        await drain('positions of removed trackers', () => storage.positions.sweep(BATCH));
        await drain('old messages', () => storage.deliveries.expire(clock() - keepDeliveries, BATCH));
        await drain('expired tokens', () => storage.tokens.expire(clock(), BATCH));
      } catch (error) {
        log.error({ err: error }, 'upkeep failed; it is tried again later');
      }
      await rest(every);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

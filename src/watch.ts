// What the service does by itself, without any report or request: it derives records that wait for it, and notices
// trackers that fall silent, on a trip or altogether.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from './basics/clock.ts';
import type { Log } from './basics/log.ts';
import type { Store } from './operations.ts';
import type { Deriving } from './pipeline/commit.ts';

/** Positions derived in one transaction: some milliseconds of the writer. */
const STRETCH = 1000;
/** Between two stretches, ms: reports are let in. */
const REST = 5;
/** A device that has what it recorded taken, or finds its way back after a stop of the service, lets no more time pass between two packets, ms. */
const QUIET = 60_000;
/** Trackers looked for at once. */
const AT_ONCE = 1000;

export interface WatchOptions {
  /** Null: nothing is derived. */
  deriving: Deriving | null;
  telling: Deriving['telling'];
  /** How long a tracker may be silent, ms; 0 for ever. */
  offlineAfter: number;
  /** How often is looked, ms. */
  every: number;
  /** Told how many trackers' records wait to be derived, at most AT_ONCE of them. */
  waiting(trackers: number): void;
  /** Told of accounts whose trackers changed, and of targets that have a message waiting. */
  announce(accounts: readonly number[], targets: readonly number[]): void;
}

export interface Watch {
  stop(): Promise<void>;
}

export function startWatch(storage: Pick<Store, 'pipeline'>, options: WatchOptions, clock: Clock, log: Log): Watch {
  const { deriving, telling, announce } = options;
  const stopping = new AbortController();
  const quiet = Math.min(QUIET, deriving?.thresholds.gapTime ?? QUIET);
  const rule = { after: options.offlineAfter, listening: clock(), quiet };

  async function rest(milliseconds: number): Promise<void> {
    // Woken early by the stop: that is no failure.
    await pause(milliseconds, undefined, { signal: stopping.signal }).catch((error: Error) => {
      if (error.name !== 'AbortError') throw error;
    });
  }

  async function deriveWaiting(plan: Deriving): Promise<void> {
    // One record that cannot be derived keeps no other waiting.
    const failed = new Set<number>();
    const look = async (): Promise<number[]> => {
      const found = await storage.pipeline.behind(AT_ONCE);
      options.waiting(found.length);
      return found.filter((trackerId) => !failed.has(trackerId));
    };
    for (let waiting = await look(); waiting.length > 0 && !stopping.signal.aborted; waiting = await look())
      for (const trackerId of waiting) {
        try {
          await deriveRecord(trackerId, plan);
        } catch (error) {
          failed.add(trackerId);
          log.error({ err: error, trackerId }, 'a record could not be derived; it is tried again');
        }
      }
  }

  async function deriveRecord(trackerId: number, plan: Deriving): Promise<void> {
    const start = performance.now();
    let [positions, changes] = [0, 0];
    for (let done = false; !done;) {
      if (stopping.signal.aborted) return;
      const stretch = await storage.pipeline.catchUp(trackerId, plan, STRETCH);
      done = stretch === null || stretch.done;
      positions += stretch?.steps ?? 0;
      changes += stretch?.changes ?? 0;
      if (stretch !== null) announce([stretch.accountId], stretch.targets);
      await rest(REST);
    }
    log.info({ trackerId, positions, changes, seconds: (performance.now() - start) / 1000 }, 'derived a record anew');
  }

  async function lookForSilent(): Promise<void> {
    for (let found = AT_ONCE; found === AT_ONCE && !stopping.signal.aborted;) {
      const trackers = await storage.pipeline.silent(clock(), rule, AT_ONCE);
      for (const trackerId of trackers) announce([], await storage.pipeline.noteOffline(trackerId, clock(), rule, telling));
      found = trackers.length;
    }
  }

  async function lookForQuietTrips(): Promise<void> {
    for (let found = AT_ONCE; found === AT_ONCE && !stopping.signal.aborted;) {
      const trackers = await storage.pipeline.quietTrips(clock(), rule, AT_ONCE);
      for (const trackerId of trackers) announce([], await storage.pipeline.noteTripEnd(trackerId, clock(), rule, telling));
      found = trackers.length;
    }
  }

  async function repeat(what: string, look: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look();
      } catch (error) {
        log.error({ err: error, what }, 'the watch failed; it is tried again');
      }
      await rest(options.every);
    }
  }

  // A record of years that is derived does not keep silence from being noticed.
  const running = Promise.all([
    repeat('records that wait', () => (deriving === null ? Promise.resolve() : deriveWaiting(deriving))),
    repeat('silent trackers', async () => {
      await lookForSilent();
      await lookForQuietTrips();
    }),
  ]);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

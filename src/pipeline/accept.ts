// The path of a position, first half: reports that arrive together share one commit, and whoever brought them hears of it
// once they are durable, or that they are not. In order:
//   1. wait      while earlier reports are being committed, later ones gather (group commit)
//   2. judge     can the place be believed (judge.ts)
//   3. identify  a digest of what was reported: the same report again is the same row (batch.ts)
//   4. commit    positions, state and what is derived, in one transaction (commit.ts)
//   5. tell      who brought it acknowledges to the device; the live view shows it
import { Fault } from '../basics/errors.ts';
import type { Clock } from '../basics/clock.ts';
import type { Report } from '../kinds/report.ts';
import { BatchWriter, type Batch } from './batch.ts';
import type { Committed } from './commit.ts';

export type Outcome = 'committed' | 'gone';

export interface Acceptance {
  /** Resolves when the reports are durable, or the tracker is gone; rejects when they could not be made so. */
  accept(trackerId: number, reports: readonly Report[]): Promise<Outcome>;
  /** Resolves when all that was accepted before is committed or refused. */
  settled(): Promise<void>;
}

export interface AcceptOptions {
  commit: (batch: Batch) => Promise<Committed>;
  clock: Clock;
  /** Most reports of one commit; a single delivery of more is still committed whole. */
  commitRows: number;
  /** Most reports that may wait; beyond, deliveries are refused with a retryable fault. */
  waitingRows: number;
  /** Told of every commit, before those who wait for it. */
  committed: (result: Committed, rows: number, seconds: number) => void;
}

const COMMITS_UNDER_WAY = 2;

interface Delivery {
  trackerId: number;
  reports: readonly Report[];
  received: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

export function createAcceptance({ commit, clock, commitRows, waitingRows, committed }: AcceptOptions): Acceptance {
  let waiting: Delivery[] = [];
  let rowsWaiting = 0;
  const running = new Set<Promise<void>>();

  function takeWaiting(): Delivery[] {
    let rows = 0;
    let count = 0;
    while (count < waiting.length && (count === 0 || rows + (waiting[count] as Delivery).reports.length <= commitRows))
      rows += (waiting[count++] as Delivery).reports.length;
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    rowsWaiting -= rows;
    return taken;
  }

  async function commitAll(deliveries: readonly Delivery[]): Promise<void> {
    const writer = new BatchWriter();
    for (const { trackerId, reports, received } of deliveries) for (const report of reports) writer.add(trackerId, report, received);
    const start = performance.now();
    try {
      const result = await commit(writer.finish());
      committed(result, writer.count, (performance.now() - start) / 1000);
      const gone = new Set(result.gone);
      for (const { trackerId, resolve } of deliveries) resolve(gone.has(trackerId) ? 'gone' : 'committed');
    } catch (error) {
      const another = error instanceof Fault && error.retryable;
      // A fault of the disk or a lock strikes all alike. Anything else may be one delivery's: each stands for itself.
      if (!another && deliveries.length > 1) for (const delivery of deliveries) await commitAll([delivery]);
      else for (const { reject } of deliveries) reject(error);
    }
  }

  async function run(): Promise<void> {
    // Deliveries of the same turn of the event loop come along.
    await new Promise(setImmediate);
    while (waiting.length > 0) await commitAll(takeWaiting());
  }

  /** While one commit is written the next is on its way, so that the writer does not wait for us. */
  function commitSoon(): void {
    if (running.size >= COMMITS_UNDER_WAY) return;
    const worker = run().finally(() => running.delete(worker));
    running.add(worker);
  }

  return {
    accept(trackerId, reports) {
      if (rowsWaiting > 0 && rowsWaiting + reports.length > waitingRows)
        return Promise.reject(new Fault('More reports wait for the disk than are allowed to.', true));
      return new Promise((resolve, reject) => {
        waiting.push({ trackerId, reports, received: clock(), resolve, reject });
        rowsWaiting += reports.length;
        commitSoon();
      });
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

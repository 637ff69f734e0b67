// Derives a tracker's record anew, from the beginning, a bounded stretch in each transaction, so that reports are let in
// between. For what was stored before there was a derivation, for other thresholds, and to show that nothing differs.
import { quick, write, type Sql } from '../storage/operation.ts';
import { beginAnew, isRecordBefore, nextSeq } from '../storage/storage.ts';
import type { Deriving } from './commit.ts';
import { openTrip, redo } from './derive.ts';
import { thaw } from './machine.ts';
import { tellAll } from './outbox.ts';
import { beginning, checkpointAfter, type Progress } from './progress.ts';
import { takeBackTripEnd } from './silence.ts';
import { findTracked, putTracked, setOpenTrip, surroundings, zonesIn, type Tracked } from './tracked.ts';
import { placeOfRecord } from './tracker-state.ts';

export interface Stretched {
  /** Fixes stepped through. */
  steps: number;
  /** Rows that came out differently. */
  changes: number;
  /** Nothing is left to do. */
  done: boolean;
  /** Targets that have a message waiting: events of reports that came while this was under way. */
  targets: number[];
  accountId: number;
}

/** Trackers whose record waits to be derived. */
export const behind = quick(async (sql, limit: number): Promise<number[]> =>
  (await sql.all<{ tracker_id: number }>('select tracker_id from tracker_states where behind_since is not null limit $1', limit)).map(
    ({ tracker_id: id }) => id,
  ),
);

/** Calls for a tracker's record to be derived from the beginning; what comes out differently until `now` is told to nobody. */
export const forget = write(async (sql, trackerId: number, now: number): Promise<void> => beginAnew(sql, trackerId, now));

/** Derives the next stretch of a tracker that is behind; null when it is not. */
export const catchUp = write(async (sql, trackerId: number, deriving: Deriving, most: number): Promise<Stretched | null> => {
  const tracked = await findTracked(sql, trackerId);
  const quietUntil = tracked?.behind_since ?? null;
  if (tracked === undefined || quietUntil === null) return null;
  const owner = { trackerId, accountId: tracked.account_id };
  const start = await startOf(sql, tracked);
  const around = await surroundings(tracked, deriving.thresholds, zonesIn(sql));
  const { written, progress, to, steps } = await redo(sql, owner, start, [Number.MAX_SAFE_INTEGER, 0], around, most);
  const done = to === Infinity;
  tracked.progress = progress;
  const open = progress === null ? null : openTrip(progress.state, around.thresholds);
  setOpenTrip(tracked, open);
  if (done) await takeBackTripEnd(sql, tracked, open);
  tracked.driven += written.driven;
  const news = written.events.filter(({ received }) => received > quietUntil);
  const targets = await tellAll(sql, tracked, news, deriving.telling);
  if (done) {
    tracked.behind_since = null;
    await placeOfRecord(sql, tracked);
  }
  await putTracked(sql, tracked, await nextSeq(sql));
  return { steps, changes: written.changes, done, targets: [...targets], accountId: tracked.account_id };
});

/** Where the next stretch begins: behind the last, or at the first checkpoint where the record before it is deleted, or at the beginning. */
async function startOf(sql: Sql, { tracker_id: trackerId, progress }: Tracked): Promise<{ progress: Progress; from: number }> {
  if (progress?.at) return { progress, from: progress.at[0] + 1 };
  const floor = await checkpointAfter(sql, trackerId, -1);
  if (floor === undefined || (await isRecordBefore(sql, trackerId, floor.time))) return { progress: beginning(), from: -Infinity };
  return { progress: { state: thaw(floor.state), at: null, steps: 0 }, from: floor.time };
}

// Derives a tracker's record anew, from the beginning, a bounded stretch in each transaction, so that reports are let in
// between. For what was stored before there was a derivation, for other thresholds, and to show that nothing differs.
import { quick, write, type Sql } from '../storage/operation.ts';
import { beginAnew, nextSeq } from '../storage/storage.ts';
import type { Deriving } from './commit.ts';
import { openTrip, redo } from './derive.ts';
import { tellAll } from './outbox.ts';
import { hasRecordBefore } from './fixes.ts';
import { beginning, checkpointAfter, fromCheckpoint, type Progress } from './progress.ts';
import { takeBackTripEnd } from './silence.ts';
import { findTracked, putTracked, setOpenTrip, surroundings, zonesIn, type Tracked } from './tracked.ts';
import { placeOfRecord } from './tracker-state.ts';

export interface Stretched {
  /** Fixes stepped through. */
  steps: number;
  /** Rows that came out differently, now and altogether since `forget`, whoever derived them. */
  changes: number;
  allChanges: number;
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

/** Derives the next stretch of a tracker that is behind; null when there is no such tracker. */
export const catchUp = write(async (sql, trackerId: number, deriving: Deriving, most: number): Promise<Stretched | null> => {
  const tracked = await findTracked(sql, trackerId);
  if (tracked === undefined) return null;
  const { account_id: accountId, behind_since: quietUntil } = tracked;
  if (quietUntil === null) return { steps: 0, changes: 0, allChanges: tracked.rederived, done: true, targets: [], accountId };
  const owner = { trackerId, accountId };
  const start = await startOf(sql, tracked);
  const around = await surroundings(tracked, deriving.thresholds, zonesIn(sql));
  const { written, progress, to, steps } = await redo(sql, owner, start, [Number.MAX_SAFE_INTEGER, 0], around, most);
  const done = to === Infinity;
  tracked.progress = progress;
  const open = progress === null ? null : openTrip(progress.state, around.thresholds);
  setOpenTrip(tracked, open);
  if (done) await takeBackTripEnd(sql, tracked, open);
  tracked.driven += written.driven;
  tracked.rederived += written.changes;
  const heard = tracked.comm_time ?? 0;
  const news = written.events.filter(({ received }) => received > quietUntil).map((event) => ({ ...event, received: heard }));
  const targets = await tellAll(sql, tracked, news, deriving.telling);
  if (done) {
    tracked.behind_since = null;
    await placeOfRecord(sql, tracked);
  }
  await putTracked(sql, tracked, await nextSeq(sql));
  return { steps, changes: written.changes, allChanges: tracked.rederived, done, targets: [...targets], accountId };
});

/** Where the next stretch begins: behind the last, or at the first checkpoint where the record before it is deleted, or at the beginning. */
async function startOf(sql: Sql, { tracker_id: trackerId, progress }: Tracked): Promise<Progress> {
  if (progress?.at) return progress;
  const floor = await checkpointAfter(sql, trackerId, 0);
  return floor === undefined || (await hasRecordBefore(sql, trackerId, floor.time)) ? beginning() : fromCheckpoint(floor);
}

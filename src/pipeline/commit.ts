// The path of a position, second half: one transaction, on the writer's thread. What is derived from positions is derived
// here, and the messages that follow are written here, so that all of it commits with them. For each tracker of the batch:
//   1. store    the positions that are new
//   2. sense    the sensors' last values (tracker-state.ts)
//   3. derive   trips, crossings, events: forward, or again from where a late report belongs (derive.ts)
//   4. tell     new events to the targets of the tracker's notifications, through the outbox (outbox.ts)
//   5. note     where all that leaves the tracker
import { write, type Sql, type SqlValue } from '../storage/operation.ts';
import { nextSeq, NUMBERS, WIDTH } from '../storage/storage.ts';
import { COLUMN, type Batch } from './batch.ts';
import { follow, openTrip, replay } from './derive.ts';
import type { Fix } from './fix.ts';
import { fixesOf } from './fixes.ts';
import { tellAll, type Telling, type Told } from './outbox.ts';
import { beginning, takeUp, type Progress } from './progress.ts';
import { noteOnline, takeBackTripEnd } from './silence.ts';
import type { Thresholds } from './thresholds.ts';
import { findTracked, putTracked, setOpenTrip, surroundings, zonesIn, type Tracked, type ZonesOf } from './tracked.ts';
import { advance, hear, putPlace } from './tracker-state.ts';

export interface Committed {
  /** How many positions were not there before. */
  inserted: number;
  /** Trackers of the batch that were removed meanwhile: their reports went nowhere. */
  gone: number[];
  /** Accounts whose live view changed. */
  accounts: number[];
  /** Targets for which messages wait. */
  targets: number[];
  /** Events that were not known before. */
  events: number;
}

/** What is derived, and what is told of it. */
export interface Deriving {
  thresholds: Thresholds;
  telling: Telling;
}

const COLUMNS = ['tracker_id', ...NUMBERS, 'attributes'];

/**
 * `deriving` is null where positions are to be stored only: what they mean is then found out later. `telling` is null where nothing is
 * to be told, as of history that is imported.
 */
export const commit = write(
  async (sql, batch: Batch, deriving: Deriving | null, telling: Telling | null = deriving?.telling ?? null): Promise<Committed> => {
    const seq = await nextSeq(sql);
    const result: Committed = { inserted: 0, gone: [], accounts: [], targets: [], events: 0 };
    const accounts = new Set<number>();
    const targets = new Set<number>();
    const zonesOf = zonesIn(sql);
    for (const [trackerId, rows] of rowsByTracker(batch)) {
      const tracked = await findTracked(sql, trackerId);
      if (tracked === undefined) {
        result.gone.push(trackerId);
        continue;
      }
      const inserted = await sql.insertNew('positions', COLUMNS, rowsOf(batch, trackerId, rows));
      result.inserted += inserted;
      // What comes again counts as it did when it came first, whose clock then ran ahead too.
      const fresh = inserted === rows.length ? rows : await newRows(sql, trackerId, batch, rows);
      const fixes = fixesOf(batch, fresh);
      if (deriving === null) for (const { received } of fixes) tracked.behind_since = Math.max(tracked.behind_since ?? 0, received);
      const isBehind = tracked.behind_since !== null;
      hear(tracked, batch, rows);
      advance(tracked, batch, fresh, isBehind);
      const events: Told[] = await noteOnline(sql, tracked);
      if (isBehind || deriving === null) await rewind(sql, tracked, fixes);
      else {
        events.push(...(await derive(sql, tracked, fixes, deriving.thresholds, zonesOf)));
        if (tracked.behind_since === null) await putPlace(sql, tracked, batch, fresh);
      }
      if (telling !== null) for (const target of await tellAll(sql, tracked, events, telling)) targets.add(target);
      result.events += events.length;
      await putTracked(sql, tracked, seq);
      accounts.add(tracked.account_id);
    }
    result.accounts = [...accounts];
    result.targets = [...targets];
    return result;
  },
);

async function derive(sql: Sql, tracked: Tracked, fixes: readonly Fix[], defaults: Thresholds, zonesOf: ZonesOf): Promise<Told[]> {
  const owner = { trackerId: tracked.tracker_id, accountId: tracked.account_id };
  const around = await surroundings(tracked, defaults, zonesOf);
  let progress: Progress = tracked.progress ?? beginning();
  const last = progress.at;
  const late = last === null ? [] : lateOf(tracked, fixes, last);
  const events: Told[] = [];
  // What was received before and is shown only now is told of as of now.
  const now = Math.max(...late.map(({ received }) => received));
  let settled = -Infinity;
  for (const { time } of late) {
    // What one late report touched may have ended before the next.
    if (time < settled) continue;
    const replayed = await replay(sql, owner, time, last as NonNullable<typeof last>, around);
    settled = replayed.to;
    progress = replayed.progress ?? progress;
    tracked.driven += replayed.written.driven;
    events.push(...replayed.written.events.map((event) => ({ ...event, received: now })));
    if (!replayed.isBroken) continue;
    // The rest waits to be derived, and all that is new in it is told.
    tracked.progress = progress;
    tracked.behind_since = 0;
    return events;
  }
  const ahead = last === null ? fixes : fixes.filter((fix) => isAfter(fix, last));
  const written = await follow(sql, owner, progress, ahead, around);
  tracked.driven += written.driven;
  tracked.progress = progress;
  const open = openTrip(progress.state, around.thresholds);
  setOpenTrip(tracked, open);
  await takeBackTripEnd(sql, tracked, open);
  return [...events, ...written.events];
}

/** The tracker's record waits to be derived: that must go on from before the first of what came late, and does so from moment to moment. */
async function rewind(sql: Sql, tracked: Tracked, fixes: readonly Fix[]): Promise<void> {
  const at = tracked.progress?.at;
  if (!at) return;
  const [first] = lateOf(tracked, fixes, [at[0], Number.MAX_SAFE_INTEGER]);
  if (first !== undefined) tracked.progress = await takeUp(sql, tracked.tracker_id, first.time);
}

const isAfter = ({ time, digest }: Fix, last: readonly [number, number]): boolean =>
  time > last[0] || (time === last[0] && digest > last[1]);

/** The fixes that are not behind the last. What is past its time is deleted soon, and what it meant already is. */
const lateOf = ({ data_retention: days }: Tracked, fixes: readonly Fix[], last: readonly [time: number, digest: number]): Fix[] =>
  fixes.filter((fix) => !isAfter(fix, last) && (days === null || fix.time >= fix.received - days * 86_400_000));

/** The rows of the batch that were not in the record before: those have the time when they were received first. */
async function newRows(sql: Sql, trackerId: number, { numbers }: Batch, rows: readonly number[]): Promise<number[]> {
  const fresh: number[] = [];
  for (const row of rows) {
    const at = row * WIDTH;
    const kept = await sql.get<{ recv_time: number }>(
      'select recv_time from positions where tracker_id = $1 and time = $2 and digest = $3',
      trackerId,
      numbers[at + COLUMN.time] as number,
      numbers[at + COLUMN.digest] as number,
    );
    if (kept?.recv_time === numbers[at + COLUMN.recv_time]) fresh.push(row);
  }
  return fresh;
}

function rowsByTracker(batch: Batch): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let row = 0; row < batch.count; row++) {
    const trackerId = batch.trackers[row] as number;
    const rows = groups.get(trackerId);
    if (rows === undefined) groups.set(trackerId, [row]);
    else rows.push(row);
  }
  return groups;
}

function* rowsOf(batch: Batch, trackerId: number, rows: readonly number[]): Generator<SqlValue[]> {
  const values = Array.from<SqlValue>({ length: WIDTH + 2 });
  values[0] = trackerId;
  for (const row of rows) {
    for (let column = 0, at = row * WIDTH; column < WIDTH; column++, at++) {
      const value = batch.numbers[at] as number;
      values[column + 1] = Number.isNaN(value) ? null : value;
    }
    values[WIDTH + 1] = batch.attributes[row] ?? null;
    yield values;
  }
}

// The record of positions, clustered by tracker and time. What is read in bulk comes as columns of numbers, which cross threads as one copy.
import { long, write, type SqlValue } from '../operation.ts';
import { expireDerived, sweepDerived } from './derivation.ts';

/** Columns of numbers in a page, in this order. */
export const NUMBERS = [
  'time', 'digest', 'recv_time', 'valid', 'latitude', 'longitude', 'altitude', 'speed', 'heading', 'accuracy',
  'satellites', 'ignition', 'motion', 'battery', 'battery_level', 'power', 'odometer', 'alarms',
] as const; // prettier-ignore

export const WIDTH = NUMBERS.length;
const COLUMNS = NUMBERS.join(', ');

/** Rows of a page: `numbers[row * WIDTH + column]`, NaN for what is absent; `attributes[row]` is JSON or null, where asked for. */
export interface PositionPage {
  count: number;
  numbers: Float64Array;
  attributes: (string | null)[];
  /** More rows follow the last of these. */
  more: boolean;
}

/** The place of a row in the order of time. */
export interface PositionKey {
  time: number;
  digest: number;
}

export interface PositionRange {
  trackerId: number;
  /** First and last moment, ms, both included. */
  from: number;
  to: number;
  /** Only what follows this row. */
  after: PositionKey | null;
  limit: number;
  attributes: boolean;
}

export const positions = {
  /** Positions with a place, in the order of time. */
  page: long(async (sql, range: PositionRange): Promise<PositionPage> => {
    const start = range.after ?? { time: range.from, digest: -1 };
    const rows = await sql.rows(
      `select ${COLUMNS}${range.attributes ? ', attributes' : ''} from positions
       where tracker_id = $1 and (time, digest) > ($2, $3) and time <= $4 and latitude is not null order by time, digest limit $5`,
      range.trackerId,
      start.time,
      start.digest,
      range.to,
      range.limit + 1,
    );
    const count = Math.min(rows.length, range.limit);
    return {
      count,
      numbers: pack(rows, count),
      attributes: range.attributes ? rows.slice(0, count).map((row) => row[WIDTH] as string | null) : [],
      more: rows.length > count,
    };
  }),

  count: long(
    async (sql, trackerId: number): Promise<number> =>
      (await sql.get<{ count: number }>('select count(*) as count from positions where tracker_id = $1', trackerId))?.count ?? 0,
  ),

  /** Whether the device reported this odometer reading, m, since a moment. */
  hasOdometer: long(
    async (sql, trackerId: number, since: number, metres: number): Promise<boolean> =>
      (await sql.get(
        'select 1 from positions where tracker_id = $1 and time >= $2 and odometer > $3 - 0.01 and odometer < $3 + 0.01 limit 1',
        trackerId,
        since,
        metres,
      )) !== undefined,
  ),

  /**
   * Deletes some of the positions of one tracker that are older than its retention allows, and of what is derived from them, at most
   * `limit` rows of each sort; how many. The cut is made at a checkpoint where one lies within a day before: nothing that is left comes
   * out differently then.
   */
  expire: write(async (sql, now: number, limit: number): Promise<number> => {
    const due = await sql.get<{ id: number; before: number }>(
      `select d.id, d.before from (
         select t.id, coalesce((select max(c.time) from checkpoints c where c.tracker_id = t.id
           and c.time <= $1 - t.data_retention * 86400000 and c.time > $1 - (t.data_retention + 1) * 86400000),
           $1 - t.data_retention * 86400000) as before
         from trackers t where t.data_retention is not null) d
       where exists (select 1 from positions p where p.tracker_id = d.id and p.time < d.before) limit 1`,
      now,
    );
    if (due === undefined) return 0;
    const derived = await expireDerived(sql, due.id, due.before, limit);
    if (derived > 0) return derived;
    return sql.run(
      `delete from positions where (tracker_id, time, digest) in
       (select tracker_id, time, digest from positions where tracker_id = $1 and time < $2 order by time limit $3)`,
      due.id,
      due.before,
      limit,
    );
  }),

  /** Deletes at most `limit` positions of a tracker that was removed, and what was derived from them; 0 when none is left to do. */
  sweep: write(async (sql, limit: number): Promise<number> => {
    const removed = await sql.get<{ tracker_id: number }>('select tracker_id from removed_trackers limit 1');
    if (removed === undefined) return 0;
    const deleted = await sql.run(
      `delete from positions where (tracker_id, time, digest) in (select tracker_id, time, digest from positions where tracker_id = $1 limit $2)`,
      removed.tracker_id,
      limit,
    );
    const derived = deleted === 0 ? await sweepDerived(sql, removed.tracker_id, limit) : 0;
    if (deleted + derived === 0) await sql.run('delete from removed_trackers where tracker_id = $1', removed.tracker_id);
    return Math.max(deleted, 1);
  }),
};

function pack(rows: SqlValue[][], count: number): Float64Array {
  const numbers = new Float64Array(count * WIDTH);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const row = rows[i] as SqlValue[];
    for (let column = 0; column < WIDTH; column++) numbers[at++] = (row[column] as number | null) ?? NaN;
  }
  return numbers;
}

// What the tables of the record say about its derivation. Knows nothing of the machines: their state is a text.
import type { Sql } from '../operation.ts';

/** Positions of times before this are none; they were reported by dead clocks. */
const EARLIEST = Date.UTC(2000, 0, 1);

/**
 * Calls for a tracker's record to be derived from the beginning. Checkpoints go, but for one that stands before all that is left
 * of the record: it holds what the deleted positions meant.
 */
export async function beginAnew(sql: Sql, trackerId: number, now: number): Promise<void> {
  await sql.run(
    `delete from checkpoints where tracker_id = $1
     and exists (select 1 from positions p where p.tracker_id = $1 and p.time >= $2 and p.time < checkpoints.time)`,
    trackerId,
    EARLIEST,
  );
  await sql.run('update tracker_states set machine = null, behind_since = $2 where tracker_id = $1', trackerId, now);
}

/** Whether positions are kept that lie before a moment. */
export const isRecordBefore = async (sql: Sql, trackerId: number, time: number): Promise<boolean> =>
  (await sql.get('select 1 from positions where tracker_id = $1 and time >= $2 and time < $3 limit 1', trackerId, EARLIEST, time)) !==
  undefined;

/** Deletes what is derived from positions before a moment, but for what later ones need. */
export async function expireDerived(sql: Sql, trackerId: number, before: number): Promise<void> {
  await sql.run(
    'delete from checkpoints where tracker_id = $1 and time < (select max(time) from checkpoints where tracker_id = $1 and time <= $2)',
    trackerId,
    before,
  );
  await sql.run('delete from events where tracker_id = $1 and time < $2', trackerId, before);
  await sql.run('delete from trips where tracker_id = $1 and end_time < $2', trackerId, before);
  await sql.run(
    `delete from trip_parts where tracker_id = $1 and trip_start < (select coalesce(min(start_time), $2) from trips where tracker_id = $1)
     and trip_start < $2`,
    trackerId,
    before,
  );
}

/** Deletes at most `limit` rows of what was derived for a tracker that is gone; 0 when nothing is left. */
export async function sweepDerived(sql: Sql, trackerId: number, limit: number): Promise<number> {
  const deletions = [
    'delete from checkpoints where tracker_id = $1 and time in (select time from checkpoints where tracker_id = $1 limit $2)',
    'delete from events where id in (select id from events where tracker_id = $1 limit $2)',
    'delete from trips where id in (select id from trips where tracker_id = $1 limit $2)',
    `delete from trip_parts where tracker_id = $1 and (trip_start, bucket) in
     (select trip_start, bucket from trip_parts where tracker_id = $1 limit $2)`,
  ];
  let deleted = 0;
  for (const deletion of deletions) deleted += await sql.run(deletion, trackerId, limit);
  return deleted;
}

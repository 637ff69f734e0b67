// What the tables of the record say about its derivation. Knows nothing of the machines: their state is a text.
import type { Sql } from '../operation.ts';

/** Calls for a tracker's record to be derived from the beginning. Checkpoints are made anew on the way. */
export async function beginAnew(sql: Sql, trackerId: number, now: number): Promise<void> {
  await sql.run('update tracker_states set machine = null, behind_since = $2, rederived = 0 where tracker_id = $1', trackerId, now);
}

/**
 * Deletes at most `limit` rows of each sort of what positions before a moment showed, but for what later ones need; how many. A
 * checkpoint of that very moment stays: it holds what the deleted positions mean for those that follow.
 */
export const expireDerived = (sql: Sql, trackerId: number, before: number, limit: number): Promise<number> =>
  deleteAll(sql, EXPIRED, trackerId, limit, before);

const EXPIRED = [
  'delete from checkpoints where tracker_id = $1 and time in (select time from checkpoints where tracker_id = $1 and time < $3 limit $2)',
  `delete from events where id in
   (select id from events where tracker_id = $1 and time < $3 and coalesce(made, time) < $3 limit $2)`,
  `delete from trips where id in
   (select id from trips where tracker_id = $1 and start_time < $3 and coalesce(closed, end_time) < $3 limit $2)`,
  `delete from trip_parts where tracker_id = $1 and (trip_start, bucket) in
   (select trip_start, bucket from trip_parts where tracker_id = $1 and trip_start < $3
    and trip_start < (select coalesce(min(start_time), $3) from trips where tracker_id = $1) limit $2)`,
];

/** Deletes at most `limit` rows of each sort of what was derived for a tracker that is gone; 0 when nothing is left. */
export const sweepDerived = (sql: Sql, trackerId: number, limit: number): Promise<number> => deleteAll(sql, ALL, trackerId, limit);

const ALL = [
  'delete from checkpoints where tracker_id = $1 and time in (select time from checkpoints where tracker_id = $1 limit $2)',
  'delete from events where id in (select id from events where tracker_id = $1 limit $2)',
  'delete from trips where id in (select id from trips where tracker_id = $1 limit $2)',
  `delete from trip_parts where tracker_id = $1 and (trip_start, bucket) in
   (select trip_start, bucket from trip_parts where tracker_id = $1 limit $2)`,
];

async function deleteAll(sql: Sql, deletions: readonly string[], ...values: number[]): Promise<number> {
  let deleted = 0;
  for (const deletion of deletions) deleted += await sql.run(deletion, ...values);
  return deleted;
}

// The second half of the path of a position: one transaction, on the writer's thread. What is derived from positions is
// derived here, so that it commits with them.
import { write, type Sql, type SqlValue } from '../storage/operation.ts';
import { nextSeq, NUMBERS, WIDTH, type TrackerState } from '../storage/storage.ts';
import type { Batch } from './batch.ts';
import { advance } from './tracker-state.ts';

export interface Committed {
  /** How many positions were not there before. */
  inserted: number;
  /** Trackers of the batch that were removed meanwhile: their reports went nowhere. */
  gone: number[];
  /** Accounts whose live view changed. */
  accounts: number[];
}

const COLUMNS = ['tracker_id', ...NUMBERS, 'attributes'];

const UPDATE = `update tracker_states set seq = $2, comm_time = $3, pos_time = $4, pos_digest = $5, latitude = $6, longitude = $7,
  altitude = $8, speed = $9, heading = $10, sensors = $11 where tracker_id = $1`;

export const commit = write(async (sql, batch: Batch): Promise<Committed> => {
  const seq = await nextSeq(sql);
  const result: Committed = { inserted: 0, gone: [], accounts: [] };
  const accounts = new Set<number>();
  for (const [trackerId, rows] of rowsByTracker(batch)) {
    const state = await sql.get<TrackerState>('select * from tracker_states where tracker_id = $1', trackerId);
    if (state === undefined) {
      result.gone.push(trackerId);
      continue;
    }
    result.inserted += await sql.insertNew('positions', COLUMNS, rowsOf(batch, trackerId, rows));
    advance(state, batch, rows);
    await putState(sql, state, seq);
    accounts.add(state.account_id);
  }
  result.accounts = [...accounts];
  return result;
});

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

const putState = (sql: Sql, s: TrackerState, seq: number): Promise<number> =>
  sql.run(
    UPDATE,
    s.tracker_id,
    seq,
    s.comm_time,
    s.pos_time,
    s.pos_digest,
    s.latitude,
    s.longitude,
    s.altitude,
    s.speed,
    s.heading,
    s.sensors,
  );

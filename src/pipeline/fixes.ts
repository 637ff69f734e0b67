// Fixes, out of a batch that has just come and out of the record.
import type { Sql } from '../storage/operation.ts';
import { WIDTH } from '../storage/storage.ts';
import { COLUMN, type Batch } from './batch.ts';
import type { Fix } from './fix.ts';
import { EARLIEST, isCredibleTime } from './judge.ts';

/** The reports of a batch that can be derived from, in order, each once. `row` is its place in the batch. */
export function fixesOf({ numbers }: Batch, rows: readonly number[]): Fix[] {
  const fixes: Fix[] = [];
  for (const row of rows) {
    const at = row * WIDTH;
    const value = (column: number): number => numbers[at + column] as number;
    const time = value(COLUMN.time);
    const received = value(COLUMN.recv_time);
    if (!isCredibleTime(time, received)) continue;
    fixes.push({
      time,
      digest: value(COLUMN.digest),
      received,
      placed: value(COLUMN.valid) !== 0,
      latitude: value(COLUMN.latitude),
      longitude: value(COLUMN.longitude),
      speed: value(COLUMN.speed),
      accuracy: value(COLUMN.accuracy),
      ignition: value(COLUMN.ignition),
      batteryLevel: value(COLUMN.battery_level),
      power: value(COLUMN.power),
      alarms: value(COLUMN.alarms) || 0,
    });
  }
  if (fixes.length < 2) return fixes;
  fixes.sort(order);
  return fixes.filter((fix, i) => i === 0 || order(fix, fixes[i - 1] as Fix) !== 0);
}

const order = (a: Fix, b: Fix): number => a.time - b.time || a.digest - b.digest;

const SELECT = `select time, digest, recv_time, valid, latitude, longitude, speed, accuracy, ignition, battery_level, power, alarms
  from positions where tracker_id = $1`;

/** Rows read at once: most late reports need one read. */
const PAGE = 100;

/** The fixes of the record from a moment on, in order, up to and with `last`. */
export async function* readFixes(sql: Sql, trackerId: number, from: number, last: readonly [time: number, digest: number]) {
  let [time, digest] = [Math.max(from, EARLIEST), -1];
  for (let count = PAGE; count === PAGE;) {
    const rows = await sql.rows(
      `${SELECT} and (time, digest) > ($2, $3) and (time, digest) <= ($4, $5) order by time, digest limit ${PAGE}`,
      trackerId,
      time,
      digest,
      last[0],
      last[1],
    );
    count = rows.length;
    for (const row of rows as (number | null)[][]) {
      const fix = fixOf(row);
      [time, digest] = [fix.time, fix.digest];
      if (isCredibleTime(fix.time, fix.received)) yield fix;
    }
  }
}

/** Whether the record has anything from before a moment. */
export const hasRecordBefore = async (sql: Sql, trackerId: number, time: number): Promise<boolean> =>
  (await sql.get('select 1 from positions where tracker_id = $1 and time >= $2 and time < $3 limit 1', trackerId, EARLIEST, time)) !==
  undefined;

const fixOf = (row: (number | null)[]): Fix => ({
  time: row[0] as number,
  digest: row[1] as number,
  received: row[2] as number,
  placed: row[3] !== 0,
  latitude: row[4] ?? NaN,
  longitude: row[5] ?? NaN,
  speed: row[6] ?? NaN,
  accuracy: row[7] ?? NaN,
  ignition: row[8] ?? NaN,
  batteryLevel: row[9] ?? NaN,
  power: row[10] ?? NaN,
  alarms: row[11] ?? 0,
});

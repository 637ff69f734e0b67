// What is known of a tracker now: its last valid place, and of each sensor the last value. A pure function of the set of
// its reports: whichever order they come in, the same state stands at the end.
import type { Sql } from '../storage/operation.ts';
import type { TrackerState } from '../storage/storage.ts';
import { WIDTH } from '../storage/storage.ts';
import { COLUMN, type Batch } from './batch.ts';
import { isCredibleTime } from './judge.ts';
import type { Tracked } from './tracked.ts';
import { lastPlace } from './trips.ts';

/** A sensor's last value and its time, by the sensor's name. */
export type Sensors = Record<string, [time: number, value: number]>;

const SENSORS = (['ignition', 'motion', 'battery', 'battery_level', 'power', 'odometer', 'satellites'] as const).map(
  (name) => [name, COLUMN[name]] as const,
);

/** Notes that the tracker was heard when `rows` of the batch were received. */
export function hear(state: TrackerState, { numbers }: Batch, rows: readonly number[]): void {
  for (const row of rows) state.comm_time = Math.max(state.comm_time ?? 0, numbers[row * WIDTH + COLUMN.recv_time] as number);
}

/**
 * Brings `state` to what it is after `rows` of the batch, all of that tracker and new. `places` says whether to look at places too:
 * where positions are derived, the trip machine says which of them is the last that can be believed (`putPlace`).
 */
export function advance(state: TrackerState, { numbers }: Batch, rows: readonly number[], places: boolean): void {
  const sensors = JSON.parse(state.sensors) as Sensors;
  for (const row of rows) {
    const at = row * WIDTH;
    const time = numbers[at + COLUMN.time] as number;
    const received = numbers[at + COLUMN.recv_time] as number;
    if (isCredibleTime(time, received)) sense(sensors, numbers, at, time);
    if (places && numbers[at + COLUMN.valid] === 1) place(state, numbers, at, time);
  }
  state.sensors = JSON.stringify(sensors);
}

function sense(sensors: Sensors, numbers: Float64Array, at: number, time: number): void {
  for (const [name, column] of SENSORS) {
    const value = numbers[at + column] as number;
    if (Number.isNaN(value)) continue;
    const last = sensors[name];
    if (last === undefined) sensors[name] = [time, value];
    // Two values of one moment: the greater stands, whichever came first.
    else if (time > last[0] || (time === last[0] && value > last[1])) {
      last[0] = time;
      last[1] = value;
    }
  }
}

function place(state: TrackerState, numbers: Float64Array, at: number, time: number): void {
  const digest = numbers[at + COLUMN.digest] as number;
  const { pos_time: last } = state;
  if (last !== null && (time < last || (time === last && digest <= (state.pos_digest ?? -1)))) return;
  set(state, numbers, at);
}

function set(state: TrackerState, numbers: Float64Array, at: number): void {
  state.pos_time = numbers[at + COLUMN.time] as number;
  state.pos_digest = numbers[at + COLUMN.digest] as number;
  state.latitude = numbers[at + COLUMN.latitude] as number;
  state.longitude = numbers[at + COLUMN.longitude] as number;
  state.altitude = orNull(numbers[at + COLUMN.altitude] as number);
  state.speed = orNull(numbers[at + COLUMN.speed] as number);
  state.heading = orNull(numbers[at + COLUMN.heading] as number);
}

/** Sets the place to that of the last fix that the machines believe, from the batch if it is there. */
export async function putPlace(sql: Sql, tracked: Tracked, { numbers }: Batch, rows: readonly number[]): Promise<void> {
  const last = tracked.progress === null ? null : lastPlace(tracked.progress.state.trips);
  if (last !== null && last.time === tracked.pos_time && last.digest === tracked.pos_digest) return;
  const row = last === null ? undefined : rows.find((r) => isAt(numbers, r * WIDTH, last));
  if (row === undefined) await placeOfRecord(sql, tracked);
  else set(tracked, numbers, row * WIDTH);
}

const isAt = (numbers: Float64Array, at: number, { time, digest }: { time: number; digest: number }): boolean =>
  numbers[at + COLUMN.time] === time && numbers[at + COLUMN.digest] === digest;

/** The same, from the record. */
export async function placeOfRecord(sql: Sql, tracked: Tracked): Promise<void> {
  const last = tracked.progress === null ? null : lastPlace(tracked.progress.state.trips);
  if (last === null) return;
  const row = await sql.get<Pick<TrackerState, 'latitude' | 'longitude' | 'altitude' | 'speed' | 'heading'>>(
    'select latitude, longitude, altitude, speed, heading from positions where tracker_id = $1 and time = $2 and digest = $3',
    tracked.tracker_id,
    last.time,
    last.digest,
  );
  if (row !== undefined) Object.assign(tracked, row, { pos_time: last.time, pos_digest: last.digest });
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

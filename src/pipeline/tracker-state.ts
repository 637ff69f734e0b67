// What is known of a tracker now: its last valid place, and of each sensor the last value. A pure function of the set of
// its reports: whichever order they come in, the same state stands at the end.
import type { TrackerState } from '../storage/storage.ts';
import { WIDTH } from '../storage/storage.ts';
import { COLUMN, type Batch } from './batch.ts';
import { isCredibleTime } from './judge.ts';

/** A sensor's last value and its time, by the sensor's name. */
export type Sensors = Record<string, [time: number, value: number]>;

const SENSORS = (['ignition', 'motion', 'battery', 'battery_level', 'power', 'odometer', 'satellites'] as const).map(
  (name) => [name, COLUMN[name]] as const,
);

/** Brings `state` to what it is after `rows` of the batch, all of that tracker. */
export function advance(state: TrackerState, { numbers }: Batch, rows: readonly number[]): void {
  const sensors = JSON.parse(state.sensors) as Sensors;
  for (const row of rows) {
    const at = row * WIDTH;
    const time = numbers[at + COLUMN.time] as number;
    const received = numbers[at + COLUMN.recv_time] as number;
    if (received > (state.comm_time ?? 0)) state.comm_time = received;
    if (isCredibleTime(time, received)) sense(sensors, numbers, at, time);
    if (numbers[at + COLUMN.valid] === 1) place(state, numbers, at, time);
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
  state.pos_time = time;
  state.pos_digest = digest;
  state.latitude = numbers[at + COLUMN.latitude] as number;
  state.longitude = numbers[at + COLUMN.longitude] as number;
  state.altitude = orNull(numbers[at + COLUMN.altitude] as number);
  state.speed = orNull(numbers[at + COLUMN.speed] as number);
  state.heading = orNull(numbers[at + COLUMN.heading] as number);
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

// What is known of a tracker now: its last valid place, and of each sensor the last value. A pure function of the set of
// its reports: whichever order they come in, the same state stands at the end.
import type { TrackerState } from '../storage/storage.ts';
import { WIDTH } from '../storage/storage.ts';
import { COLUMN, type Batch } from './batch.ts';
import { isCredibleTime } from './judge.ts';

/** A sensor's last value and its time, by the sensor's name. */
export type Sensors = Record<string, [time: number, value: number]>;

const SENSORS = ['ignition', 'motion', 'battery', 'battery_level', 'power', 'odometer', 'satellites'] as const;

/** The state after `rows` of the batch, all of that tracker. */
export function advance(state: TrackerState, batch: Batch, rows: readonly number[]): TrackerState {
  const next = { ...state };
  const sensors = JSON.parse(state.sensors) as Sensors;
  for (const row of rows) {
    const at = row * WIDTH;
    const value = (column: number): number => batch.numbers[at + column] as number;
    const orNull = (column: number): number | null => (Number.isNaN(value(column)) ? null : value(column));
    const time = value(COLUMN.time);
    const received = value(COLUMN.recv_time);
    next.comm_time = Math.max(next.comm_time ?? 0, received);
    if (isCredibleTime(time, received))
      for (const name of SENSORS) {
        const sensed = value(COLUMN[name]);
        const [lastTime, lastValue] = sensors[name] ?? [-1, 0];
        // Two values of one moment: the greater stands, whichever came first.
        if (!Number.isNaN(sensed) && (time > lastTime || (time === lastTime && sensed > lastValue))) sensors[name] = [time, sensed];
      }
    const digest = value(COLUMN.digest);
    const later = next.pos_time === null || time > next.pos_time || (time === next.pos_time && digest > (next.pos_digest ?? -1));
    if (value(COLUMN.valid) === 1 && later) {
      next.pos_time = time;
      next.pos_digest = digest;
      next.latitude = value(COLUMN.latitude);
      next.longitude = value(COLUMN.longitude);
      next.altitude = orNull(COLUMN.altitude);
      next.speed = orNull(COLUMN.speed);
      next.heading = orNull(COLUMN.heading);
    }
  }
  next.sensors = JSON.stringify(sensors);
  return next;
}

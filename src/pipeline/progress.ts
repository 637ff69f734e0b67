// How far a tracker's positions are derived, and the checkpoints from which a late report is taken up. A checkpoint is the
// machines' state as it stood before the first fix at or after its time; it is a memory only: without it, all is replayed.
import type { Sql } from '../storage/operation.ts';
import { freeze, newMachine, thaw, type MachineState } from './machine.ts';

/** The least time, ms, and the fewest fixes between two checkpoints: what a late report costs against what they take of the disk. */
const INTERVAL = 300_000;
const SPACING = 20;

export interface Progress {
  state: MachineState;
  /** The last fix that is derived. */
  at: readonly [time: number, digest: number] | null;
  /** Fixes since the last checkpoint. */
  steps: number;
}

export const beginning = (): Progress => ({ state: newMachine(), at: null, steps: 0 });

/** The time of the checkpoint to be made before a fix of this moment; null when none is due. */
export function checkpointDue({ at, steps }: Progress, time: number): number | null {
  const boundary = time - (time % INTERVAL);
  return at !== null && steps >= SPACING && at[0] < boundary ? boundary : null;
}

export const keepCheckpoint = (sql: Sql, trackerId: number, time: number, state: string): Promise<number> =>
  sql.run(
    `insert into checkpoints (tracker_id, time, state) values ($1, $2, $3)
     on conflict (tracker_id, time) do update set state = excluded.state`,
    trackerId,
    time,
    state,
  );

export interface Checkpoint {
  time: number;
  state: string;
}

/** The last checkpoint that what happens from `time` on cannot have changed. */
const checkpointBefore = (sql: Sql, trackerId: number, time: number): Promise<Checkpoint | undefined> =>
  sql.get<Checkpoint>(
    'select time, state from checkpoints where tracker_id = $1 and time <= $2 order by time desc limit 1',
    trackerId,
    time,
  );

export const checkpointAfter = (sql: Sql, trackerId: number, time: number): Promise<Checkpoint | undefined> =>
  sql.get<Checkpoint>('select time, state from checkpoints where tracker_id = $1 and time > $2 order by time limit 1', trackerId, time);

/** Where a replay that covers `time` begins: the state, and from which moment on fixes are to be stepped through. */
export async function takeUp(sql: Sql, trackerId: number, time: number): Promise<{ progress: Progress; from: number }> {
  const checkpoint = await checkpointBefore(sql, trackerId, time);
  if (checkpoint === undefined) return { progress: beginning(), from: -Infinity };
  return { progress: { state: thaw(checkpoint.state), at: null, steps: 0 }, from: checkpoint.time };
}

/** As it is kept with the tracker. */
export const freezeProgress = ({ at, steps, state }: Progress): string => JSON.stringify({ at, steps }) + freeze(state);

export function thawProgress(text: string): Progress {
  const end = text.indexOf('}') + 1;
  return { ...(JSON.parse(text.slice(0, end)) as Pick<Progress, 'at' | 'steps'>), state: thaw(text.slice(end)) };
}

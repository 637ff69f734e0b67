// How far a tracker's positions are derived, and the checkpoints from which a late report is taken up. A checkpoint is the
// machines' state as it stood before the first fix at or after its time; it is a memory only: without it, all is replayed.
import type { Sql } from '../storage/operation.ts';
import { EARLIEST } from './judge.ts';
import { freeze, newMachine, thaw, type MachineState } from './machine.ts';

/** The least time, ms, and the fewest fixes between two checkpoints: what a late report costs against what they take of the disk. */
const INTERVAL = 300_000;
const SPACING = 20;

export interface Progress {
  state: MachineState;
  /** The last fix that is derived, or a moment before which all are. */
  at: readonly [time: number, digest: number] | null;
  /** Fixes since the last checkpoint. */
  steps: number;
}

export const beginning = (): Progress => ({ state: newMachine(), at: null, steps: 0 });

/** The progress that a checkpoint stands for. */
export const fromCheckpoint = ({ time, state }: Checkpoint): Progress => ({
  state: thaw(state),
  at: [time - 1, Number.MAX_SAFE_INTEGER],
  steps: 0,
});

/** The first moment that is not derived; of one moment, either all fixes are or none. */
export const momentAfter = ({ at }: Progress): number => (at === null ? EARLIEST : at[0] + 1);

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

/** Where a replay that covers `time` begins. */
export async function takeUp(sql: Sql, trackerId: number, time: number): Promise<Progress> {
  const checkpoint = await checkpointBefore(sql, trackerId, time);
  return checkpoint === undefined ? beginning() : fromCheckpoint(checkpoint);
}

/** As it is kept with the tracker. */
export const freezeProgress = ({ at, steps, state }: Progress): string => JSON.stringify({ at, steps }) + freeze(state);

export function thawProgress(text: string): Progress {
  const end = text.indexOf('}') + 1;
  return { ...(JSON.parse(text.slice(0, end)) as Pick<Progress, 'at' | 'steps'>), state: thaw(text.slice(end)) };
}

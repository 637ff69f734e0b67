// What new positions mean: fixes that follow the last one are stepped through; a late one is taken up at the last checkpoint
// before it and replayed until the machines are in the state they were in before, so that only what it touches is done again.
import type { Sql } from '../storage/operation.ts';
import type { OpenTrip } from '../storage/storage.ts';
import { addFindings, replaceFindings, type Owner, type Written } from './findings.ts';
import type { Fix } from './fix.ts';
import { readFixes } from './fixes.ts';
import { patienceOf } from './gaps.ts';
import { freeze, step, type MachineState, type Surroundings } from './machine.ts';
import { newOutcome, type Outcome } from './outcome.ts';
import { checkpointAfter, checkpointDue, keepCheckpoint, momentAfter, takeUp, type Progress } from './progress.ts';
import type { Thresholds } from './thresholds.ts';
import { heldFixes, openPartsOf } from './trips.ts';

/** Steps through fixes that all come after what is derived. */
export async function follow(sql: Sql, owner: Owner, progress: Progress, fixes: readonly Fix[], around: Surroundings): Promise<Written> {
  const outcome = newOutcome();
  for (const fix of fixes) {
    const due = checkpointDue(progress, fix.time);
    if (due !== null) {
      await keepCheckpoint(sql, owner.trackerId, due, freeze(progress.state));
      progress.steps = 0;
    }
    const waiting = advance(progress, fix, around, outcome);
    if (waiting instanceof Promise) await waiting;
  }
  return addFindings(sql, owner, outcome);
}

function advance(progress: Progress, fix: Fix, around: Surroundings, outcome: Outcome): void | Promise<void> {
  progress.at = [fix.time, fix.digest];
  progress.steps++;
  return step(progress.state, fix, around, outcome);
}

export interface Replay {
  written: Written;
  /** Where the machines stand behind the last fix replayed; null when they came to be as before, so that all that follows holds. */
  progress: Progress | null;
  /** All fixes before this moment are replayed; infinite when the last is reached. */
  to: number;
  /** It was broken off: from `to` on, all is to be derived again. */
  isBroken: boolean;
  /** Fixes stepped through. */
  steps: number;
}

/** Fixes of one replay: some tenths of a second of the writer. */
const MOST = 10_000;

/**
 * Derives anew from `time` on, for reports that came after what follows them: up to where nothing changes any more, at most to `last`.
 * What changes all that follows, as the first sign of an ignition does, is broken off when it becomes too much for one transaction.
 */
export async function replay(
  sql: Sql,
  owner: Owner,
  time: number,
  last: readonly [time: number, digest: number],
  around: Surroundings,
): Promise<Replay> {
  return run(sql, owner, await takeUp(sql, owner.trackerId, time), last, around, { settles: true, most: MOST });
}

/** Derives the record anew, whatever stands there, from where `progress` stands; stops after `most` fixes, at the end of a moment. */
export const redo = (
  sql: Sql,
  owner: Owner,
  progress: Progress,
  last: readonly [time: number, digest: number],
  around: Surroundings,
  most: number,
): Promise<Replay> => run(sql, owner, progress, last, around, { settles: false, most });

async function run(
  sql: Sql,
  owner: Owner,
  progress: Progress,
  last: readonly [time: number, digest: number],
  around: Surroundings,
  { settles, most }: { settles: boolean; most: number },
): Promise<Replay> {
  const { trackerId } = owner;
  const from = momentAfter(progress);
  const before = [...heldFixes(progress.state.trips)];
  const outcome = newOutcome();
  let to = Infinity;
  let settled = false;
  let steps = 0;
  // At a checkpoint where it begins, it is in that state of course, unless what stands there is of another time.
  let next = await checkpointAfter(sql, trackerId, settles ? from : from - 1);
  for await (const fix of readFixes(sql, trackerId, from, last)) {
    if (steps >= most && fix.time > (progress.at?.[0] ?? fix.time)) {
      to = fix.time;
      break;
    }
    while (next !== undefined && fix.time >= next.time && !settled) {
      const state = freeze(progress.state);
      settled = settles && state === next.state;
      if (settled) to = next.time;
      else {
        if (state !== next.state) await keepCheckpoint(sql, trackerId, next.time, state);
        progress.steps = 0;
        next = await checkpointAfter(sql, trackerId, next.time);
      }
    }
    if (settled) break;
    const due = checkpointDue(progress, fix.time);
    if (due !== null) {
      await keepCheckpoint(sql, trackerId, due, freeze(progress.state));
      progress.steps = 0;
    }
    const waiting = advance(progress, fix, around, outcome);
    if (waiting instanceof Promise) await waiting;
    steps++;
  }
  const after = to === Infinity ? [] : heldFixes(progress.state.trips);
  const written = await replaceFindings(sql, owner, { from, to }, outcome, { before, after });
  return { written, progress: settled ? null : progress, to, isBroken: to !== Infinity && !settled, steps };
}

/** The trip under way as the tables show it: parts that are not final, where it came to, and when it is over if nothing more is heard. */
export function openTrip({ trips }: MachineState, thresholds: Thresholds): OpenTrip | null {
  const { drive, at, last } = trips;
  if (drive?.opened !== true || at === null || last === null) return null;
  return {
    parts: openPartsOf(trips).map((p) => [p.trip, p.bucket, p.distance, p.driveTime, p.idleTime, p.maxSpeed]),
    end: [at.time, at.latitude, at.longitude],
    silent: last.time + patienceOf(trips, thresholds.gapTime),
  };
}

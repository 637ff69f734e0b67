// How long a tracker may be silent before nobody knows what it did, measured by how often it usually reports.
import { roughDistance } from '../geo/distance.ts';
import type { Seen } from './jumps.ts';
import type { Thresholds } from './thresholds.ts';
import { MOVING, radiusOf, type TripState } from './trip-state.ts';

const MINUTE = 60_000;
export const HOUR = 3_600_000;
/** How many steps in time are kept, how many times as long as those a step may be, and the longest of all. */
const STEPS = 5;
const PATIENCE = 3;
const LONGEST = 48 * HOUR;
/** Straight on at this speed, m/s, for up to an hour, or for some steps where they are long: that was driven. */
const TUNNEL_SPEED = 30 / 3.6;
/** The same for up to half an hour: an underground train, with the way down to it and the wait. */
const UNDERGROUND_SPEED = 15 / 3.6;
const TUNNEL_STEPS = 12;
/** How long a receiver that wakes up may need to find out where it is while its vehicle already drives. */
const WAKING = 120_000;

export const withStep = (steps: readonly number[], step: number): number[] => [...steps.slice(1 - STEPS), step];

/** The second longest step of late, ms: who sends bursts, or was away once, is still known by it. */
function usualStep({ steps }: TripState): number {
  const ordered = steps.toSorted((a, b) => a - b);
  return ordered.at(-2) ?? ordered.at(-1) ?? 0;
}

/** How long a step may be, ms: `least`, or more where the tracker's usual ones are long. */
export const patienceOf = (state: TripState, least: number): number => Math.max(least, Math.min(LONGEST, PATIENCE * usualStep(state)));

/** Whether a step of so many ms is more than the tracker's usual ones and more than `least`: it was silent. */
export const isSilence = (state: TripState, step: number, least: number): boolean => step > least && step > patienceOf(state, least);

/** Whether nobody can know the way from the last fix to this one. */
export function isGap(state: TripState, last: Seen, fix: Seen, thresholds: Thresholds): boolean {
  const { at } = state;
  const step = fix.time - last.time;
  if (at === null || !isSilence(state, step, thresholds.gapTime)) return false;
  const away = roughDistance(at, fix);
  if (away <= radiusOf(fix, thresholds)) return false;
  // It stood where it was last, whether it said so or fell silent on its arrival, and left just now.
  if (fix.speed !== null && fix.speed >= MOVING && away * 1000 <= fix.speed * WAKING) return false;
  if (state.drive === null) return true;
  const isTunnel =
    last.time - at.time <= MINUTE &&
    step <= Math.max(HOUR, Math.min(LONGEST, TUNNEL_STEPS * usualStep(state))) &&
    roughDistance(last, fix) * 1000 >= (step <= HOUR / 2 ? UNDERGROUND_SPEED : TUNNEL_SPEED) * step;
  return !isTunnel;
}

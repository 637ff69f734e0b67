// Whether a fix can have been reached from the one before, and what becomes of those that are doubted: they are held until
// the fixes that follow show whether the tracker went there. Knows nothing of trips.
import { roughDistance } from '../geo/distance.ts';
import type { Thresholds } from './thresholds.ts';

/** What is kept of a fix; null is what the device did not say. Plain JSON. */
export interface Seen {
  time: number;
  digest: number;
  received: number;
  latitude: number;
  longitude: number;
  /** m/s. */
  speed: number | null;
  /** m. */
  accuracy: number | null;
  ignition: number | null;
}

/** So many fixes that follow from each other show that a tracker is where they are, however it came there. */
const ENOUGH = 3;
/** m/s; faster than an airliner in a jet stream. */
const FASTEST = 420;
/** How much faster than it says a vehicle may have been between two fixes. */
const TOLERANCE = 1.5;
/** Who goes that fast goes nearly straight on: the least part of the way that leads away. */
const STRAIGHT = 0.8;
/** m; noise looks fast in a short time. */
const NOISE = 30;

/** m/s; infinite for two places at one moment. */
export const speedBetween = (a: Seen, b: Seen): number => (1000 * roughDistance(a, b)) / (b.time - a.time);

/** `pace`: how fast the tracker is known to go without saying so, m/s. */
export function isReachable(a: Seen, b: Seen, pace: number, { jumpSpeed }: Thresholds): boolean {
  const way = roughDistance(a, b);
  if (way <= Math.max(NOISE, a.accuracy ?? 0, b.accuracy ?? 0)) return true;
  const limit = Math.min(FASTEST, Math.max(jumpSpeed, TOLERANCE * Math.max(pace, a.speed ?? 0, b.speed ?? 0)));
  return way * 1000 <= limit * (b.time - a.time);
}

/** The pace of a step that is believed: 0 unless it is faster than a vehicle that does not say so would be. */
export function paceOf(a: Seen, b: Seen, { jumpSpeed }: Thresholds): number {
  const speed = speedBetween(a, b);
  return speed > jumpSpeed && speed <= FASTEST ? Math.round(speed) : 0;
}

/** Whether the places between lie on the way, so that they are late or early but not wrong. */
export const areOnTheWay = (from: Seen, between: readonly Seen[], to: Seen): boolean => isStraight([from, ...between, to]);

function isStraight(path: readonly Seen[]): boolean {
  let way = 0;
  for (const [i, place] of path.entries()) if (i > 0) way += roughDistance(path[i - 1] as Seen, place);
  return roughDistance(path[0] as Seen, path.at(-1) as Seen) >= STRAIGHT * way;
}

/**
 * Adds `fix` to those in doubt, the oldest first, when it follows from them: neither they nor it can be reached from the last
 * believed one. Tells whether there are enough of them now to be believed, or none of them follows, so that they are jumps.
 */
export function hold(held: Seen[], fix: Seen, thresholds: Thresholds): 'held' | 'believed' | 'jumps' {
  const last = held.at(-1);
  if (last !== undefined && !isReachable(last, fix, 0, thresholds) && !fliesOn(held, fix)) return 'jumps';
  held.push(fix);
  return held.length === ENOUGH ? 'believed' : 'held';
}

/** Too fast for a vehicle that did not say so, but steadily and straight on: an aircraft. */
function fliesOn(held: readonly Seen[], fix: Seen): boolean {
  const path = [...held, fix];
  const speeds = path.slice(1).map((place, i) => speedBetween(path[i] as Seen, place));
  return (
    speeds.every((speed) => speed <= FASTEST && speed <= TOLERANCE * (speeds[0] ?? 0) && speed * TOLERANCE >= (speeds[0] ?? 0)) &&
    isStraight(path)
  );
}

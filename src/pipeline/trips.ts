// Trips of a tracker: a state machine over its fixes that tells standing from driving (driving.ts), driving from not knowing
// (gaps.ts), and a mistaken place from a true one (jumps.ts). What it finds is in `out`; what it returns is the way of the
// tracker, without jitter and jumps. Knows no zones, no sensors but the ignition, and no database.
import { leave, proceed, rest, stop, turn, type Witness } from './driving.ts';
import type { Fix } from './fix.ts';
import { HOUR, isGap, isSilence, withStep } from './gaps.ts';
import { areOnTheWay, hold, isReachable, paceOf, speedBetween, type Seen } from './jumps.ts';
import { settle } from './lingering.ts';
import type { Outcome, Part, Place } from './outcome.ts';
import type { Thresholds } from './thresholds.ts';
import { placeOf, type Moment, type TripState } from './trip-state.ts';

export { newTripState, type TripState } from './trip-state.ts';

export interface Where extends Moment {
  received: number;
  /** m; NaN when the device did not say. */
  accuracy: number;
}

/** The way to a believed fix. */
export interface Leg {
  /** Null for the first fix of all; else where the leg before ended. */
  from: Where | null;
  to: Where;
  /** At rest the tracker stays where it is: jitter is not passed on. Across a gap nobody knows the way. */
  kind: 'rest' | 'drive' | 'gap';
}

/** The last believed fix: what the live view shows. */
export const lastPlace = ({ last }: TripState): { time: number; digest: number } | null => last;

/** The fixes of which it is open whether they are believed, the oldest first. */
export const heldFixes = ({ held }: TripState): readonly { time: number; digest: number }[] => held;

/** The parts of the trip under way that are not final, with all that was driven up to the last place that counts. */
export function openPartsOf({ parts, drive, at }: TripState): Part[] {
  if (drive?.opened !== true || at === null) return parts;
  const soFar = parts.map((part) => ({ ...part }));
  settle(soFar, { ...drive }, at);
  return soFar;
}

const seen = (fix: Fix): Seen => ({
  time: fix.time,
  digest: fix.digest,
  received: fix.received,
  latitude: fix.latitude,
  longitude: fix.longitude,
  // No device measures less than a millimetre a second, and what is kept is kept short.
  speed: orNull(Math.round(fix.speed * 1000) / 1000),
  accuracy: orNull(fix.accuracy),
  ignition: orNull(fix.ignition),
});
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Brings `state` to what it is after `fix`, and returns the way there: nothing while it is in doubt, more than one leg when doubts end. */
export function stepTrip(state: TripState, fix: Fix, thresholds: Thresholds, out: Outcome): Leg[] {
  if (!fix.placed) {
    const ignition = orNull(fix.ignition);
    // What the ignition does must not overtake fixes that are in doubt: they do not get the time to prove true.
    if (ignition !== null && ignition !== state.ignition?.value) dropHeld(state, fix.time, thresholds, out);
    stepWithoutPlace(state, fix, ignition, thresholds, out);
    return [];
  }
  const now = seen(fix);
  const { last, held } = state;
  if (last === null) return [stepPlace(state, now, false, 0, thresholds, out)];
  if (isReachable(last, now, state.pace, thresholds)) {
    if (held.length === 0) return [stepPlace(state, now, false, paceOf(last, now, thresholds), thresholds, out)];
    const isWay = areOnTheWay(last, held, now);
    if (!isWay) dropHeld(state, fix.time, thresholds, out);
    state.held = [];
    return [...(isWay ? held : []), now].map((believed) => stepPlace(state, believed, false, 0, thresholds, out));
  }
  const verdict = hold(held, now, thresholds);
  if (verdict === 'jumps') {
    dropHeld(state, fix.time, thresholds, out);
    state.held = [now];
  }
  if (verdict !== 'believed') return [];
  state.held = [];
  const [first, second] = held as [Seen, Seen];
  const isFlight = isReachable(last, first, speedBetween(first, second), thresholds);
  return held.map((believed, i) =>
    stepPlace(state, believed, i === 0 && !isFlight, paceOf(held[i - 1] ?? last, believed, thresholds), thresholds, out),
  );
}

/** Those in doubt were jumps: of them only counts what was sensed. */
function dropHeld(state: TripState, made: number, thresholds: Thresholds, out: Outcome): void {
  const { held } = state;
  if (held.length > 0) state.held = [];
  for (const jump of held) {
    out.jumps.push({ time: jump.time, digest: jump.digest, made });
    stepWithoutPlace(state, jump, jump.ignition, thresholds, out);
  }
}

function stepWithoutPlace(state: TripState, report: Witness, ignition: number | null, thresholds: Thresholds, out: Outcome): void {
  const { last, drive } = state;
  if (last !== null && drive !== null && isSilence(state, report.time - last.time, Math.max(thresholds.gapTime, HOUR)))
    stop(state, report, out);
  turn(state, report, ignition, thresholds, out);
}

function stepPlace(state: TripState, fix: Seen, isUnknownWay: boolean, pace: number, thresholds: Thresholds, out: Outcome): Leg {
  const { last, shown, at, drive: before } = state;
  if (last === null || shown === null || at === null) {
    rest(state, fix);
    state.last = fix;
    state.shown = placeOf(fix);
    turn(state, fix, fix.ignition, thresholds, out);
    return { from: null, to: whereOf(fix, fix), kind: 'drive' };
  }
  const from = whereOf(last, shown);
  const isUnknown = isUnknownWay || isGap(state, last, fix, thresholds);
  if (isUnknown) {
    stop(state, fix, out);
    rest(state, fix);
  } else if (before === null) leave(state, at, fix, thresholds, out);
  else proceed(state, fix, thresholds, out);
  state.pace = isUnknown ? 0 : pace;
  state.steps = withStep(state.steps, fix.time - last.time);
  state.last = fix;
  turn(state, fix, fix.ignition, thresholds, out);
  const isAtRest = before === null && state.drive === null && state.at === at;
  if (!isAtRest) state.shown = placeOf(fix);
  return { from, to: whereOf(fix, isAtRest ? shown : fix), kind: isUnknown ? 'gap' : isAtRest ? 'rest' : 'drive' };
}

const whereOf = ({ time, received, accuracy }: Seen, { latitude, longitude }: Place): Where => ({
  time,
  latitude,
  longitude,
  received,
  accuracy: accuracy ?? NaN,
});

// Speed limits that are exceeded for a while, and overspeed that a device raises by itself. A part of the sensor machine.
// Speeds are compared in whole mm/s, in which 50 km/h is the same number whoever computed it.
import { ALARM } from '../kinds/alarm.ts';
import { EVENT } from '../kinds/event-type.ts';
import type { Fix } from './fix.ts';
import type { Outcome, Place } from './outcome.ts';
import type { Thresholds } from './thresholds.ts';

/** m/s; in force for what is received from `since` on, ms, up to `until`. */
export type SpeedLimit = readonly [speed: number, since: number, until: number | null];

/** A limit that is being exceeded. */
export interface Excess {
  /** mm/s. */
  limit: number;
  /** How it began, and the highest speed since, mm/s; null once it was told. */
  untold: { time: number; place: Place | null; top: number } | null;
}

interface SpeedState {
  readonly place: Place | null;
  raised: number | null;
  excesses: Excess[];
  sped: number | null;
}

/** By so much, mm/s, must a vehicle be slower than a limit to have gone back below it. */
const SLACK = 1000;
/** The same for an overspeed that a device raised: it does so again, with a lower speed, when the speed is as it should be. */
const RAISED_SLACK = 3000;
/** mm/s; beyond any speed. */
const ANY = 1_000_000;

export function stepSpeed(state: SpeedState, fix: Fix, limits: readonly SpeedLimit[], thresholds: Thresholds, out: Outcome): void {
  if (state.sped !== null && fix.time - state.sped > thresholds.gapTime) forget(state);
  const inForce = limitsAt(limits, fix.received);
  if (inForce.length === 0) stepRaised(state, fix, out);
  else stepLimits(state, fix, inForce, thresholds, out);
}

function forget(state: SpeedState): void {
  state.raised = null;
  state.excesses = [];
  state.sped = null;
}

const NONE: readonly number[] = [];

/** The limits in force, mm/s, lowest first, each once. */
function limitsAt(limits: readonly SpeedLimit[], received: number): readonly number[] {
  if (limits.length === 0) return NONE;
  const inForce: number[] = [];
  for (const limit of limits) {
    // By index, because there may be hundreds that ended, and taking a tuple apart costs ten times as much.
    if (limit[1] > received || (limit[2] !== null && received >= limit[2])) continue;
    const speed = Math.round(limit[0] * 1000);
    if (!inForce.includes(speed)) inForce.push(speed);
  }
  return inForce.toSorted((a, b) => a - b);
}

function stepLimits(state: SpeedState, fix: Fix, inForce: readonly number[], { overspeedTime }: Thresholds, out: Outcome): void {
  state.raised = null;
  if (!fix.placed || Number.isNaN(fix.speed)) return;
  const speed = Math.round(fix.speed * 1000);
  const excesses: Excess[] = [];
  for (const limit of inForce) {
    const excess = state.excesses.find((known) => known.limit === limit) ?? begin(limit, speed, fix.time, state.place);
    if (excess === null || speed <= limit - SLACK) continue;
    excesses.push(excess);
    const { untold } = excess;
    if (untold === null) continue;
    untold.top = Math.max(untold.top, speed);
    // Between the limit and a little less the episode goes on, but is not shown to have lasted.
    if (speed <= limit || fix.time - untold.time < overspeedTime) continue;
    tell(out, fix, untold.time, untold.place, untold.top, limit);
    excess.untold = null;
  }
  state.excesses = excesses;
  state.sped = excesses.length > 0 ? fix.time : null;
}

const begin = (limit: number, speed: number, time: number, place: Place | null): Excess | null =>
  speed > limit ? { limit, untold: { time, place, top: speed } } : null;

/** What the device raises counts where there is no limit to judge by. It lasts until a report without the alarm that is clearly slower. */
function stepRaised(state: SpeedState, fix: Fix, out: Outcome): void {
  state.excesses = [];
  const isRaised = (fix.alarms & ALARM.overspeed) !== 0;
  // Without a fix, or without a speed, there is none to go by.
  const speed = fix.placed ? Math.round(fix.speed * 1000) : NaN;
  if (state.raised === null && isRaised) {
    tell(out, fix, fix.time, state.place, speed, 0);
    state.raised = speed > RAISED_SLACK ? speed - RAISED_SLACK : ANY;
  } else if (state.raised !== null && !isRaised && fix.placed && !(speed >= state.raised)) state.raised = null;
  state.sped = state.raised === null ? null : fix.time;
}

/** `top`: mm/s, NaN when it is not known; told in km/h, to one decimal. */
function tell(out: Outcome, { time: made, received }: Fix, time: number, place: Place | null, top: number, limit: number): void {
  out.events.push({
    type: EVENT.overspeed,
    time,
    discriminator: limit,
    made,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    zone: null,
    value: Number.isNaN(top) ? null : Math.round(top * 0.036) / 10,
    received,
  });
}

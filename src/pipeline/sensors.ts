// What a tracker's sensors tell beside its way: ignition, supply and battery, alarms that the device raised, speed limits exceeded.
// A pure machine over fixes in the order of (time, digest). It knows no trips but for one thing: who tells first that a vehicle is towed.
import { ALARM, type Alarm } from '../kinds/alarm.ts';
import { EVENT, type EventType } from '../kinds/event-type.ts';
import type { Fix } from './fix.ts';
import type { Outcome, Place } from './outcome.ts';
import { stepSpeed, type Excess, type SpeedLimit } from './speeding.ts';
import type { Thresholds } from './thresholds.ts';

/** Plain JSON, always with its members in this order. All but the ignition, the levels and the place is forgotten within minutes. */
export interface SensorState {
  /** Time of the last fix. */
  last: number | null;
  /** Where the tracker was believed to be last. */
  place: Place | null;
  /** Last known: 0 or 1. */
  ignition: number | null;
  /** The last fix raised a panic. */
  panic: boolean;
  supply: Level;
  battery: Level;
  /** Time of the last sign of a towing under way. */
  towed: number | null;
  /** Of an overspeed that the device raised, while it lasts: the speed, mm/s, below which it is over. */
  raised: number | null;
  /** The speed limits that are exceeded, lowest first. */
  excesses: Excess[];
  /** While any speed is exceeded: the time of the last fix that counted. */
  sped: number | null;
}

export const newSensorState = (): SensorState => ({
  last: null,
  place: null,
  ignition: null,
  panic: false,
  supply: null,
  battery: null,
  towed: null,
  raised: null,
  excesses: [],
  sped: null,
});

export type { SpeedLimit };

/** A panic that is raised for longer than this, ms, without a break between fixes is one, but after a silence of this length another. */
const PANIC_PAUSE = 60_000;
/** Volts at which a supply is gone, and above which it is there. */
const NO_SUPPLY = 3;
const SUPPLY = 6;
/** By how many % a battery must have been better than low, to become low again. */
const CHARGED = 10;
/** Signs of towing less than this apart, ms, are of one towing. A truck is loaded in that time. */
const TOWING = 1_800_000;

/**
 * Brings `state` to what it is after `fix`, and pushes the events that it shows. Called after the trip machine, with the same `out`.
 * `place`: where the fix puts the tracker; null when it puts it nowhere: then the last place stands. `limits`: every speed limit there
 * was; those count that were in force when the fix was received.
 */
export function stepSensors(
  state: SensorState,
  fix: Fix,
  place: Readonly<Place> | null,
  limits: readonly SpeedLimit[],
  thresholds: Thresholds,
  out: Outcome,
): void {
  if (place !== null) state.place = { latitude: place.latitude, longitude: place.longitude };
  stepTowing(state, fix, out);
  stepIgnition(state, fix, out);
  stepPanic(state, fix, out);
  const supply = nextLevel(state.supply, raises(fix, 'batteryDisconnected'), fix.power, NO_SUPPLY, SUPPLY);
  if (isGone(supply) && !isGone(state.supply)) tell(out, EVENT.batteryDisconnected, state, fix);
  state.supply = supply;
  const { batteryLow } = thresholds;
  const battery = nextLevel(state.battery, raises(fix, 'batteryLow'), fix.batteryLevel, batteryLow, batteryLow + CHARGED);
  if (isGone(battery) && !isGone(state.battery)) tell(out, EVENT.batteryLow, state, fix, valueOf(fix.batteryLevel));
  state.battery = battery;
  stepSpeed(state, fix, limits, thresholds, out);
  state.last = fix.time;
}

const raises = (fix: Fix, alarm: Alarm): boolean => (fix.alarms & ALARM[alarm]) !== 0;

const valueOf = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** An event of this fix, at the last place. */
function tell(out: Outcome, type: EventType, { place }: SensorState, fix: Fix, value: number | null = null): void {
  out.events.push({
    type,
    time: fix.time,
    discriminator: 0,
    made: fix.time,
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    zone: null,
    value,
    received: fix.received,
  });
}

/** The first known value is no event: nobody knows what was before it. */
function stepIgnition(state: SensorState, fix: Fix, out: Outcome): void {
  const { ignition } = fix;
  if (Number.isNaN(ignition) || ignition === state.ignition) return;
  if (state.ignition !== null) tell(out, ignition === 1 ? EVENT.ignitionOn : EVENT.ignitionOff, state, fix);
  // Whoever turns the key drives: a towing after that is another.
  if (ignition === 1) state.towed = null;
  state.ignition = ignition;
}

function stepPanic(state: SensorState, fix: Fix, out: Outcome): void {
  const isRaised = raises(fix, 'panic');
  const goesOn = state.panic && state.last !== null && fix.time - state.last <= PANIC_PAUSE;
  if (isRaised && !goesOn) tell(out, EVENT.panic, state, fix);
  state.panic = isRaised;
}

/**
 * What is known of a supply or charge: it was seen to be good, it is gone, the device raised an alarm and has not said any level
 * since, or nothing. An event is told where it becomes one of the middle two.
 */
type Level = 'good' | 'gone' | 'raised' | null;

const isGone = (level: Level): boolean => level === 'gone' || level === 'raised';

/**
 * A level that falls to `low` is gone only if it was seen above `good` before. One that is gone stays gone until the device reports a
 * better one; if the device reports none at all, until a report without the alarm. In between, only what was good stays so.
 */
function nextLevel(was: Level, isRaised: boolean, value: number, low: number, good: number): Level {
  const isKnown = !Number.isNaN(value);
  if (isRaised) return isKnown || was === 'good' || was === 'gone' ? 'gone' : 'raised';
  if (!isKnown) return was === 'raised' ? null : was;
  if (value > good) return 'good';
  if (value <= low) return was === null ? null : 'gone';
  return was === 'good' ? 'good' : null;
}

/**
 * The device feels that it is lifted, the trip machine sees that it is moved with the ignition off: who tells first is heard, the other
 * is not, so that there is one event of one towing.
 */
function stepTowing(state: SensorState, fix: Fix, out: Outcome): void {
  if (state.towed !== null && fix.time - state.towed > TOWING) state.towed = null;
  const isRaised = raises(fix, 'towed');
  const seen = fix.time === state.last ? -1 : towingSeen(out, fix.time);
  if (seen >= 0 && state.towed !== null) out.events.splice(seen, 1);
  else if (seen < 0 && isRaised && state.towed === null) tell(out, EVENT.towed, state, fix);
  if (seen >= 0 || isRaised) state.towed = fix.time;
}

/**
 * Where in the outcome the trip machine has put a towing that this fix showed; -1 when it saw none. To be asked of the first fix of a
 * moment only: what `made` says of the others might be of an earlier one, and is there or not as the fixes happened to be split.
 */
function towingSeen({ events }: Outcome, made: number): number {
  for (let i = events.length - 1; i >= 0 && events[i]?.made === made; i--) if (events[i]?.type === EVENT.towed) return i;
  return -1;
}

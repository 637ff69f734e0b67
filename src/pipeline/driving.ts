// Standing and driving: when a drive begins, goes on, proves to be a trip, and ends. A part of the trip machine: fixes come
// to it that are believed and whose way is known.
import { distance, roughDistance } from '../geo/distance.ts';
import { EVENT } from '../kinds/event-type.ts';
import { isSilence } from './gaps.ts';
import type { Seen } from './jumps.ts';
import type { Outcome } from './outcome.ts';
import { linger, settle } from './lingering.ts';
import { finish, finishAll } from './parts.ts';
import type { Thresholds } from './thresholds.ts';
import {
  CREEP,
  MOVING,
  placeOf,
  radiusOf,
  YARDSTICK,
  yardstickOf,
  type Drive,
  type Moment,
  type Spot,
  type TripState,
} from './trip-state.ts';

/** How long it takes to creep so far, ms. */
const YARDSTICK_TIME = (1000 * YARDSTICK) / CREEP;
/** m/s; who leaves a place is taken to have gone at least so fast. */
const WALK = 1.5;
/** How much farther it must lead when the device says that it stands. */
const STANDS = 2;
/** ms; an ignition is believed for so long after it was last reported. */
const IGNITION_STALE = 3_600_000;

/** What an end or a beginning is known by. */
export interface Witness {
  time: number;
  received: number;
}

type Power = 'on' | 'off' | 'unknown';

/** What the ignition says of driving, if it is asked. */
function powerAt({ ignition, wired }: TripState, time: number, { tripSource }: Thresholds): Power {
  if (tripSource === 'movement') return 'unknown';
  if (tripSource === 'ignition') return ignition?.value === 1 ? 'on' : 'off';
  if (ignition === null || !wired || time - ignition.time > IGNITION_STALE) return 'unknown';
  return ignition.value === 1 ? 'on' : 'off';
}

/** From rest: begins a drive when the fix is away from where the tracker rests. */
export function leave(state: TripState, at: Spot, fix: Seen, thresholds: Thresholds, out: Outcome): void {
  const way = roughDistance(at, fix);
  if (way <= radiusOf(fix, thresholds) || fix.time <= at.near) {
    if (way <= yardstickOf(fix)) at.near = fix.time;
    state.strayed = false;
    return;
  }
  const strays = !state.strayed && fix.speed !== null && fix.speed < CREEP && way < thresholds.tripDistance;
  state.strayed = strays;
  if (strays) return;
  begin(state, { ...at, time: departure(fix, way, at.near) }, false);
  proceed(state, fix, thresholds, out);
}

/** When it left a place `way` metres from the fix: not before it was last seen there, and not earlier than it had to. */
const departure = (fix: Seen, way: number, seenAt: number): number =>
  Math.max(seenAt, Math.min(fix.time - 1, Math.round(fix.time - (1000 * way) / Math.max(WALK, fix.speed ?? 0))));

function begin(state: TripState, { time, latitude, longitude }: Moment, ignited: boolean): void {
  state.drive = { time, latitude, longitude, opened: false, ignited, away: 0, about: null, distance: 0, driveTime: 0, maxSpeed: 0 };
  state.at = { time, near: time, latitude, longitude };
  state.peak = null;
  state.strayed = false;
}

/** Comes to rest at a place. What was under way must have been stopped before. */
export function rest(state: TripState, { time, latitude, longitude }: Moment): void {
  state.at = { time, near: time, latitude, longitude };
  state.drive = null;
  state.peak = null;
  state.strayed = false;
}

/** On a drive. */
export function proceed(state: TripState, fix: Seen, thresholds: Thresholds, out: Outcome): void {
  const power = powerAt(state, fix.time, thresholds);
  const standing = power === 'on' ? thresholds.idleLimit : thresholds.stopTime;
  const way = wayOn(state, fix, thresholds);
  if (way > 0) stopUnseen(state, fix, way, standing, out);
  const { drive } = state;
  if (drive === null || !(drive.opened || isAway(state, drive, fix, power, thresholds))) return;
  if (fix.speed !== null) state.peak = Math.max(state.peak ?? 0, fix.speed);
  if (way > 0) add(state, drive, fix, thresholds);
  else if (state.at !== null && roughDistance(state.at, fix) < yardstickOf(fix)) state.at.near = fix.time;
  // Fixes of the moment in which it began lead nowhere.
  const hasDriven = state.at !== null && state.at.time > drive.time;
  if (!drive.opened && hasDriven && leadsAway(drive, fix, thresholds)) confirm(state, drive, fix, power, thresholds, out);
  if (state.drive !== drive) return;
  const { at } = state;
  const stood = drive.opened ? linger(state, drive, fix, thresholds, standing) : null;
  if (stood !== null) {
    state.at = { ...stood, near: fix.time };
    stop(state, fix, out);
  } else if (at !== null && fix.time - at.time >= standing) stop(state, fix, out);
  // A while of going about without leading away: it is at home here.
  else if (!drive.opened && drive.away !== 1 && fix.time - drive.time >= thresholds.idleLimit) rest(state, fix);
  else if (drive.about !== null) finish(state.parts, drive.about.time, fix.time, out.parts);
}

/** How far the fix is from the last place that counts, m; 0 when it is none that counts itself: too near, or too slowly drifting away. */
function wayOn({ at }: TripState, fix: Seen, thresholds: Thresholds): number {
  if (at === null || fix.time <= at.time) return 0;
  const way = roughDistance(at, fix);
  const counts =
    way >= yardstickOf(fix) &&
    (way > radiusOf(fix, thresholds) || way * 1000 >= CREEP * (fix.time - at.time) || (fix.speed ?? 0) >= MOVING);
  return counts ? way : 0;
}

/** When it was silent for long, and came less far than it would have in that time, it stood, and left again. */
function stopUnseen(state: TripState, fix: Seen, way: number, standing: number, out: Outcome): void {
  const { last, at } = state;
  if (last === null || at === null || !isSilence(state, fix.time - last.time, standing)) return;
  const left = departure(fix, way, last.time);
  if (left - at.time < standing) return;
  stop(state, fix, out);
  begin(state, { ...placeOf(at), time: left }, false);
}

/** Whether a drive that is not opened has left where it began. Who comes back there without a trip has never left. */
function isAway(state: TripState, drive: Drive, fix: Seen, power: Power, thresholds: Thresholds): boolean {
  const way = roughDistance(drive, fix);
  if (way > radiusOf(fix, thresholds)) {
    drive.away = Math.min(2, drive.away + 1);
    return true;
  }
  // How long it was seen close to another place, farther out, says nothing of this one.
  const { at } = state;
  const near = way <= yardstickOf(fix) ? fix.time : at?.time === drive.time ? at.near : drive.time;
  if (drive.ignited && power === 'on' && fix.time - drive.time < thresholds.idleLimit) begin(state, drive, true);
  else rest(state, drive);
  if (state.at !== null) state.at.near = near;
  return false;
}

/** Whether a drive leads away far enough to be a trip, which one stray fix does not show. */
function leadsAway(drive: Drive, fix: Seen, thresholds: Thresholds): boolean {
  const { tripDistance } = thresholds;
  const enough = fix.speed !== null && fix.speed < CREEP ? STANDS * tripDistance : tripDistance;
  return drive.away === 2 && roughDistance(drive, fix) > Math.max(radiusOf(fix, thresholds), enough, 2 * (fix.accuracy ?? 0));
}

/** Counts the straight way from the last place that counts to this one. */
function add(state: TripState, drive: Drive, to: Moment, { jumpSpeed }: Thresholds): void {
  const { at: from, peak, pace } = state;
  if (from === null) return;
  const way = Math.round(1000 * distance(from, to));
  // Seen there for longer than it takes to creep away from there, it stood.
  const time = to.time - (from.near - from.time > YARDSTICK_TIME ? from.near : from.time);
  // The first of it may be from before it left.
  const implied = (way - (drive.away === 1 || time < to.time - from.time ? 1000 * YARDSTICK : 0)) / time;
  // A speed that no vehicle has comes of times that are wrong.
  const maxSpeed = Math.round(1000 * (peak ?? (implied <= Math.max(jumpSpeed, pace) ? implied : 0))) / 1000;
  drive.distance += way;
  // At CREEP a millimetre takes a millisecond.
  drive.driveTime += Math.min(time, Math.round(way / CREEP));
  drive.maxSpeed = Math.max(drive.maxSpeed, maxSpeed);
  state.at = { time: to.time, near: to.time, latitude: to.latitude, longitude: to.longitude };
  state.peak = null;
}

/** It leads away far enough: a trip, or a vehicle that moves without its ignition, or both where that may not be connected. */
function confirm(state: TripState, drive: Drive, fix: Seen, power: Power, { tripSource }: Thresholds, out: Outcome): void {
  const { ignition, towed } = state;
  const isOff = ignition?.value === 0 && fix.time - ignition.time <= IGNITION_STALE && tripSource !== 'movement';
  if (isOff && !towed) {
    state.towed = true;
    tell(out, EVENT.towed, fix, fix);
  }
  if (power === 'off') {
    rest(state, fix);
    return;
  }
  const { time, latitude, longitude } = drive;
  drive.opened = true;
  // An ignition that never was on is told of once, not with every trip.
  if (state.wired) state.towed = false;
  out.opened.push({ time, latitude, longitude, made: fix.time });
  tell(out, EVENT.tripStart, drive, fix);
}

/** Ends the drive, if there is one, at the last place that counts. */
export function stop(state: TripState, report: Witness, out: Outcome): void {
  const { drive, at } = state;
  if (drive === null || at === null) return;
  if (drive.opened) {
    settle(state.parts, drive, at);
    finishAll(state.parts, report.time, out.parts);
    out.closed.push({ trip: drive.time, ...placeOf(at), time: at.time, made: report.time });
    tell(out, EVENT.tripEnd, at, report);
  }
  rest(state, at);
}

/** What the ignition says with this report. */
export function turn(state: TripState, report: Witness, value: number | null, thresholds: Thresholds, out: Outcome): void {
  if (value === null) return;
  const before = state.ignition?.value;
  state.ignition = { time: report.time, value };
  if (value === 1) state.wired = true;
  const { drive, last, at, wired } = state;
  const { tripSource } = thresholds;
  if (tripSource === 'movement' || (tripSource === 'auto' && !wired) || last === null || at === null) return;
  if (value === 1) {
    state.towed = false;
    if (before !== 1 && drive === null) begin(state, { ...placeOf(last), time: report.time }, true);
  } else if (drive !== null && (drive.opened || before === 1)) {
    // It ends here and now; what led here from the last place that counts is jitter when it is short.
    const isWay = roughDistance(at, last) >= yardstickOf(last);
    if (drive.opened) add(state, drive, { ...placeOf(isWay ? last : at), time: report.time }, thresholds);
    else rest(state, { ...placeOf(last), time: report.time });
    stop(state, report, out);
  }
}

function tell(
  out: Outcome,
  type: (typeof EVENT)['tripStart' | 'tripEnd' | 'towed'],
  { time, latitude, longitude }: Moment,
  by: Witness,
): void {
  out.events.push({
    type,
    time,
    discriminator: 0,
    made: by.time,
    latitude,
    longitude,
    zone: null,
    value: null,
    received: by.received,
  });
}

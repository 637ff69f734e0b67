// Standing in so much noise that places far enough apart to count follow each other: on a drive, who goes about in one
// neighbourhood for as long as a stop lasts has stopped there. A part of the trip machine.
import { distance, roughDistance } from '../geo/distance.ts';
import type { Seen } from './jumps.ts';
import { addStretch } from './parts.ts';
import type { Part, Place } from './outcome.ts';
import type { Thresholds } from './thresholds.ts';
import { CREEP, radiusOf, YARDSTICK, yardstickOf, type Drive, type Moment, type Neighbourhood, type TripState } from './trip-state.ts';

/** Of latitude and longitude in a degree. */
const UNITS = 1e7;

/** Where fixes are farther apart than this, ms, a stray one is not waited out. */
const SOON = 60_000;

const neighbourhoodOf = ({ time, latitude, longitude }: Moment): Neighbourhood => ({
  time,
  latitude,
  longitude,
  strayed: false,
  count: 0,
  north: 0,
  east: 0,
});

/** Where the fixes in it lie on average. */
const centreOf = ({ latitude, longitude, count, north, east }: Neighbourhood): Place => ({
  latitude: Math.round(latitude * UNITS + north / count) / UNITS,
  longitude: turned(Math.round(longitude * UNITS + east / count) / UNITS),
});

/** Counts what was driven up to the last place that counts. */
export function settle(parts: Part[], drive: Drive, { time: to }: Moment): void {
  const { time, about, distance: driven, driveTime, maxSpeed } = drive;
  addStretch(parts, time, { from: (about ?? drive).time, to, distance: driven, driveTime, maxSpeed });
  drive.distance = 0;
  drive.driveTime = 0;
  drive.maxSpeed = 0;
}

/** Takes note of a fix of an open drive; where and when it came to stand, if it proves to stand in noise. */
export function linger(state: TripState, drive: Drive, fix: Seen, thresholds: Thresholds, standing: number): Moment | null {
  const { parts, at, last } = state;
  if (at === null || last === null) return null;
  let { about } = drive;
  const isOut = about === null || roughDistance(about, fix) > radiusOf(fix, thresholds);
  // One fix that strays has not left. Where the next is long in coming, what is driven is not held back for it.
  if (about !== null && isOut && !about.strayed && fix.time - last.time <= SOON) {
    about.strayed = true;
    return null;
  }
  if (about === null || isOut) {
    settle(parts, drive, at);
    drive.about = about = neighbourhoodOf(at);
  }
  about.strayed = false;
  // One that is too inaccurate to lie elsewhere does not say where it stands either.
  if ((fix.accuracy ?? 0) > thresholds.stopRadius) return null;
  about.count++;
  about.north += Math.round((fix.latitude - about.latitude) * UNITS);
  about.east += Math.round(turned(fix.longitude - about.longitude) * UNITS);
  if (fix.time - about.time < standing) return null;
  const place = centreOf(about);
  const way = roughDistance(about, place);
  const time = about.time + Math.round((1000 * way) / CREEP);
  // Where there is little noise, the last place that counts is where it stands, and when.
  if (at.time <= time || fix.time - time < standing || roughDistance(place, fix) > Math.max(2 * YARDSTICK, yardstickOf(fix))) return null;
  drive.distance = Math.round(1000 * distance(about, place));
  drive.driveTime = time - about.time;
  drive.maxSpeed = 0;
  return { time, ...place };
}

const turned = (degrees: number): number => degrees - 360 * Math.round(degrees / 360);

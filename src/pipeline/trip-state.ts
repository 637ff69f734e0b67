// What the trip machine remembers between fixes, and when two places are one to it.
import type { Seen } from './jumps.ts';
import type { Part, Place } from './outcome.ts';
import type { Thresholds } from './thresholds.ts';

export interface Moment extends Place {
  time: number;
}

/** Where the tracker stands, or came by last. */
export interface Spot extends Moment {
  /** When it was last seen close to it. */
  near: number;
}

/** A place, and when the tracker came there, that it has not led away from since: it may be passing, or stand with much noise. */
export interface Neighbourhood extends Moment {
  /** The last fix lay outside. */
  strayed: boolean;
  /** Fixes since, and the sums of how far north and east of the place they are, in 1e-7 degrees. */
  count: number;
  north: number;
  east: number;
}

/** A drive under way. Until it is opened it may turn out to be none. */
export interface Drive extends Moment {
  opened: boolean;
  /** It began with the ignition. */
  ignited: boolean;
  /** Fixes away from where it began, in a row: 0, 1, or 2 and more. */
  away: number;
  /** Once it is opened: where it goes about. */
  about: Neighbourhood | null;
  /** What was driven and may yet prove to be none, before it was opened or since it goes about there: mm, ms, m/s. */
  distance: number;
  driveTime: number;
  maxSpeed: number;
}

/** Plain JSON, some hundreds of bytes. Nothing in it sums up the past but the drive under way. */
export interface TripState {
  /** The last fix that is believed. */
  last: Seen | null;
  /** Where the way that was passed on ends: at rest it stays while fixes jitter. */
  shown: Place | null;
  /**
   * At rest: where. On a drive: the last place that counts for its distance, and when it came there; where the tracker has been
   * since then is too near to tell from standing there.
   */
  at: Spot | null;
  /** The highest speed that was reported since then, m/s. */
  peak: number | null;
  drive: Drive | null;
  /** Parts of the open trip that are not final. */
  parts: Part[];
  /** The last steps in time between fixes, ms. */
  steps: number[];
  /** m/s, when faster than a vehicle that does not say so would be believed; else 0. */
  pace: number;
  ignition: { time: number; value: number } | null;
  /** The ignition was on once. One that never was is not connected, and says nothing of driving. */
  wired: boolean;
  /** It was told that the tracker is towed. */
  towed: boolean;
  /** The last fix lay away from where the tracker rests, but says that it stands. */
  strayed: boolean;
  /** Fixes in doubt, the oldest first. */
  held: Seen[];
}

export const newTripState = (): TripState => ({
  last: null,
  shown: null,
  at: null,
  peak: null,
  drive: null,
  parts: [],
  steps: [],
  pace: 0,
  ignition: null,
  wired: false,
  towed: false,
  strayed: false,
  held: [],
});

/** m/s; slower is standing, as far as times of driving go, and does not lead away from a place. */
export const CREEP = 1;
/** m/s; who says so certainly moves. */
export const MOVING = 2;

export const placeOf = ({ latitude, longitude }: Place): Place => ({ latitude, longitude });

/** m; places closer to each other are one, so that noise does not add up to distance. */
export const YARDSTICK = 20;
export const yardstickOf = ({ accuracy }: Seen): number => Math.max(YARDSTICK, accuracy ?? 0);

/** Within so many metres of where it stands, the tracker has not moved. */
export const radiusOf = (fix: Seen, { stopRadius }: Thresholds): number => Math.max(stopRadius, yardstickOf(fix));

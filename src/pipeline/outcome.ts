// What the state machines find as they go along. Everything found carries `made`: the time of the fix that showed it, which
// may be well after the moment it tells of. So what a stretch of fixes showed can be found again, and replaced.
import type { EventType } from '../kinds/event-type.ts';

export interface Place {
  latitude: number;
  longitude: number;
}

export interface TripOpening extends Place {
  /** The start: it identifies a trip of a tracker. */
  time: number;
  made: number;
}

export interface TripClosing extends Place {
  /** The start of the trip. */
  trip: number;
  /** The end. */
  time: number;
  made: number;
}

/** What a trip has in one quarter of an hour; sums of whole numbers, so that the order of adding does not matter. */
export interface Part {
  /** The start of the trip. */
  trip: number;
  /** The beginning of the quarter, ms, a multiple of BUCKET. */
  bucket: number;
  /** mm. */
  distance: number;
  /** ms moving and ms standing. */
  driveTime: number;
  idleTime: number;
  /** m/s. */
  maxSpeed: number;
}

export interface FinalPart extends Part {
  made: number;
}

export const BUCKET = 900_000;

export interface DerivedEvent {
  type: EventType;
  time: number;
  /** Tells apart events of one type and moment: the zone and side, the speed limit. */
  discriminator: number;
  made: number;
  latitude: number | null;
  longitude: number | null;
  zone: { id: number; name: string; crossType: 'entry' | 'exit' } | null;
  value: number | null;
  /** When the fix that showed it was received, ms. */
  received: number;
}

export interface Outcome {
  opened: TripOpening[];
  closed: TripClosing[];
  parts: FinalPart[];
  events: DerivedEvent[];
  /** Fixes that no vehicle can have made on its way: kept in the record, marked, and left out. */
  jumps: { time: number; digest: number; made: number }[];
}

export const newOutcome = (): Outcome => ({ opened: [], closed: [], parts: [], events: [], jumps: [] });

// All state machines of a tracker as one: what a fix means for its trips, its sensors and the zones around it. The same steps
// serve reports as they come, late ones that are replayed, and a rebuild; so the same set of positions gives the same findings.
import { stepZones, type ZoneState } from './crossings.ts';
import type { Fix } from './fix.ts';
import type { Outcome } from './outcome.ts';
import { packing } from './packing.ts';
import { newSensorState, stepSensors, type SensorState, type SpeedLimit } from './sensors.ts';
import type { Thresholds } from './thresholds.ts';
import { newTripState, stepTrip, type Leg, type TripState } from './trips.ts';
import type { Nearby, ZoneVersion } from './zone-index.ts';

/** Plain JSON. Two replays that differ only in what is long past come to the same state. */
export interface MachineState {
  trips: TripState;
  sensors: SensorState;
  zones: ZoneState;
}

/** What the machines need to know of the tracker beside its fixes. */
export interface Surroundings {
  thresholds: Thresholds;
  /** Of its overspeed notifications. */
  limits: readonly SpeedLimit[];
  /** Null when the account has no zones and never had. */
  zones: Nearby | null;
}

/** How a state is kept: the names of its members in order. */
const place = { latitude: null, longitude: null } as const;
const seen = { time: null, digest: null, received: null, ...place, speed: null, accuracy: null, ignition: null } as const;
const about = { time: null, ...place, strayed: null, count: null, north: null, east: null } as const;
const drive = {
  time: null,
  ...place,
  opened: null,
  ignited: null,
  away: null,
  about,
  distance: null,
  driveTime: null,
  maxSpeed: null,
} as const;
const part = { trip: null, bucket: null, distance: null, driveTime: null, idleTime: null, maxSpeed: null } as const;

export const { pack: freeze, unpack: thaw } = packing<MachineState>({
  trips: {
    last: seen,
    shown: place,
    at: { time: null, near: null, ...place },
    peak: null,
    drive,
    parts: [part],
    steps: null,
    pace: null,
    ignition: { time: null, value: null },
    wired: null,
    towed: null,
    strayed: null,
    held: [seen],
  },
  sensors: {
    last: null,
    place,
    ignition: null,
    panic: null,
    supply: null,
    battery: null,
    towed: null,
    raised: null,
    excesses: [{ limit: null, untold: { time: null, place, top: null } }],
    sped: null,
  },
  zones: null,
});

export const newMachine = (): MachineState => ({ trips: newTripState(), sensors: newSensorState(), zones: {} });

/**
 * Brings `state` to what it is after `fix`. Fixes come in the order of (time, digest), each once. A promise only where zones have
 * to be read: nearly always they are at hand, and waiting would cost more than looking.
 */
export function step(state: MachineState, fix: Fix, around: Surroundings, out: Outcome): void | Promise<void> {
  const before = countsOf(out);
  const legs = stepTrip(state.trips, fix, around.thresholds, out);
  const finish = (): void => {
    stepSensors(state.sensors, fix, legs.at(-1)?.to ?? null, around.limits, around.thresholds, out);
    // What was in doubt until now is shown by this fix, not by the earlier ones.
    for (const name of FOUND) for (let at = before[name]; at < out[name].length; at++) (out[name][at] as { made: number }).made = fix.time;
  };
  const waiting = around.zones === null ? undefined : cross(state.zones, legs, around.zones, around.thresholds, out);
  return waiting === undefined ? finish() : waiting.then(finish);
}

/** Steps through the ways to the fixes that are believed now. */
function cross(
  state: ZoneState,
  legs: readonly Leg[],
  zones: Nearby,
  thresholds: Thresholds,
  out: Outcome,
): undefined | Promise<undefined> {
  for (const [i, leg] of legs.entries()) {
    const near = zonesOf(zones, leg, state);
    if (near instanceof Promise)
      return near.then((read) => {
        stepZones(state, leg, read, thresholds, out);
        return cross(state, legs.slice(i + 1), zones, thresholds, out);
      });
    stepZones(state, leg, near, thresholds, out);
  }
  return undefined;
}

const FOUND = ['opened', 'closed', 'parts', 'events', 'jumps'] as const;

const countsOf = ({ opened, closed, parts, events, jumps }: Outcome) => ({
  opened: opened.length,
  closed: closed.length,
  parts: parts.length,
  events: events.length,
  jumps: jumps.length,
});

/** The zones that a leg may touch, and those that the tracker is known to be in. */
function zonesOf(zones: Nearby, { from, to, kind }: Leg, known: ZoneState): readonly ZoneVersion[] | Promise<readonly ZoneVersion[]> {
  // Across a gap no way is assumed.
  const along = zones.along(from === null || kind === 'gap' ? to : from, to, to.received);
  let inside: ReturnType<Nearby['byIds']> = [];
  for (const _ in known) {
    inside = zones.byIds(Object.keys(known).map(Number), to.received);
    break;
  }
  if (along instanceof Promise || inside instanceof Promise) return Promise.all([along, inside]).then(([a, b]) => union(a, b));
  return union(along, inside);
}

function union(a: readonly ZoneVersion[], b: readonly ZoneVersion[]): readonly ZoneVersion[] {
  if (b.length === 0) return a;
  return [...new Set([...a, ...b])];
}

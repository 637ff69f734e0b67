// All state machines of a tracker as one: what a fix means for its trips, its sensors and the zones around it. The same steps
// serve reports as they come, late ones that are replayed, and a rebuild; so the same set of positions gives the same findings.
import { stepZones, type ZoneState } from './crossings.ts';
import type { Fix } from './fix.ts';
import type { Outcome, Place } from './outcome.ts';
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

export const newMachine = (): MachineState => ({ trips: newTripState(), sensors: newSensorState(), zones: {} });

/** Brings `state` to what it is after `fix`. Fixes come in the order of (time, digest), each once. */
export async function step(state: MachineState, fix: Fix, { thresholds, limits, zones }: Surroundings, out: Outcome): Promise<void> {
  const before = Object.values(out).map((found) => found.length);
  let place: Place | null = null;
  for (const leg of stepTrip(state.trips, fix, thresholds, out)) {
    place = leg.to;
    if (zones === null) continue;
    const near = zonesOf(zones, leg, state.zones);
    // Waiting costs more than looking: nearly always the zones are at hand.
    stepZones(state.zones, leg, near instanceof Promise ? await near : near, thresholds, out);
  }
  stepSensors(state.sensors, fix, place, limits, thresholds, out);
  // What was in doubt until now is shown by this fix, not by the earlier ones.
  for (const [i, found] of Object.values(out).entries())
    for (let at = before[i] ?? 0; at < found.length; at++) (found[at] as { made: number }).made = fix.time;
}

/** The zones that a leg may touch, and those that the tracker is known to be in. */
function zonesOf(zones: Nearby, { from, to, kind }: Leg, known: ZoneState): readonly ZoneVersion[] | Promise<readonly ZoneVersion[]> {
  // Across a gap no way is assumed.
  const along = zones.along(from === null || kind === 'gap' ? to : from, to, to.received);
  const inside = zones.byIds(Object.keys(known).map(Number), to.received);
  if (along instanceof Promise || inside instanceof Promise) return Promise.all([along, inside]).then(([a, b]) => union(a, b));
  return union(along, inside);
}

function union(a: readonly ZoneVersion[], b: readonly ZoneVersion[]): readonly ZoneVersion[] {
  if (b.length === 0) return a;
  return [...new Set([...a, ...b])];
}

// Which zones a tracker is in, and when it entered and left them: a state machine over the ways between its fixes. A change of
// side counts once it led deep enough or lasted long enough; a fix that strays over the line and comes back is none.
import type { Shape } from '../geo/shape.ts';
import { walk } from '../geo/walk.ts';
import { EVENT } from '../kinds/event-type.ts';
import type { Outcome, Place } from './outcome.ts';
import type { Thresholds } from './thresholds.ts';
import type { Leg } from './trips.ts';
import { isInForce, type ZoneVersion } from './zone-memory.ts';

interface Moment extends Place {
  /** ms. */
  time: number;
}

interface Membership {
  /** The side that counts. */
  inside: boolean;
  /** Where the line was crossed to the other side, while that does not count yet. */
  crossed: Moment | null;
}

/** By the number of the zone: those that the tracker is in, and those whose line it has just crossed. Plain JSON. */
export type ZoneState = Record<string, Membership>;

/**
 * Brings `state` to what it is after `leg`. `zones`: those in force when the end of the leg was received that the leg may touch
 * or the state has; what the state has beyond them is gone, and forgotten. Events are where and when the line was crossed.
 */
export function stepZones(state: ZoneState, leg: Leg, zones: readonly ZoneVersion[], thresholds: Thresholds, out: Outcome): void {
  let left: Set<string> | null = null;
  for (const id in state) (left ??= new Set()).add(id);
  const seen = zones.length > 1 ? new Set<number>() : null;
  for (const zone of zones) {
    if (seen?.has(zone.id) === true) continue;
    seen?.add(zone.id);
    left?.delete(String(zone.id));
    const after = stepZone(state[zone.id], leg, zone, thresholds, out);
    if (after === null) delete state[zone.id];
    else state[zone.id] = after;
  }
  if (left !== null) for (const id of left) delete state[id];
}

/** What is to be remembered of the zone after the leg; null: the tracker is outside. */
function stepZone(known: Membership | undefined, leg: Leg, zone: ZoneVersion, thresholds: Thresholds, out: Outcome): Membership | null {
  const { from, to } = leg;
  const { shape } = zone;
  const isInside = ({ latitude, longitude }: Place): boolean => shape.depth(latitude, longitude) > 0;
  if (from === null) return remembered({ inside: isInside(to), crossed: null });
  // A zone that was made or altered since the last fix finds the tracker where it is: nothing was crossed.
  const before = isInForce(zone, from.received) ? (known ?? OUTSIDE) : { inside: isInside(from), crossed: null };
  // Whether it leads beyond the line is known as well as its worse end is. In a zone that is small, deep is less.
  const accuracy = Math.max(from.accuracy || 0, to.accuracy || 0);
  const margin = Math.min(Math.max(thresholds.zoneMargin, accuracy), shape.size / 4);

  let { inside, crossed } = before;
  for (const side of sidesOf(leg, shape, before, margin)) {
    if (side.inside === inside) {
      crossed = null;
      continue;
    }
    crossed ??= side.start;
    if (side.deepest < margin && side.end - crossed.time < thresholds.zoneDwell) continue;
    inside = side.inside;
    out.events.push({
      type: EVENT.zoneCrossing,
      time: crossed.time,
      discriminator: zone.id * 2 + (inside ? 0 : 1),
      made: to.time,
      latitude: crossed.latitude,
      longitude: crossed.longitude,
      zone: { id: zone.id, name: zone.name, crossType: inside ? 'entry' : 'exit' },
      value: null,
      received: to.received,
    });
    crossed = null;
  }
  return remembered({ inside, crossed });
}

const OUTSIDE: Membership = { inside: false, crossed: null };
const remembered = (membership: Membership): Membership | null => (membership.inside || membership.crossed !== null ? membership : null);

/** A time without a change of side: where it begins, how deep it leads, m, and when it ends, ms. */
interface Side {
  inside: boolean;
  start: Moment;
  deepest: number;
  end: number;
}

function sidesOf({ from, to, kind }: Leg, shape: Shape, { inside, crossed }: Membership, margin: number): Side[] {
  const arrival = { time: to.time, latitude: to.latitude, longitude: to.longitude };
  if (from === null) return [];
  if (kind === 'gap') {
    // Nobody knows the way: it is found on one side or the other, now.
    const depth = shape.depth(to.latitude, to.longitude);
    return [{ inside: depth > 0, start: arrival, deepest: Math.abs(depth), end: to.time }];
  }
  // Who stands stays on the side he was on, and may have been there long enough by now.
  if (from.latitude === to.latitude && from.longitude === to.longitude)
    return [{ inside: crossed === null ? inside : !inside, start: arrival, deepest: 0, end: to.time }];
  const stretches = walk(shape, from, to, margin);
  const dLongitude = to.longitude - from.longitude - 360 * Math.round((to.longitude - from.longitude) / 360);
  const momentAt = (fraction: number): Moment => {
    const longitude = from.longitude + fraction * dLongitude;
    return {
      time: Math.round(from.time + fraction * (to.time - from.time)),
      latitude: from.latitude + fraction * (to.latitude - from.latitude),
      longitude: longitude - 360 * Math.round(longitude / 360),
    };
  };
  return stretches.map((stretch, i) => {
    const next = stretches[i + 1];
    const { inside: isIn, deepest, fraction } = stretch;
    return { inside: isIn, start: momentAt(fraction), deepest, end: next === undefined ? to.time : momentAt(next.fraction).time };
  });
}

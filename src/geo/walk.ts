// A straight way through a shape: which stretches of it are inside and which outside, found by steps no longer than the border
// is away. Knows no times and no zones.
import { wayBetween } from './bounds.ts';
import type { Point } from './polygon.ts';
import type { Shape } from './shape.ts';

export interface Stretch {
  /** Where it begins, as a share of the way: 0 for the first. It ends where the next begins. */
  fraction: number;
  inside: boolean;
  /** How far from the border it leads, m; not searched for beyond `enough`. */
  deepest: number;
}

const RADIAN = Math.PI / 180;
/** More metres than any degree of latitude, or of longitude at the equator, has. */
const DEGREE = 111_700;
/** The step where the border is, m; a shape that is narrower takes smaller ones, down to the least. */
const STEP = 2;
const LEAST_STEP = 0.1;
/** Less than the whole distance to the border, because that is known to a percent only. */
const CAUTION = 0.97;
/** After so many steps each further lot of them is twice as long: a way of a thousand kilometres along a border ends, too. */
const LOT = 200;
/** To how many metres along the way the deepest place is found. */
const EXACT = 0.1;

/** The way is straight in longitude and latitude, the short way round. `enough`: whether a stretch leads this deep must be found, m. */
export function walk(shape: Shape, from: Point, to: Point, enough: number): Stretch[] {
  const { x, y, dx, dy } = wayBetween(from, to);
  // Metres of the way, or more: as if all of it were where its degrees of longitude are longest.
  const equator = y * (y + dy) <= 0 ? 0 : Math.min(Math.abs(y), Math.abs(y + dy));
  const length = DEGREE * Math.hypot(dx * Math.cos(equator * RADIAN), dy);
  const depthAt = (t: number): number => shape.depth(t === 1 ? to.latitude : y + t * dy, t === 1 ? to.longitude : x + t * dx);

  let depth = shape.depth(from.latitude, from.longitude);
  let stretch: Stretch = { fraction: 0, inside: depth > 0, deepest: Math.abs(depth) };
  const stretches = [stretch];
  if (length === 0 || (CAUTION * stretch.deepest > length && stretch.deepest >= enough)) return stretches;
  let least = Math.max(LEAST_STEP, Math.min(STEP, shape.size / 4));
  for (let t = 0, steps = 1; t < 1; steps++) {
    if (steps % LOT === 0) least *= 2;
    const next = Math.min(1, t + Math.max(least, CAUTION * Math.abs(depth)) / length);
    const there = depthAt(next);
    if (there > 0 === stretch.inside) {
      stretch.deepest = Math.max(stretch.deepest, Math.abs(there));
      const reach = (Math.abs(depth) + Math.abs(there) + (next - t) * length) / 2;
      if (stretch.deepest < enough && reach > enough) stretch.deepest = Math.max(stretch.deepest, summit(depthAt, t, next, length));
    } else {
      // So near to the border the distance to it changes evenly.
      const fraction = t + ((next - t) * Math.abs(depth)) / (Math.abs(depth) + Math.abs(there));
      stretch = { fraction, inside: !stretch.inside, deepest: Math.abs(there) };
      stretches.push(stretch);
    }
    t = next;
    depth = there;
  }
  return stretches;
}

/** The greatest distance from the border between two places on one side, taking it to rise and then to fall. */
function summit(depthAt: (t: number) => number, low: number, high: number, length: number): number {
  while ((high - low) * length > EXACT) {
    const third = (high - low) / 3;
    if (Math.abs(depthAt(low + third)) < Math.abs(depthAt(high - third))) low += third;
    else high -= third;
  }
  return Math.abs(depthAt((low + high) / 2));
}

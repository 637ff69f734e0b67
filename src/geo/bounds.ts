// Boxes of longitude and latitude, and whether a straight way touches one. Knows no shapes.
import type { Point } from './polygon.ts';

/**
 * Degrees. -90 <= south <= north <= 90; -180 <= west <= 180, and east is west or up to 360 more: it goes on over the 180th
 * meridian. South above north: nowhere.
 */
export interface Bounds {
  south: number;
  north: number;
  west: number;
  east: number;
}

/** A way between two places, straight in longitude and latitude, the short way round: from (x, y) by (dx, dy), in degrees. */
export interface Way {
  x: number;
  y: number;
  dx: number;
  dy: number;
}

export function wayBetween(from: Point, to: Point): Way {
  const dx = to.longitude - from.longitude;
  return { x: from.longitude, y: from.latitude, dx: dx - 360 * Math.round(dx / 360), dy: to.latitude - from.latitude };
}

/** Degrees, a tenth of a millimetre: what rounding may have taken from a box that a place lies on the edge of. */
const ROUNDING = 1e-9;

export function touches({ south, north, west, east }: Bounds, { x, y, dx, dy }: Way): boolean {
  if (Math.max(y, y + dy) < south - ROUNDING || Math.min(y, y + dy) > north + ROUNDING) return false;
  const least = Math.min(x, x + dx);
  const most = Math.max(x, x + dx);
  const last = Math.floor((east + ROUNDING - least) / 360);
  for (let turn = Math.ceil((west - ROUNDING - most) / 360); turn <= last; turn++) {
    // The box lies on both sides of the line through the way, or its farthest corner is on it.
    const across = dx * ((south + north) / 2 - y) - dy * ((west + east) / 2 - x - 360 * turn);
    const reach = Math.abs(dx) * ((north - south) / 2 + ROUNDING) + Math.abs(dy) * ((east - west) / 2 + ROUNDING);
    if (Math.abs(across) <= reach) return true;
  }
  return false;
}

/** Whether two boxes have a place in common, if only on an edge. */
export function overlap(a: Bounds, b: Bounds): boolean {
  if (a.south > b.north + ROUNDING || b.south > a.north + ROUNDING) return false;
  // The first turn that takes b's eastern end behind a's western one.
  const turned = 360 * Math.ceil((a.west - ROUNDING - b.east) / 360);
  return b.west + turned <= a.east + ROUNDING;
}

// The ground that the demo stands on: a flat plane in metres around one place, and lines upon it. Knows no roads.

/** Metres east (x) and north (y) of the origin. */
export interface Point {
  readonly x: number;
  readonly y: number;
}
export type Line = readonly Point[];

/**
 * Where the invented town lies: the Great Hungarian Plain west of Debrecen. It is inland and flat, in the middle of Europe, and so thinly settled
 * that invented streets cross hardly any real ones. The town has no model in the world.
 */
const origin = { latitude: 47.55, longitude: 20.96 };

// Metres in a degree at the latitude of the origin, on the WGS 84 ellipsoid.
const metresNorth = 111_183.5;
const metresEast = 75_324.6;

export function toDegrees(at: Point): { latitude: number; longitude: number } {
  return { latitude: origin.latitude + at.y / metresNorth, longitude: origin.longitude + at.x / metresEast };
}

export function toPlane(latitude: number, longitude: number): Point {
  return { x: (longitude - origin.longitude) * metresEast, y: (latitude - origin.latitude) * metresNorth };
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y);
}

export function lengthOf(line: Line): number {
  let sum = 0;
  eachSegment(line, (a, b) => (sum += distance(a, b)));
  return sum;
}

/** The point at a share of the way from a (0) to b (1). */
export function along(a: Point, b: Point, share: number): Point {
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
}

/** The point at an angle (radians, counter-clockwise from east) and distance. */
export function polar(centre: Point, angle: number, radius: number): Point {
  return { x: centre.x + radius * Math.cos(angle), y: centre.y + radius * Math.sin(angle) };
}

export function eachSegment(line: Line, visit: (a: Point, b: Point, index: number) => void): void {
  for (let i = 1; i < line.length; i++) {
    const a = line[i - 1];
    const b = line[i];
    if (a !== undefined && b !== undefined) visit(a, b, i - 1);
  }
}

/** The ends of a line; a line without points is a mistake of the caller. */
export function ends(line: Line): [Point, Point] {
  const [first] = line;
  const last = line.at(-1);
  if (first === undefined || last === undefined) throw new RangeError('a line without points');
  return [first, last];
}

/** Where two segments cross, as shares of the way along each; null when they do not. */
export function crossing(a: Point, b: Point, c: Point, d: Point): [number, number] | null {
  const det = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x);
  if (Math.abs(det) < 1e-9) return null;
  const t = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / det;
  const u = ((c.x - a.x) * (b.y - a.y) - (c.y - a.y) * (b.x - a.x)) / det;
  return t >= 0 && t <= 1 && u >= 0 && u <= 1 ? [t, u] : null;
}

/** Metres from a point to the nearest place of the segment from a to b. */
export function distanceToSegment(at: Point, a: Point, b: Point): number {
  const square = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
  const share = square === 0 ? 0 : ((at.x - a.x) * (b.x - a.x) + (at.y - a.y) * (b.y - a.y)) / square;
  return distance(at, along(a, b, Math.min(1, Math.max(0, share))));
}

/** A smooth curve through the given points (Catmull-Rom), with a vertex about every `step` metres and at each given point exactly. */
export function curve(through: Line, step: number): Point[] {
  const [first, last] = ends(through);
  const line: Point[] = [first];
  eachSegment(through, (a, b, i) => {
    const before = through[i - 1] ?? a;
    const after = through[i + 2] ?? b;
    const count = Math.max(1, Math.round(distance(a, b) / step));
    for (let k = 1; k < count; k++)
      line.push({ x: spline(before.x, a.x, b.x, after.x, k / count), y: spline(before.y, a.y, b.y, after.y, k / count) });
    line.push(b === last ? last : b);
  });
  return line;
}

function spline(p0: number, p1: number, p2: number, p3: number, t: number): number {
  return p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
}

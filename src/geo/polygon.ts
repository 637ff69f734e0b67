// The shape of a ring of points on the earth, as plane geometry in degrees with the 180th meridian unrolled.
// Knows no zones. Crossing is a matter of order, not of distance, so degrees serve.

export interface Point {
  latitude: number;
  longitude: number;
}

type Place = readonly [x: number, y: number];

/** How many different places there are; -180 and 180 are one meridian. */
export function distinctPoints(points: readonly Point[]): number {
  return new Set(points.map(({ latitude, longitude }) => `${latitude + 0},${longitude === -180 ? 180 : longitude + 0}`)).size;
}

/** Longitudes made continuous, each step the short way round: from 179 to -179 is 2 degrees east. */
export function unroll(points: readonly Point[]): Place[] {
  let turns = 0;
  let last = 0;
  return points.map(({ latitude, longitude }, i) => {
    if (i > 0) turns -= Math.round((longitude - last) / 360);
    last = longitude;
    // Whole turns are added to the longitude as it is, so that the same point comes out the same however it was reached.
    return [longitude + 360 * turns, latitude];
  });
}

/** True when two edges of the closed ring meet anywhere but at the corner that neighbours share, or an edge folds back on itself. */
export function edgesCross(points: readonly Point[]): boolean {
  const ring = unroll(points).filter((place, i, all) => i === 0 || !same(place, all[i - 1] as Place));
  const [first, last] = [ring[0], ring.at(-1)];
  if (ring.length > 1 && first !== undefined && last !== undefined && same([(first[0] - last[0]) % 360, first[1] - last[1]], [0, 0]))
    ring.pop();
  const count = ring.length;
  // The edges in the order of their western ends: only those whose spans of longitude overlap can meet.
  const edges = ring
    .map((from, i) => {
      const to = ring[(i + 1) % count] as Place;
      return { i, from, to: i === count - 1 ? close(from, to) : to };
    })
    .map((edge) => ({ ...edge, west: Math.min(edge.from[0], edge.to[0]), east: Math.max(edge.from[0], edge.to[0]) }))
    .toSorted((a, b) => a.west - b.west);
  return edges.some((a, n) => {
    for (let m = n + 1; m < edges.length; m++) {
      const b = edges[m] as (typeof edges)[number];
      if (b.west > a.east) return false;
      const apart = Math.abs(a.i - b.i);
      const [earlier, later] = a.i < b.i === (apart === 1) ? [a, b] : [b, a];
      if (apart === 1 || apart === count - 1) {
        if (count > 2 && foldsBack(earlier.from, earlier.to, later.to)) return true;
      } else if (meet(a.from, a.to, b.from, b.to)) return true;
    }
    return false;
  });
}

/** The end of the last edge, the short way from `from` to the first corner. A ring around a pole ends a turn away from where it began. */
const close = (from: Place, first: Place): Place => [
  from[0] + (first[0] - from[0] - 360 * Math.round((first[0] - from[0]) / 360)),
  first[1],
];

const same = (a: Place, b: Place): boolean => a[0] === b[0] && a[1] === b[1];

/** Twice the signed area of a triangle: positive when it turns left. */
const turn = (a: Place, b: Place, c: Place): number => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/** Two edges with a shared corner run over each other. */
function foldsBack(a: Place, corner: Place, b: Place): boolean {
  const [ax, ay] = [a[0] - corner[0], a[1] - corner[1]];
  const [bx, by] = [b[0] - corner[0], b[1] - corner[1]];
  return ax * by - ay * bx === 0 && ax * bx + ay * by > 0;
}

function within(a: Place, b: Place, p: Place): boolean {
  return Math.min(a[0], b[0]) <= p[0] && p[0] <= Math.max(a[0], b[0]) && Math.min(a[1], b[1]) <= p[1] && p[1] <= Math.max(a[1], b[1]);
}

function meet(a: Place, b: Place, c: Place, d: Place): boolean {
  const [c1, d1, a1, b1] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  if (Math.sign(c1) * Math.sign(d1) < 0 && Math.sign(a1) * Math.sign(b1) < 0) return true;
  return (c1 === 0 && within(a, b, c)) || (d1 === 0 && within(a, b, d)) || (a1 === 0 && within(c, d, a)) || (b1 === 0 && within(c, d, b));
}

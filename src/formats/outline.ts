// The outline of a zone as plane figures in degrees, for GeoJSON, KML and the map of the HTML pages; and how figures are cut
// where they cross the 180th meridian. Knows no format.
import { unroll, type Point } from '../geo/polygon.ts';

/** Longitude, latitude; the longitude of an outline runs on beyond 180 rather than jump. */
export type Place = readonly [x: number, y: number];

/** A ring is not closed: its last place is not its first. */
export interface Outline {
  type: 'ring' | 'line';
  places: Place[];
}

/** The parts of a zone that make its shape. */
export interface Shape {
  /** `polygon`, `circle` or `corridor`. */
  type: string;
  points: readonly Point[];
  radius?: number | null;
}

const CIRCLE_CORNERS = 64;
/** Mean radius of the earth, metres (IUGG). */
const EARTH = 6_371_008.8;

/** A circle becomes a ring of 64 corners; a corridor its middle line, to which its radius belongs. */
export function outlineOf({ type, points, radius }: Shape): Outline {
  if (type === 'corridor') return { type: 'line', places: unroll(points) };
  const centre = points[0];
  if (type === 'polygon' || centre === undefined) return { type: 'ring', places: aroundPole(points) };
  return { type: 'ring', places: aroundPole(circleAround(centre, radius ?? 0)) };
}

/** On the sphere, counterclockwise. */
function circleAround({ latitude, longitude }: Point, radius: number): Point[] {
  const [lat, lon, arc] = [radians(latitude), radians(longitude), radius / EARTH];
  return Array.from({ length: CIRCLE_CORNERS }, (_, i) => {
    const bearing = (-2 * Math.PI * i) / CIRCLE_CORNERS;
    const y = Math.asin(Math.sin(lat) * Math.cos(arc) + Math.cos(lat) * Math.sin(arc) * Math.cos(bearing));
    const x = lon + Math.atan2(Math.sin(bearing) * Math.sin(arc) * Math.cos(lat), Math.cos(arc) - Math.sin(lat) * Math.sin(y));
    return { latitude: degrees(y), longitude: wrap(degrees(x)) };
  });
}

/** A ring that runs round the earth holds the nearer pole: in the plane it has to be led along that edge of the map. */
function aroundPole(points: readonly Point[]): Place[] {
  const first = points[0];
  if (first === undefined) return [];
  const closed = unroll([...points, first]);
  const [start, end] = [closed[0] as Place, closed.pop() as Place];
  if (Math.abs(end[0] - start[0]) < 180) return closed;
  const pole = points.reduce((sum, { latitude }) => sum + latitude, 0) < 0 ? -90 : 90;
  return [...closed, end, [end[0], pole], [start[0], pole]];
}

/** An outline in pieces that each lie within -180 and 180 degrees (RFC 7946, section 3.1.9). Rings are counterclockwise and not closed. */
export function cutAtMeridian({ type, places }: Outline): Place[][] {
  const cut = type === 'ring' ? cutRing : cutLine;
  const xs = places.map(([x]) => x);
  const east = xs.reduce((a, b) => Math.max(a, b), -Infinity);
  let world = Math.floor((xs.reduce((a, b) => Math.min(a, b), Infinity) + 180) / 360);
  let rest = [places];
  const pieces: Place[][] = [];
  for (; rest.length > 0; world++) {
    const border = 180 + 360 * world;
    const halves = east > border ? rest.map((piece) => cut(piece, border)) : [{ west: rest, east: [] }];
    for (const { west } of halves) pieces.push(...west.map((piece) => piece.map(([x, y]): Place => [x - 360 * world, y])));
    rest = halves.flatMap((half) => half.east);
  }
  return type === 'ring' ? pieces.map((ring) => (area(ring) < 0 ? ring.toReversed() : ring)) : pieces;
}

interface Halves {
  west: Place[][];
  east: Place[][];
}

/** A stretch of the outline on one side of the border, from where it enters that side to where it leaves it. */
interface Stretch {
  eastern: boolean;
  places: Place[];
}

/** The outline's stretches on either side. What lies on the border counts as east of it. */
function stretches(places: readonly Place[], border: number): Stretch[] {
  const all: Stretch[] = [];
  let current: Stretch | null = null;
  let last: Place | null = null;
  for (const place of places) {
    const eastern = place[0] >= border;
    if (current === null || last === null) all.push((current = { eastern, places: [] }));
    else if (current.eastern !== eastern) {
      const crossing: Place = [border, last[1] + ((place[1] - last[1]) * (border - last[0])) / (place[0] - last[0])];
      current.places.push(crossing);
      all.push((current = { eastern, places: [crossing] }));
    }
    current.places.push(place);
    last = place;
  }
  return all;
}

function cutLine(line: readonly Place[], border: number): Halves {
  const halves: Halves = { west: [], east: [] };
  for (const { eastern, places } of stretches(line, border)) {
    const clean = withoutRepeats(places);
    if (clean.length > 1) halves[eastern ? 'east' : 'west'].push(clean);
  }
  return halves;
}

/**
 * Where the border is crossed, in the order of latitude, the ring's inside lies between the first and the second crossing, the third and
 * the fourth, and so on: along these the stretches of each side are joined to rings.
 */
function cutRing(ring: readonly Place[], border: number): Halves {
  const first = ring[0];
  if (first === undefined) return { west: [], east: [] };
  const all = stretches([...ring, first], border);
  // The ring begins in the middle of a stretch, which therefore came out in two parts.
  const [head, tail] = [all[0], all.at(-1)];
  if (all.length > 1 && head !== undefined && tail !== undefined) {
    all.shift();
    tail.places.push(...head.places.slice(1));
  }
  if (all.length === 1) return head?.eastern === true ? { west: [], east: [[...ring]] } : { west: [[...ring]], east: [] };

  const crossings = all
    .map((stretch, i) => ({ y: (stretch.places[0] as Place)[1], begins: stretch, ends: all.at(i - 1) as Stretch }))
    .toSorted((a, b) => a.y - b.y);
  for (let i = 1; i + 1 < crossings.length; i++) {
    // Eastward and westward crossings alternate; two at the same latitude may have been sorted the wrong way round.
    const [before, here, next] = [crossings[i - 1], crossings[i], crossings[i + 1]] as [
      (typeof crossings)[0],
      (typeof crossings)[0],
      (typeof crossings)[0],
    ];
    if (here.begins.eastern === before.begins.eastern && next.y === here.y) [crossings[i], crossings[i + 1]] = [next, here];
  }
  const following = new Map<Stretch, Stretch>();
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    const [a, b] = [crossings[i], crossings[i + 1]] as [(typeof crossings)[0], (typeof crossings)[0]];
    following.set(a.ends, b.begins).set(b.ends, a.begins);
  }
  const halves: Halves = { west: [], east: [] };
  const left = new Set(all);
  for (const start of all) {
    const places: Place[] = [];
    for (let stretch: Stretch | undefined = start; stretch !== undefined && left.delete(stretch); stretch = following.get(stretch))
      places.push(...stretch.places);
    const clean = withoutRepeats(places, true);
    if (clean.length > 2 && area(clean) !== 0) halves[start.eastern ? 'east' : 'west'].push(clean);
  }
  return halves;
}

function withoutRepeats(places: readonly Place[], closed = false): Place[] {
  const clean = places.filter((place, i) => i === 0 || !same(place, places[i - 1] as Place));
  while (closed && clean.length > 1 && same(clean[0] as Place, clean.at(-1) as Place)) clean.pop();
  return clean;
}

/** Twice the signed area: positive when the ring runs counterclockwise. */
function area(ring: readonly Place[]): number {
  const origin = ring[0] ?? [0, 0];
  return ring.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = ring[(i + 1) % ring.length] as Place;
    return sum + (x - origin[0]) * (nextY - origin[1]) - (nextX - origin[0]) * (y - origin[1]);
  }, 0);
}

const same = (a: Place, b: Place): boolean => a[0] === b[0] && a[1] === b[1];
const radians = (angle: number): number => (angle * Math.PI) / 180;
const degrees = (angle: number): number => (angle * 180) / Math.PI;
const wrap = (longitude: number): number => longitude - 360 * Math.round(longitude / 360);

// The shape of a zone, made ready to be asked how deep inside it a place lies. Edges are straight in longitude and latitude
// (RFC 7946, 3.1.1) and take the short way round. Knows no zones, names or versions.
import type { Bounds } from './bounds.ts';
import { distance } from './distance.ts';
import { unroll, type Point } from './polygon.ts';

export type ShapeType = 'polygon' | 'circle' | 'corridor';

export interface Shape {
  /** Holds every place of the shape. */
  readonly bounds: Bounds;
  /** The width of its narrow side, m: of a polygon, that of the rectangle with its area and circumference. */
  readonly size: number;
  /** How much memory it takes: the number of its straight pieces. */
  readonly weight: number;
  /**
   * The distance to the border in metres, positive inside, negative outside. Within 10 km of it right to centimetres; from a
   * place to another it changes by no more than the distance between them, but for a percent on shapes as large as continents.
   */
  depth(latitude: number, longitude: number): number;
}

const RADIAN = Math.PI / 180;
/** WGS 84: half the major axis in metres, and the square of the first eccentricity. */
const A = 6_378_137;
const E2 = 6.694379990141316e-3;
/** The smallest and the largest radius of curvature on the ellipsoid: along the meridian at the equator and at a pole. */
const LEAST_RADIUS = A * (1 - E2);
const MOST_RADIUS = A / Math.sqrt(1 - E2);
/** Degrees. A longer edge is cut: on so short a piece the nearest place is where a flat map shows it. */
const PIECE = 15;
/** Metres; beyond, distances are measured on the ellipsoid, not on a map of the surroundings. */
const NEAR = 10_000;
/** Radians; so near, a sine is its angle to a ten millionth. */
const FLAT = 1e-3;

/** `radius` in metres, of a circle, or half the width of a corridor; a polygon has none. A shape without points is nowhere. */
export function compileShape(type: ShapeType, points: readonly Point[], radius: number | null): Shape {
  const isPolygon = type === 'polygon';
  const line = unroll(isPolygon ? [...points, ...points.slice(0, 1)] : points);
  const pieces = cut(line);
  const turns = isPolygon ? Math.round(((line.at(-1)?.[0] ?? 0) - (line[0]?.[0] ?? 0)) / 360) : 0;
  const pole = turns % 2 === 0 ? 0 : poleWithin(pieces);
  const width = radius ?? 0;
  return new Compiled(
    pieces,
    isPolygon ? null : width,
    pole,
    boundsOf(line, isPolygon ? 0 : width, pole),
    isPolygon ? narrowSide(pieces, pole) : 2 * width,
  );
}

class Compiled implements Shape {
  readonly bounds: Bounds;
  readonly size: number;
  /** [x, y, x, y] of each piece, degrees, one after the other. */
  readonly #pieces: readonly number[];
  /** Null: a polygon. */
  readonly #radius: number | null;
  readonly #aroundNorth: boolean;

  constructor(pieces: readonly number[], radius: number | null, pole: number, bounds: Bounds, size: number) {
    this.#pieces = pieces;
    this.#radius = radius;
    this.#aroundNorth = pole > 0;
    this.bounds = bounds;
    this.size = size;
  }

  get weight(): number {
    return this.#pieces.length / 4;
  }

  depth(latitude: number, longitude: number): number {
    const metres = distanceTo(this.#pieces, latitude, longitude);
    if (this.#radius !== null) return this.#radius - metres;
    return isOddNorth(this.#pieces, latitude, longitude) === this.#aroundNorth ? -metres : metres;
  }
}

/** The edges as pieces of at most PIECE degrees either way; one point is a piece without length. */
function cut(line: readonly (readonly [x: number, y: number])[]): number[] {
  const pieces: number[] = [];
  const only = line[0];
  if (only !== undefined && line.length === 1) return [...only, ...only];
  for (let i = 0; i + 1 < line.length; i++) {
    const [[x, y], [endX, endY]] = [line[i], line[i + 1]] as [readonly [number, number], readonly [number, number]];
    const count = Math.max(1, Math.ceil(Math.max(Math.abs(endX - x), Math.abs(endY - y)) / PIECE));
    let [lastX, lastY] = [x, y];
    for (let n = 1; n <= count; n++) {
      const [nextX, nextY] = n === count ? [endX, endY] : [x + ((endX - x) * n) / count, y + ((endY - y) * n) / count];
      pieces.push(lastX, lastY, nextX, nextY);
      [lastX, lastY] = [nextX, nextY];
    }
  }
  return pieces;
}

/** Whether the meridian from a place to the north pole crosses the pieces an odd number of times. */
function isOddNorth(pieces: readonly number[], latitude: number, longitude: number): boolean {
  let odd = false;
  for (let i = 0; i < pieces.length; i += 4) {
    const ax = pieces[i] as number;
    const bx = pieces[i + 2] as number;
    const x = longitude + 360 * Math.round(((ax + bx) / 2 - longitude) / 360);
    if (x >= ax === x >= bx) continue;
    const ay = pieces[i + 1] as number;
    const by = pieces[i + 3] as number;
    if (ay + ((x - ax) / (bx - ax)) * (by - ay) > latitude) odd = !odd;
  }
  return odd;
}

/** Metres from a place to the nearest of the pieces. */
function distanceTo(pieces: readonly number[], latitude: number, longitude: number): number {
  const sin = Math.sin(latitude * RADIAN);
  const cos = Math.max(0, Math.cos(latitude * RADIAN));
  // Radii of curvature at the place, across and along its meridian.
  const across = A / Math.sqrt(1 - E2 * sin * sin);
  const along = (across * (1 - E2)) / (1 - E2 * sin * sin);
  let best = Infinity;
  let bestX = 0;
  let bestY = 0;
  for (let i = 0; i < pieces.length; i += 4) {
    const turned = longitude + 360 * Math.round((((pieces[i] as number) + (pieces[i + 2] as number)) / 2 - longitude) / 360);
    const x = ((pieces[i] as number) - turned) * RADIAN;
    const y = ((pieces[i + 1] as number) - latitude) * RADIAN;
    const dx = ((pieces[i + 2] as number) - turned) * RADIAN - x;
    const dy = ((pieces[i + 3] as number) - latitude) * RADIAN - y;
    if (LEAST_RADIUS * apart(y, dy) > best) continue;
    const far = Math.min(apart(x, dx), Math.PI / 2);
    // Never more than the distance to the nearest meridian of the piece.
    if (LEAST_RADIUS * cos * far * (1 - (far * far) / 6) > best) continue;

    // The nearest place on a flat map of the surroundings; farther off, then on one with the scale that holds half way to there.
    const isFlat = Math.abs(x) < FLAT && Math.abs(x + dx) < FLAT && Math.abs(y) < FLAT && Math.abs(y + dy) < FLAT;
    let scale = across * cos;
    let t = 0;
    for (let rounds = isFlat ? 1 : 2; rounds > 0; rounds--) {
      const ex = scale * dx;
      const ey = along * dy;
      const square = ex * ex + ey * ey;
      t = square > 0 ? Math.min(1, Math.max(0, -(scale * x * ex + along * y * ey) / square)) : 0;
      const up = y + t * dy;
      const cosThere = isFlat ? cos * (1 - (up * up) / 2) - sin * up : Math.cos(latitude * RADIAN + up);
      scale = across * Math.sqrt(Math.max(0, cos * cosThere));
    }
    // The haversine, with a radius for either direction.
    const right = (x + t * dx) / 2;
    const up = (y + t * dy) / 2;
    const east = 2 * scale * (isFlat ? right : Math.sin(right));
    const north = 2 * along * (isFlat ? up : Math.sin(up));
    const straight = Math.sqrt(east * east + north * north);
    const metres = straight < NEAR ? straight : 2 * across * Math.asin(Math.min(1, straight / (2 * across)));
    if (metres >= best) continue;
    best = metres;
    bestX = (x + t * dx) / RADIAN + longitude;
    bestY = latitude + (y + t * dy) / RADIAN;
  }
  if (best < NEAR || best === Infinity) return best;
  return distance({ latitude, longitude }, { latitude: Math.min(90, Math.max(-90, bestY)), longitude: bestX });
}

/** How far 0 is from the span that begins at `from` and is `length` long. */
const apart = (from: number, length: number): number => {
  const to = from + length;
  if (from > 0 && to > 0) return Math.min(from, to);
  return from < 0 && to < 0 ? -Math.max(from, to) : 0;
};

/** Of a ring around both poles, the one on its smaller side: 1 north, -1 south. */
const poleWithin = (pieces: readonly number[]): number => (sineSum(pieces) * Math.sign(turnOf(pieces)) > 0 ? 1 : -1);

const turnOf = (pieces: readonly number[]): number => (pieces.at(-2) ?? 0) - (pieces[0] ?? 0);

/** The integral of the sine of the latitude over the longitude, round the ring: what lies below it, in units of the squared radius. */
function sineSum(pieces: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < pieces.length; i += 4) {
    const [ax, ay, bx, by] = pieces.slice(i, i + 4) as [number, number, number, number];
    sum += (bx - ax) * RADIAN * Math.sin(((ay + by) / 2) * RADIAN);
  }
  return sum;
}

/** The shorter side of the rectangle with this area and circumference; a quarter of the circumference where there is none. */
function narrowSide(pieces: readonly number[], pole: number): number {
  const radius = Math.sqrt(LEAST_RADIUS * MOST_RADIUS);
  const area = radius * radius * Math.abs(pole * turnOf(pieces) * RADIAN - sineSum(pieces));
  let half = 0;
  for (let i = 0; i < pieces.length; i += 4) {
    const [ax, ay, bx, by] = pieces.slice(i, i + 4) as [number, number, number, number];
    half += (radius * RADIAN * Math.hypot((bx - ax) * Math.cos(((ay + by) / 2) * RADIAN), by - ay)) / 2;
  }
  return (half - Math.sqrt(Math.max(0, half * half - 4 * area))) / 2;
}

function boundsOf(line: readonly (readonly [x: number, y: number])[], radius: number, pole: number): Bounds {
  let [south, north, west, east] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of line) {
    south = Math.min(south, y);
    north = Math.max(north, y);
    west = Math.min(west, x);
    east = Math.max(east, x);
  }
  if (south > north) return { south: 90, north: -90, west: 0, east: 0 };
  if (radius > 0) {
    // No degree is shorter than on a sphere of the least radius.
    const angle = radius / LEAST_RADIUS;
    const farthest = Math.max(Math.abs(south), Math.abs(north)) * RADIAN;
    const wide = farthest + angle < Math.PI / 2 ? Math.asin(Math.min(1, Math.sin(angle) / Math.cos(farthest))) / RADIAN : 180;
    [south, north, west, east] = [south - angle / RADIAN, north + angle / RADIAN, west - wide, east + wide];
  }
  if (pole > 0) north = 90;
  if (pole < 0) south = -90;
  if (pole !== 0 || east - west >= 360) [west, east] = [-180, 180];
  const turns = Math.floor((west + 180) / 360);
  return { south: Math.max(-90, south), north: Math.min(90, north), west: west - 360 * turns, east: east - 360 * turns };
}

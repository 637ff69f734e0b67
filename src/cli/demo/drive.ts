// One drive along a route: where the vehicle is, and how fast, at each moment. Corners are rounded, curves and junctions taken slowly,
// some crossings waited at, and neither engine nor brakes ask more than a driver would. Knows no clock: time counts from departure.
import { along, distance, eachSegment, ends, type Point } from './plane.ts';
import type { Edge, Network } from './network.ts';
import { uniform, type Random } from './random.ts';

export interface DrivingStyle {
  /** m/s. */
  readonly topSpeed: number;
  /** m/s2. */
  readonly acceleration: number;
  readonly braking: number;
  /** Share of the speed limit that is driven, at most 1. */
  readonly briskness: number;
  /** Metres between halts on the way, such as bus stops; absent: none. */
  readonly haltEvery?: number;
}

/** What is true at a moment of a drive. `metres` counts from the start, `heading` is in degrees clockwise from north. */
export interface Motion {
  readonly at: Point;
  readonly speed: number;
  readonly heading: number;
  readonly metres: number;
}

/** Sideways acceleration that passengers bear, m/s2. */
const comfort = 2.2;

export class Drive {
  /** Seconds from departure to arrival. */
  readonly duration: number;
  /** Metres. */
  readonly length: number;
  readonly #knots: readonly Knot[];

  constructor(network: Network, route: readonly Edge[], style: DrivingStyle, random: Random) {
    this.#knots = timed(limited(roundCorners(pathOf(network, route, style, random)), style, random), style);
    const last = this.#knots.at(-1);
    this.duration = last?.seconds ?? 0;
    this.length = last?.metres ?? 0;
  }

  /** The motion at a number of seconds after departure, within 0 and `duration`. */
  at(seconds: number): Motion {
    let low = 0;
    let high = this.#knots.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#knots[middle]?.seconds ?? 0) <= seconds) low = middle;
      else high = middle;
    }
    const [a, b] = [this.#knots[low], this.#knots[high]];
    if (a === undefined || b === undefined) throw new RangeError('a drive without a way');
    const span = b.seconds - a.seconds;
    const passed = Math.min(span, Math.max(0, seconds - a.seconds));
    const gain = span === 0 ? 0 : (b.speed - a.speed) / span;
    const metres = a.metres + a.speed * passed + (gain * passed * passed) / 2;
    const share = b.metres === a.metres ? 0 : (metres - a.metres) / (b.metres - a.metres);
    return { at: along(a.at, b.at, share), speed: a.speed + gain * passed, heading: a.heading, metres };
  }
}

/** A vertex of the way: the speed allowed there, and how many seconds are waited there. */
interface Vertex {
  at: Point;
  limit: number;
  wait: number;
}

interface Knot {
  seconds: number;
  metres: number;
  speed: number;
  heading: number;
  at: Point;
}

/** The line of a route with a vertex at least every 12 m, and the waits at its junctions. */
function pathOf(network: Network, route: readonly Edge[], style: DrivingStyle, random: Random): Vertex[] {
  const path: Vertex[] = [];
  let sinceHalt = 0;
  for (const [i, edge] of route.entries()) {
    const before = route[i - 1];
    if (before === undefined) path.push({ at: ends(edge.line)[0], limit: edge.limit, wait: 0 });
    else {
      const junction = path.at(-1);
      if (junction !== undefined) junction.limit = Math.min(junction.limit, edge.limit, junctionSpeed(network, before, edge));
      const stopLine = path.at(-2);
      if (stopLine !== undefined && before.length > 60) stopLine.wait = junctionWait(network, before, edge, random);
    }
    eachSegment(edge.line, (a, b) => {
      const count = Math.ceil(distance(a, b) / 12);
      for (let k = 1; k <= count; k++) path.push({ at: along(a, b, k / count), limit: edge.limit, wait: 0 });
    });
    sinceHalt += edge.length;
    const middle = path.at(-4);
    if (
      style.haltEvery !== undefined &&
      sinceHalt > style.haltEvery &&
      edge.length > 80 &&
      edge.kind !== 'country' &&
      middle !== undefined
    ) {
      middle.wait = Math.round(uniform(random, 14, 34));
      sinceHalt = 0;
    }
  }
  return path;
}

const isThrough = (edge: Edge): boolean => edge.kind === 'motorway' || edge.kind === 'ramp' || edge.kind === 'roundabout';

/** How fast a junction is crossed, m/s. */
function junctionSpeed(network: Network, before: Edge, after: Edge): number {
  const ways = network.leaving[after.from]?.length ?? 0;
  if (ways < 3 || isThrough(before) || isThrough(after)) return Infinity;
  if (before.kind !== after.kind) return 20 / 3.6;
  return before.kind === 'street' ? 32 / 3.6 : Infinity;
}

/** How long is waited before a junction: a red light between larger roads, a look to both sides when a street ends. */
function junctionWait(network: Network, before: Edge, after: Edge, random: Random): number {
  const ways = network.leaving[after.from]?.length ?? 0;
  if (ways < 3 || isThrough(before)) return 0;
  if (after.kind === 'roundabout') return random() < 0.35 ? Math.round(uniform(random, 1, 7)) : 0;
  if (before.kind === 'street') return after.kind !== 'street' && random() < 0.6 ? Math.round(uniform(random, 1, 12)) : 0;
  return ways > 3 && random() < 0.12 ? Math.round(uniform(random, 6, 38)) : 0;
}

/** Puts a small arc in the place of each sharp vertex. */
function roundCorners(path: readonly Vertex[]): Vertex[] {
  return path.flatMap((vertex, i) => {
    const [before, after] = [path[i - 1], path[i + 1]];
    if (before === undefined || after === undefined || turnAt(before.at, vertex.at, after.at) < 0.2) return [vertex];
    const reach = (other: Point): Point => along(vertex.at, other, Math.min(0.45, 9 / Math.max(1, distance(vertex.at, other))));
    const [enter, leave] = [reach(before.at), reach(after.at)];
    const arc = [0, 0.25, 0.5, 0.75, 1].map((t) => along(along(enter, vertex.at, t), along(vertex.at, leave, t), t));
    return arc.map((at, k) => ({ at, limit: vertex.limit, wait: k === 0 ? vertex.wait : 0 }));
  });
}

/** The change of direction at b, radians, 0 to pi. */
function turnAt(a: Point, b: Point, c: Point): number {
  const turn = Math.atan2(c.y - b.y, c.x - b.x) - Math.atan2(b.y - a.y, b.x - a.x);
  return Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn)));
}

/** Lowers the limits to what driver, vehicle and curves allow, and drops vertices that fall together. */
function limited(path: readonly Vertex[], style: DrivingStyle, random: Random): Vertex[] {
  const distinct = path.filter(({ at, wait }, i) => i === 0 || wait > 0 || distance(path[i - 1]?.at ?? at, at) > 0.4);
  const phase = uniform(random, 0, 6);
  let metres = 0;
  return distinct.map(({ at, limit, wait }, i) => {
    const [before, after] = [distinct[i - 1]?.at, distinct[i + 1]?.at];
    if (before !== undefined) metres += distance(before, at);
    let bend = Infinity;
    if (before !== undefined && after !== undefined) {
      const turn = turnAt(before, at, after);
      // A turn on the spot, out of a parking place, is made at a walk.
      bend = turn > 2 ? 1 : Math.sqrt((comfort * (distance(before, at) + distance(at, after))) / (2 * Math.max(turn, 1e-6)));
    }
    const mood = style.briskness * (0.95 + 0.05 * Math.sin(metres / 310 + phase));
    return { at, limit: Math.max(1, Math.min(limit * mood, style.topSpeed, bend)), wait };
  });
}

/** Runs through the way twice, so that the vehicle can both reach and leave each speed in time, and counts the seconds. */
function timed(path: readonly Vertex[], style: DrivingStyle): Knot[] {
  const gaps = path.map(({ at }, i) => (i === 0 ? 0 : distance(path[i - 1]?.at ?? at, at)));
  const speeds = path.map(({ limit, wait }, i) => (wait > 0 || i === 0 || i === path.length - 1 ? 0 : limit));
  for (let i = 1; i < speeds.length; i++)
    speeds[i] = Math.min(speeds[i] ?? 0, Math.sqrt((speeds[i - 1] ?? 0) ** 2 + 2 * style.acceleration * (gaps[i] ?? 0)));
  for (let i = speeds.length - 2; i >= 0; i--)
    speeds[i] = Math.min(speeds[i] ?? 0, Math.sqrt((speeds[i + 1] ?? 0) ** 2 + 2 * style.braking * (gaps[i + 1] ?? 0)));
  const knots: Knot[] = [];
  let [seconds, metres, heading] = [0, 0, 0];
  for (const [i, { at, wait }] of path.entries()) {
    const gap = gaps[i] ?? 0;
    const speed = speeds[i] ?? 0;
    const next = path[i + 1];
    metres += gap;
    // Two stops in a row are crept between.
    if (gap > 0) seconds += (2 * gap) / Math.max(speed + (speeds[i - 1] ?? 0), 0.5);
    if (next !== undefined && distance(at, next.at) > 0)
      heading = ((Math.atan2(next.at.x - at.x, next.at.y - at.y) * 180) / Math.PI + 360) % 360;
    knots.push({ seconds, metres, speed, heading, at });
    if (wait > 0) knots.push({ seconds: (seconds += wait), metres, speed, heading, at });
  }
  return knots;
}

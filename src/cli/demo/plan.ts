// The drawing of an invented country: a city with ring road, avenues and streets on a river, a motorway to a neighbouring town, two villages.
// Only lines are drawn here; network.ts finds out where they meet.
import { crossing, curve, distance, eachSegment, ends, polar, type Line, type Point } from './plane.ts';
import { seededRandom, uniform, type Random } from './random.ts';

export type RoadKind = 'motorway' | 'ramp' | 'country' | 'ring' | 'avenue' | 'street' | 'roundabout';

/** Per kind of road: the speed limit in km/h, whether it is driven one way only, and whether it meets others only at its ends (bridges). */
export const roadKinds: Readonly<Record<RoadKind, { limit: number; oneWay: boolean; bridged: boolean }>> = {
  motorway: { limit: 120, oneWay: true, bridged: true },
  ramp: { limit: 60, oneWay: true, bridged: true },
  country: { limit: 80, oneWay: false, bridged: false },
  ring: { limit: 70, oneWay: false, bridged: false },
  avenue: { limit: 50, oneWay: false, bridged: false },
  street: { limit: 40, oneWay: false, bridged: false },
  roundabout: { limit: 30, oneWay: true, bridged: false },
};

export interface Road {
  readonly kind: RoadKind;
  readonly line: Line;
}

export interface Circle {
  readonly centre: Point;
  readonly radius: number;
}

export interface Plan {
  readonly roads: readonly Road[];
  /** Nothing but its own circle runs within a roundabout. */
  readonly roundabouts: readonly Circle[];
  readonly river: Line;
}

interface Town extends Circle {
  /** Where the avenues leave: points of the ring, counter-clockwise. */
  readonly gates: readonly Point[];
}

interface TownSketch extends Circle {
  ring: RoadKind;
  /** Angles of the avenues, radians counter-clockwise from east. */
  avenues: readonly number[];
  /** Metres between streets, and the angle at which they lie. */
  spacing: number;
  turn: number;
  parks: readonly Circle[];
}

const degrees = Math.PI / 180;

/** The same seed draws the same plan. */
export function drawPlan(seed: number): Plan {
  const random = seededRandom(seed);
  const roads: Road[] = [];
  const river: Point[] = [];
  for (let x = -13_000; x <= 20_000; x += 60) river.push({ x, y: -520 + 430 * Math.sin(x / 1900) + 150 * Math.sin(x / 690 + 1) });

  const draw = (sketch: TownSketch): Town => drawTown(sketch, river, random, roads);
  const city = draw({
    centre: { x: 0, y: 0 },
    radius: 3000,
    ring: 'ring',
    avenues: [3, 52, 98, 152, 205, 262, 318].map((angle) => angle * degrees),
    spacing: 225,
    turn: 17 * degrees,
    parks: [
      { centre: { x: 1250, y: 900 }, radius: 420 },
      { centre: { x: -1500, y: -1500 }, radius: 340 },
    ],
  });
  const neighbour = draw({
    centre: { x: 15_800, y: -2500 },
    radius: 950,
    ring: 'avenue',
    avenues: [95, 182, 285].map((a) => a * degrees),
    spacing: 165,
    turn: 38 * degrees,
    parks: [],
  });
  const north = draw({
    centre: { x: 2700, y: 7400 },
    radius: 430,
    ring: 'street',
    avenues: [80, 255].map((a) => a * degrees),
    spacing: 130,
    turn: 8 * degrees,
    parks: [],
  });
  const west = draw({
    centre: { x: -7600, y: 2300 },
    radius: 480,
    ring: 'street',
    avenues: [350, 150].map((a) => a * degrees),
    spacing: 140,
    turn: 60 * degrees,
    parks: [],
  });

  const country = (from: Point, to: Point): number => roads.push({ kind: 'country', line: wander(from, to, random) });
  country(gate(city, 0), gate(neighbour, 1));
  country(gate(city, 2), gate(north, 1));
  country(gate(city, 3), gate(west, 0));
  country(gate(west, 1), gate(north, 0));

  drawMotorway([gate(city, 4), gate(city, 5), gate(city, 6), gate(neighbour, 2)], roads);

  const roundabouts: Circle[] = [
    ...city.gates.map((centre) => ({ centre, radius: 32 })),
    { centre: city.centre, radius: 48 },
    { centre: neighbour.centre, radius: 26 },
  ];
  for (const { centre, radius } of roundabouts) {
    const circle: Point[] = [];
    // Counter-clockwise, as where one drives on the right.
    for (let angle = 0; angle < 360; angle += 12) circle.push(polar(centre, angle * degrees, radius));
    roads.push({ kind: 'roundabout', line: [...circle, ends(circle)[0]] });
  }
  return { roads, roundabouts, river };
}

function gate(town: Town, index: number): Point {
  const point = town.gates[index];
  if (point === undefined) throw new RangeError(`no gate ${index}`);
  return point;
}

function drawTown(sketch: TownSketch, river: Line, random: Random, roads: Road[]): Town {
  const { centre, radius, spacing, turn } = sketch;
  const phase = uniform(random, 0, 6);
  const edge = (angle: number): number => radius * (1 + 0.05 * Math.sin(3 * angle + phase) + 0.03 * Math.sin(5 * angle - phase));
  const ringAt = (angle: number): Point => polar(centre, angle, edge(angle));

  const gates = sketch.avenues.map(ringAt);
  // The ring runs exactly through the gates, so that what comes from outside ends on it.
  const angles = [...sketch.avenues];
  for (let angle = 0; angle < 360; angle += 2) {
    const clear = sketch.avenues.every((avenue) => Math.abs(Math.sin((angle * degrees - avenue) / 2)) > 0.01);
    if (clear) angles.push(angle * degrees);
  }
  const ring = angles.toSorted((a, b) => a - b).map((angle) => gates[sketch.avenues.indexOf(angle)] ?? ringAt(angle));
  roads.push({ kind: sketch.ring, line: [...ring, ends(ring)[0]] });

  for (const [i, angle] of sketch.avenues.entries()) {
    const bend = uniform(random, -0.12, 0.12);
    const bends = [0.33, 0.66].map((share) => polar(centre, angle + bend * Math.sin(share * Math.PI), edge(angle) * share));
    roads.push({ kind: 'avenue', line: curve([centre, ...bends, gates[i] ?? ringAt(angle)], 22) });
  }
  if (radius > 2000) {
    const inner: Point[] = [];
    for (let angle = 0; angle < 360; angle += 4) inner.push(polar(centre, angle * degrees, 0.34 * edge(angle * degrees)));
    roads.push({ kind: 'avenue', line: [...inner, ends(inner)[0]] });
  }

  const bent = radius / 26;
  const place = (u: number, v: number): Point => {
    const x = u + bent * Math.sin(v / (0.3 * radius) + phase);
    const y = v + bent * Math.sin(u / (0.26 * radius) - phase);
    return { x: centre.x + x * Math.cos(turn) - y * Math.sin(turn), y: centre.y + x * Math.sin(turn) + y * Math.cos(turn) };
  };
  // Two families of streets, across each other; every third one reaches the ring.
  for (const across of [false, true]) {
    let count = 0;
    for (let u = -radius * 1.1 + uniform(random, 0, spacing); u < radius * 1.1; u += spacing * uniform(random, 0.82, 1.18)) {
      const margin = count++ % 3 === 0 ? -12 : 70;
      let run: Point[] = [];
      const finish = (): void => {
        if (run.length > 1) roads.push({ kind: 'street', line: run });
        run = [];
      };
      for (let v = -radius * 1.1; v <= radius * 1.1; v += 24) {
        const at = across ? place(v, u) : place(u, v);
        const inside = distance(at, centre) < edge(Math.atan2(at.y - centre.y, at.x - centre.x)) - margin;
        const green = sketch.parks.some((park) => distance(at, park.centre) < park.radius);
        const last = run.at(-1);
        if (!inside || green || (last !== undefined && crosses(last, at, river))) finish();
        if (inside && !green) run.push(at);
      }
      finish();
    }
  }
  return { centre, radius, gates };
}

function crosses(a: Point, b: Point, line: Line): boolean {
  let found = false;
  eachSegment(line, (c, d) => {
    // The river is wide: what comes near its bank does not cross either.
    if (Math.abs(c.x - a.x) < 200) found ||= crossing(a, b, c, d) !== null || distance(b, c) < 55;
  });
  return found;
}

/** A country road: it leaves as straight as it can and swings from side to side on the way. */
function wander(from: Point, to: Point, random: Random): Point[] {
  const length = distance(from, to);
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const through: Point[] = [from];
  const count = Math.max(2, Math.round(length / 1300));
  for (let i = 1; i < count; i++) {
    const side = uniform(random, -170, 170) * (i % 2 === 0 ? 1 : -1);
    const share = (i + uniform(random, -0.2, 0.2)) / count;
    through.push({ x: from.x + dx * length * share - dy * side, y: from.y + dy * length * share + dx * side });
  }
  return curve([...through, to], 24);
}

/** Two carriageways from west to east south of everything, with an interchange for each town gate that is given. */
function drawMotorway(gates: readonly Point[], roads: Road[]): void {
  const middle = (x: number): number => -4750 + 330 * Math.sin(x / 3400 + 0.6);
  const reach = 420;
  // An interchange lies south of its gate, a little off, and apart from the next one.
  const places = gates.map((from) => from.x * 1.02 - 150);
  const stops = new Set(places.flatMap((x) => [x - reach, x + reach]));
  for (let x = -5200; x <= 18_400; x += 80) if ([...stops].every((stop) => Math.abs(stop - x) > 30)) stops.add(x);
  const sorted = [...stops].toSorted((a, b) => a - b);
  const carriageway =
    (side: number) =>
    (x: number): Point => ({ x, y: middle(x) + side * 14 });
  const [eastbound, westbound] = [carriageway(-1), carriageway(1)];
  roads.push({ kind: 'motorway', line: sorted.map(eastbound) }, { kind: 'motorway', line: sorted.map(westbound).toReversed() });

  for (const [i, x] of places.entries()) {
    const from = gates[i];
    if (from === undefined) continue;
    const above = { x, y: middle(x) + 130 };
    const below = { x, y: middle(x) - 130 };
    const lead = { x: (from.x + x) / 2 + 60, y: (from.y + above.y) / 2 };
    roads.push({ kind: 'country', line: curve([from, lead, above, below], 20) });
    const ramp = (start: Point, end: Point, via: Point): number => roads.push({ kind: 'ramp', line: bezier(start, via, end) });
    ramp(eastbound(x - reach), below, { x: x - 130, y: below.y + 60 });
    ramp(below, eastbound(x + reach), { x: x + 130, y: below.y + 60 });
    ramp(westbound(x + reach), above, { x: x + 130, y: above.y - 60 });
    ramp(above, westbound(x - reach), { x: x - 130, y: above.y - 60 });
  }
}

function bezier(a: Point, via: Point, b: Point): Point[] {
  const line: Point[] = [a];
  for (let i = 1; i < 20; i++) {
    const t = i / 20;
    const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
    line.push({ x: p * a.x + q * via.x + r * b.x, y: p * a.y + q * via.y + r * b.y });
  }
  return [...line, b];
}

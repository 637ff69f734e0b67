// From drawn lines to a network that can be driven: cuts roads where they meet, and keeps only what can be reached from everywhere and left again.
import { along, crossing, distance, eachSegment, ends, lengthOf, type Line, type Point } from './plane.ts';
import { roadKinds, type Plan, type Road, type RoadKind } from './plan.ts';
import { seededRandom } from './random.ts';

/** A piece of road between two nodes, in the sense in which it is driven; a two-way road is two of them. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly kind: RoadKind;
  /** From the node `from` to the node `to`, both included. */
  readonly line: Line;
  /** Metres. */
  readonly length: number;
  /** Speed limit, m/s. */
  readonly limit: number;
}

export interface Network {
  readonly nodes: readonly Point[];
  /** Per node, the edges that leave it. */
  readonly leaving: readonly (readonly Edge[])[];
  readonly edges: readonly Edge[];
  /** Nodes at the side of streets where one may stop and park. */
  readonly places: readonly number[];
}

export function buildNetwork(plan: Plan, seed: number): Network {
  const random = seededRandom(seed ^ 0x5eed);
  const inRoundabout = (at: Point): boolean => plan.roundabouts.some(({ centre, radius }) => distance(at, centre) < radius - 1);
  const pieces = cutWhereTheyMeet(plan.roads).filter(({ kind, line }) => {
    if (kind === 'roundabout') return true;
    // Some blocks are larger than others.
    if (kind === 'street' && random() < 0.14) return false;
    return !inRoundabout(midpoint(line));
  });

  const index = new Map<string, number>();
  const nodes: Point[] = [];
  const nodeAt = (at: Point): number => {
    const key = keyOf(at);
    const known = index.get(key);
    if (known !== undefined) return known;
    index.set(key, nodes.length);
    return nodes.push(at) - 1;
  };
  const places: number[] = [];
  const edges: Edge[] = [];
  const add = (kind: RoadKind, line: Line): void => {
    const [first, last] = ends(line);
    const [from, to, length] = [nodeAt(first), nodeAt(last), lengthOf(line)];
    const limit = roadKinds[kind].limit / 3.6;
    if (from === to && length < 1) return;
    edges.push({ from, to, kind, line, length, limit });
    if (!roadKinds[kind].oneWay) edges.push({ from: to, to: from, kind, line: line.toReversed(), length, limit });
  };
  for (const { kind, line } of pieces) {
    if (kind === 'street' && lengthOf(line) > 90 && random() < 0.3) {
      const [before, after] = halve(line);
      add(kind, before);
      add(kind, after);
      places.push(nodeAt(ends(after)[0]));
    } else add(kind, line);
  }
  return keepConnected({ nodes, edges, places });
}

const keyOf = (at: Point): string => `${Math.round(at.x * 10)},${Math.round(at.y * 10)}`;

/** Cuts every road at each place where another meets it. Bridged roads are met only where a line ends on one of their points. */
function cutWhereTheyMeet(roads: readonly Road[]): Road[] {
  const cell = 80;
  const cells = new Map<string, { road: number; a: Point; b: Point; at: number }[]>();
  const cuts: Map<number, Point>[] = roads.map(() => new Map<number, Point>());
  for (const [road, { line }] of roads.entries()) {
    eachSegment(line, (a, b, at) => {
      const keys = new Set<string>();
      for (let x = Math.floor(Math.min(a.x, b.x) / cell); x <= Math.floor(Math.max(a.x, b.x) / cell); x++) {
        for (let y = Math.floor(Math.min(a.y, b.y) / cell); y <= Math.floor(Math.max(a.y, b.y) / cell); y++) keys.add(`${x},${y}`);
      }
      for (const key of keys) {
        const here = cells.get(key) ?? [];
        for (const other of here) {
          if (other.road === road || isBridged(roads[road]) || isBridged(roads[other.road])) continue;
          const shares = crossing(a, b, other.a, other.b);
          if (shares === null) continue;
          const meeting = along(a, b, shares[0]);
          cuts[road]?.set(at + shares[0], meeting);
          cuts[other.road]?.set(other.at + shares[1], meeting);
        }
        here.push({ road, a, b, at });
        cells.set(key, here);
      }
    });
  }
  const lineEnds = new Set(roads.flatMap(({ line }) => ends(line).map(keyOf)));
  return roads.flatMap(({ kind, line }, road) => {
    const here = cuts[road] ?? new Map<number, Point>();
    for (const [i, at] of line.entries()) if (lineEnds.has(keyOf(at))) here.set(i, at);
    return cut(line, here).map((piece) => ({ kind, line: piece }));
  });
}

function isBridged(road: Road | undefined): boolean {
  return road !== undefined && roadKinds[road.kind].bridged;
}

/** Cuts a line at places given by the index of the vertex before them plus the share of the way to the next. */
function cut(line: Line, at: ReadonlyMap<number, Point>): Line[] {
  const stops = [...at].toSorted(([a], [b]) => a - b);
  const pieces: Line[] = [];
  let piece: Point[] = [];
  let next = 0;
  for (const [i, vertex] of line.entries()) {
    push(piece, vertex);
    for (let stop = stops[next]; stop !== undefined && stop[0] < i + 1; stop = stops[++next]) {
      push(piece, stop[1]);
      if (piece.length > 1) pieces.push(piece);
      piece = [stop[1]];
    }
  }
  if (piece.length > 1) pieces.push(piece);
  return pieces;
}

/** Adds a point unless the line is there already. */
function push(line: Point[], at: Point): void {
  const last = line.at(-1);
  if (last === undefined || keyOf(last) !== keyOf(at)) line.push(at);
}

function midpoint(line: Line): Point {
  return ends(halve(line)[1])[0];
}

function halve(line: Line): [Line, Line] {
  let left = lengthOf(line) / 2;
  let halves: [Line, Line] = [line, [ends(line)[1]]];
  eachSegment(line, (a, b, i) => {
    const length = distance(a, b);
    if (left >= 0 && left < length) {
      const middle = along(a, b, left / length);
      halves = [
        [...line.slice(0, i + 1), middle],
        [middle, ...line.slice(i + 1)],
      ];
    }
    left -= length;
  });
  return halves;
}

/** The part that can be reached from the longest road's start and from which that start can be reached, without dead ends. */
function keepConnected(all: { nodes: readonly Point[]; edges: readonly Edge[]; places: readonly number[] }): Network {
  let edges = all.edges;
  const start = edges.reduce((best, edge) => (edge.kind === 'ring' && edge.length > best.length ? edge : best)).from;
  const forth = reach(start, edges, (edge) => [edge.from, edge.to]);
  const back = reach(start, edges, (edge) => [edge.to, edge.from]);
  edges = edges.filter(({ from, to }) => forth.has(from) && back.has(from) && forth.has(to) && back.has(to));
  for (let before = -1; before !== edges.length;) {
    before = edges.length;
    const neighbours = new Map<number, Set<number>>();
    for (const { from, to } of edges) {
      for (const [node, other] of [
        [from, to],
        [to, from],
      ] as const)
        neighbours.set(node, (neighbours.get(node) ?? new Set()).add(other));
    }
    const isThrough = (node: number): boolean => (neighbours.get(node)?.size ?? 0) > 1;
    edges = edges.filter(({ from, to }) => isThrough(from) && isThrough(to));
  }
  const leaving: Edge[][] = all.nodes.map(() => []);
  for (const edge of edges) leaving[edge.from]?.push(edge);
  return { nodes: all.nodes, edges, leaving, places: all.places.filter((node) => (leaving[node]?.length ?? 0) > 1) };
}

function reach(start: number, edges: readonly Edge[], sense: (edge: Edge) => [number, number]): Set<number> {
  const following = new Map<number, number[]>();
  for (const edge of edges) {
    const [from, to] = sense(edge);
    const list = following.get(from);
    if (list === undefined) following.set(from, [to]);
    else list.push(to);
  }
  const seen = new Set([start]);
  for (const node of seen) for (const next of following.get(node) ?? []) seen.add(next);
  return seen;
}

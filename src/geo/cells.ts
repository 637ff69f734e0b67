// A grid over longitude and latitude, by which a database finds the shapes near a place: on level l the earth is 2^l by 2^l cells,
// each of 360/2^l by 180/2^l degrees. A shape is filed under the few cells that it touches, on the level where they are few.
import type { Bounds, Way } from './bounds.ts';

export interface Cell {
  level: number;
  /** Eastwards from the 180th meridian. */
  x: number;
  /** Northwards from the south pole. */
  y: number;
}

/** The finest level: its cells are 1.2 km wide at the equator and 0.6 km high. */
export const FINEST = 15;
const COUNT = 2 ** FINEST;
/** A shape is filed under at most so many cells. */
const MOST = 9;
/** Degrees, a tenth of a millimetre: what rounding may have taken from a box that a place lies on the edge of. */
const ROUNDING = 1e-9;

/** The cells of a level that touch the bounds, on the finest level where they are at most 9; none where the bounds hold nothing. */
export function cover({ south, north, west, east }: Bounds): Cell[] {
  if (south > north) return [];
  for (let level = FINEST; ; level--) {
    const count = 2 ** level;
    const [first, bottom] = [column(west - ROUNDING, count), row(south - ROUNDING, count)];
    const wide = Math.min(count, column(east + ROUNDING, count) - first + 1);
    const high = row(north + ROUNDING, count) - bottom + 1;
    if (wide * high > MOST) continue;
    return Array.from({ length: wide * high }, (_, i) => ({ level, x: wrap(first + (i % wide), count), y: bottom + Math.floor(i / wide) }));
  }
}

/** A cell of the finest level as one number below 2^30. */
export const cellAt = (latitude: number, longitude: number): number => numberOf(column(longitude, COUNT), row(latitude, COUNT));

/** The cells of the finest level that a way touches, as numbers; null when they are more than `most`. */
export function cellsAlong({ x, y, dx, dy }: Way, most: number): number[] | null {
  const [west, east] = dx < 0 ? [x + dx, x] : [x, x + dx];
  const [first, last] = [column(west, COUNT), column(east, COUNT)];
  if (last - first >= most) return null;
  const cells: number[] = [];
  for (let at = first; at <= last; at++) {
    // The part of the way within the column, from its western to its eastern end.
    const from = Math.max(west, (at / COUNT) * 360 - 180);
    const to = Math.min(east, ((at + 1) / COUNT) * 360 - 180);
    const latitudeAt = (longitude: number): number => (dx === 0 ? y : y + ((longitude - x) / dx) * dy);
    const [a, b] = dx === 0 ? [y, y + dy] : [latitudeAt(from), latitudeAt(to)];
    const top = row(Math.max(a, b) + ROUNDING, COUNT);
    for (let up = row(Math.min(a, b) - ROUNDING, COUNT); up <= top; up++) {
      if (cells.length === most) return null;
      cells.push(numberOf(at, up));
    }
  }
  return cells;
}

/** Cells of one level, from `west` to `east` and from `south` to `north`, the last ones too. */
export interface CellRange {
  level: number;
  west: number;
  east: number;
  south: number;
  north: number;
}

/** The cells of every level in the box around a way; two ranges of a level where it crosses the 180th meridian. */
export function rangesOf({ x, y, dx, dy }: Way): CellRange[] {
  return Array.from({ length: FINEST + 1 }, (_, level) => {
    const count = 2 ** level;
    const [south, north] = [row(Math.min(y, y + dy) - ROUNDING, count), row(Math.max(y, y + dy) + ROUNDING, count)];
    const first = column(Math.min(x, x + dx) - ROUNDING, count);
    const wide = Math.min(count, column(Math.max(x, x + dx) + ROUNDING, count) - first + 1);
    const west = wrap(first, count);
    const range = { level, west, east: Math.min(count, west + wide) - 1, south, north };
    return west + wide > count ? [range, { level, west: 0, east: west + wide - count - 1, south, north }] : [range];
  }).flat();
}

/** The cell and all that it is part of, from the finest level to the one cell that is the earth. */
export function ancestors(cell: number): Cell[] {
  const [x, y] = [Math.floor(cell / COUNT), cell % COUNT];
  return Array.from({ length: FINEST + 1 }, (_, up) => ({ level: FINEST - up, x: x >> up, y: y >> up }));
}

/** The box of a cell of the finest level. */
export function boundsOfCell(cell: number): Bounds {
  const [west, south] = [(Math.floor(cell / COUNT) / COUNT) * 360 - 180, ((cell % COUNT) / COUNT) * 180 - 90];
  return { south, north: south + 180 / COUNT, west, east: west + 360 / COUNT };
}

/** Columns go on beyond 180° and before -180°; `wrap` brings them back. */
const column = (longitude: number, count: number): number => Math.floor(((longitude + 180) / 360) * count);
const row = (latitude: number, count: number): number => Math.min(count - 1, Math.max(0, Math.floor(((latitude + 90) / 180) * count)));
const wrap = (x: number, count: number): number => ((x % count) + count) % count;
const numberOf = (x: number, y: number): number => wrap(x, COUNT) * COUNT + y;

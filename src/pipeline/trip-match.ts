// Which trip found now is which trip found before, so that addresses and what people wrote stay with the journey they are
// about. Pure: knows no database.
import type { TripClosing, TripOpening } from './outcome.ts';

export interface TripRow {
  id: number;
  start_time: number;
  start_latitude: number;
  start_longitude: number;
  opened: number;
  end_time: number | null;
  end_latitude: number | null;
  end_longitude: number | null;
  closed: number | null;
  vanished: number;
  purpose: string | null;
  note: string | null;
  driver: string | null;
}

export interface Matched {
  /** A trip of before and what it is now. */
  kept: [TripRow, TripOpening][];
  added: TripOpening[];
  vanished: TripRow[];
  /** Ids of those kept that are exactly as they were. */
  unchanged: Set<number>;
}

/**
 * `before`: trips opened in the stretch; `others`: those near it that vanished, or were shown by later fixes. The same start is the
 * same trip; then the one that overlaps most, those with something written on them first.
 */
export function matchTrips(trips: {
  before: readonly TripRow[];
  others: readonly TripRow[];
  opened: readonly TripOpening[];
  closed: readonly TripClosing[];
}): Matched {
  const { before, others, opened, closed } = trips;
  const closings = new Map(closed.map((closing) => [closing.trip, closing]));
  const kept = new Map<TripOpening, TripRow>();
  const free = new Set([...before, ...others]);
  const take = (opening: TripOpening, row: TripRow): void => {
    kept.set(opening, row);
    free.delete(row);
  };
  for (const opening of opened) {
    const [row] = [...free]
      .filter(({ start_time: start }) => start === opening.time)
      .toSorted((a, b) => a.vanished - b.vanished || rank(b) - rank(a) || a.id - b.id);
    if (row !== undefined) take(opening, row);
  }
  const pairs = opened
    .filter((opening) => !kept.has(opening))
    .flatMap((opening) => {
      const end = closings.get(opening.time)?.time ?? Infinity;
      return [...free].map((row) => ({
        opening,
        row,
        overlap: Math.min(end, row.end_time ?? Infinity) - Math.max(opening.time, row.start_time),
      }));
    })
    .filter(({ overlap }) => overlap > 0)
    .toSorted((a, b) => rank(b.row) - rank(a.row) || (b.overlap === a.overlap ? a.row.id - b.row.id : b.overlap - a.overlap));
  for (const { opening, row } of pairs) if (!kept.has(opening) && free.has(row)) take(opening, row);

  const unchanged = new Set<number>();
  for (const [opening, row] of kept) if (isSame(row, opening, closings.get(opening.time))) unchanged.add(row.id);
  return {
    kept: [...kept].map(([opening, row]) => [row, opening]),
    added: opened.filter((opening) => !kept.has(opening)),
    vanished: before.filter((row) => free.has(row)),
    unchanged,
  };
}

/** Something written on it weighs most, then that it stands now. */
const rank = ({ purpose, note, driver, vanished }: TripRow): number =>
  (purpose === null && note === null && driver === null ? 0 : 2) + (vanished === 0 ? 1 : 0);

/** A trip that ends behind the stretch is closed by what follows, as before. */
const isSame = (row: TripRow, opening: TripOpening, closing: TripClosing | undefined): boolean =>
  row.vanished === 0 &&
  row.start_time === opening.time &&
  row.start_latitude === opening.latitude &&
  row.start_longitude === opening.longitude &&
  row.opened === opening.made &&
  (closing === undefined ||
    (row.end_time === closing.time &&
      row.end_latitude === closing.latitude &&
      row.end_longitude === closing.longitude &&
      row.closed === closing.made));

// Trips that vanished, when reports that came late showed another journey, and the trips in their place: what was written on the
// former is shown on the latter.
import { NOTE_LENGTH } from '../../kinds/trip.ts';
import type { Sql } from '../operation.ts';

/** What a person wrote on a trip. */
export interface TripWords {
  purpose: string | null;
  note: string | null;
  driver: string | null;
}

export interface TripRow extends TripWords {
  id: number;
  start_time: number;
  start_latitude: number;
  start_longitude: number;
  end_time: number | null;
  end_latitude: number | null;
  end_longitude: number | null;
}

export const TRIP_COLUMNS = `id, start_time, start_latitude, start_longitude, end_time, end_latitude, end_longitude, purpose, note, driver`;
/** Trips of a tracker that are there. */
export const LIVE = `select ${TRIP_COLUMNS} from trips where tracker_id = $1 and vanished = 0`;

/** Trips do not overlap: of those that begin before a moment, only the last one can reach beyond it. */
export async function firstStart(sql: Sql, trackerId: number, moment: number): Promise<number> {
  const row = await sql.get<{ start_time: number }>(
    'select start_time from trips where tracker_id = $1 and vanished = 0 and start_time < $2 order by start_time desc limit 1',
    trackerId,
    moment,
  );
  return row?.start_time ?? moment;
}

/** A trip that is there no more; `opened` is the last moment of it that is known where it never ended. */
export interface Vanished {
  start_time: number;
  end_time: number | null;
  opened: number;
}

/** The trip that has most in common with one that vanished, the earlier one of two. */
export async function heirOf(
  sql: Sql,
  trackerId: number,
  { start_time: from, end_time, opened }: Vanished,
  known: number,
): Promise<TripRow | undefined> {
  const to = end_time ?? opened;
  const rows = await sql.all<TripRow>(
    `${LIVE} and start_time >= $2 and start_time < $3 order by start_time`,
    trackerId,
    await firstStart(sql, trackerId, from),
    to,
  );
  let best: { row: TripRow; overlap: number } | undefined;
  for (const row of rows) {
    const overlap = Math.min(to, row.end_time ?? known) - Math.max(from, row.start_time);
    if (overlap > 0 && overlap > (best?.overlap ?? 0)) best = { row, overlap };
  }
  return best?.row;
}

export type Legacy = TripWords & { id: number };

/** What was written on trips that vanished, by the id of the trip in whose favour; only for the trips given, which are in order. */
export async function legaciesOf(sql: Sql, trackerId: number, rows: readonly TripRow[], known: number): Promise<Map<number, Legacy[]>> {
  const found = new Map<number, Legacy[]>(rows.map(({ id }) => [id, []]));
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return found;
  const vanished = await sql.all<Legacy & Vanished>(
    `select id, start_time, end_time, opened, purpose, note, driver from trips
     where tracker_id = $1 and vanished = 1 and (purpose is not null or note is not null or driver is not null)
     and start_time < $2 and coalesce(end_time, opened) > $3 order by start_time, id`,
    trackerId,
    last.end_time ?? Math.max(known, last.start_time),
    first.start_time,
  );
  for (const row of vanished) found.get((await heirOf(sql, trackerId, row, known))?.id ?? NaN)?.push(row);
  return found;
}

export function wordsOf(own: TripWords, legacies: readonly TripWords[]): TripWords {
  const all = [own, ...legacies];
  const notes = notesOf(own, legacies);
  return {
    purpose: all.find(({ purpose }) => purpose !== null)?.purpose ?? null,
    note: notes.length === 0 ? null : notes.join('\n'),
    driver: all.find(({ driver }) => driver !== null)?.driver ?? null,
  };
}

/** What stays with a trip that vanished, once `to` is written on the trip in its place; `shown` was shown there before. */
export function wordsLeft(vanished: TripWords, shown: TripWords, notes: readonly string[], to: TripWords): TripWords {
  // What was taken over stands there no more. What was not shown is kept, unless another value was chosen in its place.
  const { purpose, note, driver } = vanished;
  return {
    purpose: to.purpose === shown.purpose && purpose !== shown.purpose ? purpose : null,
    note: note !== null && !notes.includes(note) ? note : null,
    driver: to.driver === shown.driver && driver !== shown.driver ? driver : null,
  };
}

/** Those that make the note that is shown: each once, as many as it has room for. */
export function notesOf(own: TripWords, legacies: readonly TripWords[]): string[] {
  const notes: string[] = [];
  for (const { note } of [own, ...legacies])
    if (note !== null && !notes.includes(note) && [...notes, note].join('\n').length <= NOTE_LENGTH) notes.push(note);
  return notes;
}

// Trips with what each comes to, what was driven between two moments, and what people wrote on trips. Times in ms, distances in mm,
// speeds in m/s. Which trips there are is found out elsewhere.
import { long, quick, write, type Sql, type SqlValue } from '../operation.ts';
import {
  firstStart,
  heirOf,
  legaciesOf,
  LIVE,
  notesOf,
  TRIP_COLUMNS,
  wordsLeft,
  wordsOf,
  type TripRow,
  type TripWords,
  type Vanished,
} from './trip-heirs.ts';

/** A trip as it is shown: with the sums of its parts, and with what was written on trips that vanished in its favour. */
export interface TripView extends TripRow {
  distance: number;
  drive_time: number;
  idle_time: number;
  /** Null while it has no part. */
  max_speed: number | null;
}

export interface TripRange {
  trackerId: number;
  /** Trips that have more than a moment in common with this stretch, ms. */
  from: number;
  to: number;
  /** Only those that begin after this. */
  after: number | null;
  limit: number;
}

/** What was driven: trips as pairs of beginning and end (so far, when it is under way), and their parts as rows of PART_WIDTH numbers. */
export interface Driving {
  trips: Float64Array;
  /** Trip's beginning, quarter of an hour, distance, time in movement, time standing, highest speed; whole trips, in order. */
  parts: Float64Array;
}

export const PART_WIDTH = 6;

const SET_WORDS = 'update trips set purpose = $2, note = $3, driver = $4 where id = $1';

export const trips = {
  /** `now`, ms: a trip that is under way and has been silent for too long is shown as ended. */
  page: long(async (sql, { trackerId, from, to, after, limit }: TripRange, now: number): Promise<{ trips: TripView[]; more: boolean }> => {
    const state = await stateOf(sql, trackerId);
    const first = Math.max(await firstStart(sql, trackerId, from), after === null ? -Infinity : after + 1);
    const rows = await sql.all<TripRow>(
      `${LIVE} and start_time >= $2 and start_time <= $3 and (start_time >= $4 or coalesce(end_time, $5) > $4) order by start_time limit $6`,
      trackerId,
      first,
      to,
      from,
      state.known,
      limit + 1,
    );
    return { trips: await viewsOf(sql, trackerId, rows.slice(0, limit), state, now), more: rows.length > limit };
  }),

  /** The trip; of one that vanished, the trip that took its place, which has another id. Null when there is neither. */
  find: quick(async (sql, trackerId: number, id: number, now: number): Promise<TripView | null> => {
    const state = await stateOf(sql, trackerId);
    const row = await sql.get<TripRow & Vanished & { vanished: number }>(
      `select ${TRIP_COLUMNS}, opened, vanished from trips where tracker_id = $1 and id = $2`,
      trackerId,
      id,
    );
    if (row === undefined) return null;
    const heir = row.vanished === 0 ? row : await heirOf(sql, trackerId, row, state.known);
    return heir === undefined ? null : ((await viewsOf(sql, trackerId, [heir], state, now))[0] ?? null);
  }),

  /** Writes on a trip what is to be shown on it; false when it is there no more. */
  annotate: write(async (sql, trackerId: number, id: number, to: TripWords): Promise<boolean> => {
    const row = await sql.get<TripRow>(`${LIVE} and id = $2`, trackerId, id);
    if (row === undefined) return false;
    const legacies = (await legaciesOf(sql, trackerId, [row], (await stateOf(sql, trackerId)).known)).get(id) ?? [];
    const shown = wordsOf(row, legacies);
    const notes = notesOf(row, legacies);
    await sql.run(SET_WORDS, id, to.purpose, to.note, to.driver);
    for (const vanished of legacies) {
      const left = wordsLeft(vanished, shown, notes, to);
      await sql.run(SET_WORDS, vanished.id, left.purpose, left.note, left.driver);
    }
    return true;
  }),

  /** All trips that have a part between two moments, whole. */
  driving: long(async (sql, trackerId: number, from: number, to: number): Promise<Driving> => {
    const state = await stateOf(sql, trackerId);
    const rows = await sql.rows(
      `select start_time, end_time from trips where tracker_id = $1 and vanished = 0 and start_time >= $2 and start_time < $3 order by start_time`,
      trackerId,
      await firstStart(sql, trackerId, from),
      to,
    );
    const starts = rows.map(([start]) => start as number);
    const [first, last] = [starts[0], starts.at(-1)];
    if (first === undefined || last === undefined) return { trips: new Float64Array(), parts: new Float64Array() };
    const parts = await sql.rows(
      `select trip_start, bucket, distance, drive_time, idle_time, max_speed from trip_parts
       where tracker_id = $1 and trip_start >= $2 and trip_start <= $3 order by trip_start, bucket`,
      trackerId,
      first,
      last,
    );
    // The trip under way is the last one, so its parts belong behind all others.
    parts.push(...(state.open?.parts ?? []).filter(([start]) => start === last));
    const lasted = (start: number): number =>
      parts.reduce((sum, [trip, , , drive, idle]) => (trip === start ? sum + (drive as number) + (idle as number) : sum), 0);
    return {
      trips: pack(rows.map(([start, end]) => [start as number, end ?? (start as number) + lasted(start as number)])),
      parts: pack(parts),
    };
  }),

  /** Distance of all trips since the beginning of a quarter of an hour. */
  distanceSince: long(async (sql, trackerId: number, bucket: number): Promise<number> => {
    const row = await sql.get<{ distance: number }>(
      'select coalesce(sum(distance), 0) as distance from trip_parts where tracker_id = $1 and trip_start >= $2 and bucket >= $3',
      trackerId,
      await firstStart(sql, trackerId, bucket),
      bucket,
    );
    const { open } = await stateOf(sql, trackerId);
    const underWay = (open?.parts ?? []).reduce((sum, [, begins, distance]) => (begins >= bucket ? sum + distance : sum), 0);
    return (row?.distance ?? 0) + underWay;
  }),
};

/** The trip under way, as `tracker_states.open_trip` has it in JSON. */
export interface OpenTrip {
  /** Parts that are not final and stand in no row. */
  parts: [trip: number, bucket: number, distance: number, driveTime: number, idleTime: number, maxSpeed: number][];
  /** The last place that counts for it. */
  end: [time: number, latitude: number, longitude: number];
  /** If nothing more is heard until then, ms, it ended there. */
  silent: number;
}

interface State {
  /** The last moment of which something is known. */
  known: number;
  open: OpenTrip | null;
}

async function stateOf(sql: Sql, trackerId: number): Promise<State> {
  const row = await sql.get<{ pos_time: number | null; open_trip: string | null }>(
    'select pos_time, open_trip from tracker_states where tracker_id = $1',
    trackerId,
  );
  return { known: row?.pos_time ?? 0, open: JSON.parse(row?.open_trip ?? 'null') as OpenTrip | null };
}

async function viewsOf(sql: Sql, trackerId: number, rows: readonly TripRow[], state: State, now: number): Promise<TripView[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const legacies = await legaciesOf(sql, trackerId, rows, state.known);
  const sums = await sql.rows(
    `select trip_start, sum(distance), sum(drive_time), sum(idle_time), max(max_speed) from trip_parts
     where tracker_id = $1 and trip_start >= $2 and trip_start <= $3 group by trip_start`,
    trackerId,
    first.start_time,
    last.start_time,
  );
  const views = rows.map((row): TripView => ({
    ...rowOf(row),
    ...(row.end_time === null && state.open !== null && now > state.open.silent ? endOf(state.open) : {}),
    ...wordsOf(row, legacies.get(row.id) ?? []),
    distance: 0,
    drive_time: 0,
    idle_time: 0,
    max_speed: null,
  }));
  const byStart = new Map(views.map((view) => [view.start_time, view]));
  for (const [start, ...sum] of sums as number[][]) addTo(byStart.get(start ?? NaN), sum);
  for (const [start, , ...part] of state.open?.parts ?? []) addTo(byStart.get(start), part);
  return views;
}

const endOf = ({ end: [time, latitude, longitude] }: OpenTrip) => ({ end_time: time, end_latitude: latitude, end_longitude: longitude });

const rowOf = ({ id, start_time, start_latitude, start_longitude, end_time, end_latitude, end_longitude }: TripRow) => ({
  id,
  start_time,
  start_latitude,
  start_longitude,
  end_time,
  end_latitude,
  end_longitude,
});

function addTo(view: TripView | undefined, [distance = 0, drive = 0, idle = 0, speed = 0]: readonly number[]): void {
  if (view === undefined) return;
  view.distance += distance;
  view.drive_time += drive;
  view.idle_time += idle;
  view.max_speed = Math.max(view.max_speed ?? 0, speed);
}

const pack = (rows: readonly SqlValue[][]): Float64Array => Float64Array.from(rows.flat() as number[]);

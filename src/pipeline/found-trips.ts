// Trips and their parts, as they are found: written, and where a stretch of fixes was replayed, put in the place of what it showed before.
import type { Sql } from '../storage/operation.ts';
import type { FinalPart, Outcome } from './outcome.ts';
import { BETWEEN, boundsOf, type Stretch } from './stretch.ts';
import { matchTrips, type TripRow } from './trip-match.ts';

/** Trips do not overlap: parts that were shown from a moment on are of those that began after it, or of the two or so before. */
const SOME_TRIPS_BEFORE = `coalesce((select start_time from trips where tracker_id = $1 and vanished = 0 and start_time <= $2
  order by start_time desc limit 1 offset 3), 0)`;
const TRIPS = `select * from trips where tracker_id = $1 and start_time >= ${SOME_TRIPS_BEFORE} and start_time < $3`;
const PARTS = `select * from trip_parts where ${BETWEEN} and trip_start >= ${SOME_TRIPS_BEFORE} and trip_start < $3`;

export const insertTrip = (sql: Sql, trackerId: number, { time, latitude, longitude, made }: Outcome['opened'][number]): Promise<number> =>
  sql.run(
    'insert into trips (tracker_id, start_time, start_latitude, start_longitude, opened) values ($1, $2, $3, $4, $5)',
    trackerId,
    time,
    latitude,
    longitude,
    made,
  );

export const closeTrip = (
  sql: Sql,
  trackerId: number,
  { trip, time, latitude, longitude, made }: Outcome['closed'][number],
): Promise<number> =>
  sql.run(
    `update trips set end_time = $3, end_latitude = $4, end_longitude = $5, closed = $6
     where tracker_id = $1 and start_time = $2 and vanished = 0`,
    trackerId,
    trip,
    time,
    latitude,
    longitude,
    made,
  );

/** Puts trips in the place of those before. `starts`: of the trips that began or ended in the stretch, before or now, and of those that may have become one that did. */
export async function replaceTrips(
  sql: Sql,
  trackerId: number,
  stretch: Stretch,
  { opened, closed }: Outcome,
): Promise<{ changes: number; starts: Set<number> }> {
  const before = await sql.all<TripRow>(
    `${TRIPS} and vanished = 0 and ((opened >= $2 and opened < $3) or (closed >= $2 and closed < $3)) order by start_time`,
    ...boundsOf(trackerId, stretch),
  );
  // Trips that vanished once may come back: what was written on them waits for that. And one of before may be shown earlier now.
  const others =
    opened.length === 0
      ? []
      : await sql.all<TripRow>(
          `${TRIPS} and (vanished = 1 or opened >= $3) and coalesce(end_time, opened) > $4 order by start_time`,
          ...boundsOf(trackerId, stretch),
          Math.min(...opened.map(({ time }) => time)),
        );
  const inStretch = (time: number | null): boolean => time !== null && time >= stretch.from && time < stretch.to;
  const { kept, added, vanished, unchanged } = matchTrips({
    before: before.filter(({ opened: made }) => inStretch(made)),
    others,
    opened,
    closed,
  });
  // What ended in the stretch and no longer does is open again.
  const ends = new Set(closed.map(({ trip }) => trip));
  for (const row of before) if (inStretch(row.closed) && !ends.has(row.start_time)) unchanged.delete(row.id);
  for (const { id } of before.filter(({ closed: made, id: own }) => inStretch(made) && !unchanged.has(own)))
    await sql.run('update trips set end_time = null, end_latitude = null, end_longitude = null, closed = null where id = $1', id);
  // What it was stays with it, so that a look at its address finds the trip that took its place.
  for (const row of vanished)
    await sql.run('update trips set vanished = 1, end_time = $2 where id = $1', row.id, row.end_time ?? row.opened);
  for (const [row, opening] of kept) {
    if (unchanged.has(row.id)) continue;
    const isOther = row.vanished === 1 || row.start_time !== opening.time;
    await sql.run(
      `update trips set start_time = $2, start_latitude = $3, start_longitude = $4, opened = $5, vanished = 0
       ${isOther ? ', end_time = null, end_latitude = null, end_longitude = null, closed = null' : ''} where id = $1`,
      row.id,
      opening.time,
      opening.latitude,
      opening.longitude,
      opening.made,
    );
  }
  for (const opening of added) await insertTrip(sql, trackerId, opening);
  const same = new Set(before.filter(({ id }) => unchanged.has(id)).map(({ start_time: start }) => start));
  for (const closing of closed) if (!same.has(closing.trip)) await closeTrip(sql, trackerId, closing);
  let changes = added.length;
  for (const row of [...before, ...others]) {
    const now = await sql.get<TripRow>('select * from trips where id = $1', row.id);
    if (FOUND.some((column) => now?.[column] !== row[column])) changes++;
  }
  return { changes, starts: new Set([...[...before, ...others].map(({ start_time: start }) => start), ...ends]) };
}

/** What is found of a trip, not written on it. */
const FOUND = [
  'start_time', 'start_latitude', 'start_longitude', 'opened', 'end_time', 'end_latitude', 'end_longitude', 'closed', 'vanished',
] as const; // prettier-ignore

export const insertPart = (sql: Sql, trackerId: number, part: FinalPart): Promise<number> =>
  sql.run(
    `insert into trip_parts (tracker_id, trip_start, bucket, made, distance, drive_time, idle_time, max_speed)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    trackerId,
    part.trip,
    part.bucket,
    part.made,
    part.distance,
    part.driveTime,
    part.idleTime,
    part.maxSpeed,
  );

export const distanceOf = (parts: readonly { distance: number }[]): number => parts.reduce((sum, { distance }) => sum + distance, 0);

interface PartRow {
  trip_start: number;
  bucket: number;
  made: number;
  distance: number;
  drive_time: number;
  idle_time: number;
  max_speed: number;
}

/** Puts parts in the place of those before; by how much the distance of all changed, mm, and how many rows. */
export async function replaceParts(
  sql: Sql,
  trackerId: number,
  stretch: Stretch,
  parts: readonly FinalPart[],
): Promise<{ driven: number; changes: number }> {
  const old = await sql.all<PartRow>(PARTS, ...boundsOf(trackerId, stretch));
  const describe = (p: PartRow): string => [p.trip_start, p.bucket, p.made, p.distance, p.drive_time, p.idle_time, p.max_speed].join(' ');
  const rowOf = (p: FinalPart): PartRow => ({
    trip_start: p.trip,
    bucket: p.bucket,
    made: p.made,
    distance: p.distance,
    drive_time: p.driveTime,
    idle_time: p.idleTime,
    max_speed: p.maxSpeed,
  });
  const now = new Set(parts.map((part) => describe(rowOf(part))));
  const was = new Set(old.map(describe));
  let [changes, driven] = [0, distanceOf(parts)];
  const drop = async (start: number, bucket: number): Promise<void> => {
    const row = await sql.get<Pick<PartRow, 'distance'>>(
      'delete from trip_parts where tracker_id = $1 and trip_start = $2 and bucket = $3 returning distance',
      trackerId,
      start,
      bucket,
    );
    driven -= row?.distance ?? 0;
  };
  for (const row of old) {
    if (now.has(describe(row))) driven -= row.distance;
    else {
      await drop(row.trip_start, row.bucket);
      changes++;
    }
  }
  for (const part of parts) {
    if (was.has(describe(rowOf(part)))) continue;
    await drop(part.trip, part.bucket);
    await insertPart(sql, trackerId, part);
    changes++;
  }
  return { driven, changes };
}

/**
 * A trip of before that is over by the end of the stretch, or was none: what was shown of it behind the stretch is not to be found by
 * its trip any more, once that is far back.
 */
export async function dropStaleParts(
  sql: Sql,
  trackerId: number,
  { to }: Stretch,
  starts: ReadonlySet<number>,
): Promise<{ driven: number; changes: number }> {
  const stale: Pick<PartRow, 'distance'>[] = [];
  for (const start of to === Infinity ? [] : starts)
    stale.push(
      ...(await sql.all<Pick<PartRow, 'distance'>>(
        `delete from trip_parts where tracker_id = $1 and trip_start = $2 and made >= $3
         and not exists (select 1 from trips where tracker_id = $1 and start_time = $2 and vanished = 0 and (closed is null or closed >= $3))
         returning distance`,
        trackerId,
        start,
        to,
      )),
    );
  return { driven: distanceOf(stale), changes: stale.length };
}

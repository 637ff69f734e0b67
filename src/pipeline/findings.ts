// Writes what the state machines found. Where a stretch of fixes was replayed, what it showed before is compared with what it
// shows now: what is the same is left alone, what changed keeps its address, what is gone goes.
import { EVENT } from '../kinds/event-type.ts';
import type { Sql } from '../storage/operation.ts';
import type { DerivedEvent, FinalPart, Outcome } from './outcome.ts';
import { matchTrips, type TripRow } from './trip-match.ts';

/** The fixes that were replayed: those with from <= time < to. */
export interface Stretch {
  from: number;
  to: number;
}

/** What came of writing. */
export interface Written {
  /** Events that were not known before. */
  events: (DerivedEvent & { id: number })[];
  /** By how much the distance of all trips changed, mm. */
  driven: number;
  /** Rows that differ from those before; what is new in a stretch that was not replayed does not count. */
  changes: number;
}

export interface Owner {
  trackerId: number;
  accountId: number;
}

/** Writes an outcome that follows everything found before. */
export async function addFindings(sql: Sql, owner: Owner, outcome: Outcome): Promise<Written> {
  const { trackerId } = owner;
  for (const { time, digest } of outcome.jumps) await mark(sql, trackerId, time, digest, 2);
  for (const opening of outcome.opened) await insertTrip(sql, trackerId, opening);
  for (const part of outcome.parts) await insertPart(sql, trackerId, part);
  for (const closing of outcome.closed) await closeTrip(sql, trackerId, closing);
  const events = await insertEvents(sql, owner, outcome.events);
  return { events, driven: distanceOf(outcome.parts), changes: 0 };
}

/** Writes the outcome of a replay in the place of what the same stretch showed before. `undecided`: since when fixes were, and which still are. */
export async function replaceFindings(
  sql: Sql,
  owner: Owner,
  stretch: Stretch,
  outcome: Outcome,
  undecided: { before: number | null; after: ReadonlySet<string> },
): Promise<Written> {
  const { trackerId } = owner;
  const jumps = await replaceJumps(sql, trackerId, stretch, outcome, undecided);
  const trips = await replaceTrips(sql, trackerId, stretch, outcome);
  const parts = await replaceParts(sql, trackerId, stretch, outcome.parts);
  const events = await replaceEvents(sql, owner, stretch, outcome.events);
  return { events: events.added, driven: parts.driven, changes: jumps + trips + parts.changes + events.changes };
}

const BETWEEN = 'tracker_id = $1 and made >= $2 and made < $3';
/** Events that were shown within so long, ms, are found by their time; the index `events_shown_late` has the others. */
const SOON = 3_600_000;
const EVENTS = `select * from events where ${BETWEEN} and time >= $2 - ${SOON} and time < $3 and made - time <= ${SOON}
  union all select * from events where ${BETWEEN} and made - time > ${SOON} order by time, id`;
/** Trips do not overlap: parts that were shown from a moment on are of those that began after it, or of the two or so before. */
const SOME_TRIPS_BEFORE = `coalesce((select start_time from trips where tracker_id = $1 and vanished = 0 and start_time <= $2
  order by start_time desc limit 1 offset 3), -8640000000000000)`;
const PARTS = `select * from trip_parts where ${BETWEEN} and trip_start >= ${SOME_TRIPS_BEFORE} and trip_start < $3`;
const TRIPS = `select * from trips where tracker_id = $1 and start_time >= ${SOME_TRIPS_BEFORE} and start_time < $3`;
/** What a column of whole numbers can hold stands for the ends of time. */
const bound = (time: number): number => Math.min(Math.max(time, -8.64e15), 8.64e15);
const boundsOf = (trackerId: number, { from, to }: Stretch): [number, number, number] => [trackerId, bound(from), bound(to)];

const mark = (sql: Sql, trackerId: number, time: number, digest: number, valid: number): Promise<number> =>
  sql.run('update positions set valid = $4 where tracker_id = $1 and time = $2 and digest = $3', trackerId, time, digest, valid);

export const keyOf = (time: number, digest: number): string => `${time} ${digest}`;

async function replaceJumps(
  sql: Sql,
  trackerId: number,
  { from, to }: Stretch,
  { jumps }: Outcome,
  { before, after }: { before: number | null; after: ReadonlySet<string> },
): Promise<number> {
  const old = await sql.all<{ time: number; digest: number }>(
    'select time, digest from positions where tracker_id = $1 and time >= $2 and time < $3 and valid = 2',
    ...boundsOf(trackerId, { from: Math.min(from, before ?? from), to }),
  );
  const now = new Map(jumps.map(({ time, digest }) => [keyOf(time, digest), { time, digest }]));
  let changes = 0;
  for (const { time, digest } of old) {
    const key = keyOf(time, digest);
    // Of what is still undecided at the end of the stretch, what follows has decided.
    if (now.delete(key) || after.has(key)) continue;
    await mark(sql, trackerId, time, digest, 1);
    changes++;
  }
  for (const { time, digest } of now.values()) {
    await mark(sql, trackerId, time, digest, 2);
    changes++;
  }
  return changes;
}

const insertTrip = (sql: Sql, trackerId: number, { time, latitude, longitude, made }: Outcome['opened'][number]): Promise<number> =>
  sql.run(
    'insert into trips (tracker_id, start_time, start_latitude, start_longitude, opened) values ($1, $2, $3, $4, $5)',
    trackerId,
    time,
    latitude,
    longitude,
    made,
  );

const closeTrip = (sql: Sql, trackerId: number, { trip, time, latitude, longitude, made }: Outcome['closed'][number]): Promise<number> =>
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

async function replaceTrips(sql: Sql, trackerId: number, stretch: Stretch, { opened, closed }: Outcome): Promise<number> {
  const before = await sql.all<TripRow>(
    `${TRIPS} and vanished = 0 and ((opened >= $2 and opened < $3) or (closed >= $2 and closed < $3)) order by start_time`,
    ...boundsOf(trackerId, stretch),
  );
  // Trips that vanished once may come back: what was written on them waits for that.
  const gone =
    opened.length === 0
      ? []
      : await sql.all<TripRow>(
          `${TRIPS} and vanished = 1 and end_time > $4 order by start_time`,
          ...boundsOf(trackerId, stretch),
          Math.min(...opened.map(({ time }) => time)),
        );
  const inStretch = (time: number | null): boolean => time !== null && time >= stretch.from && time < stretch.to;
  const { kept, added, vanished, unchanged } = matchTrips({
    before: before.filter(({ opened: made }) => inStretch(made)),
    gone,
    opened,
    closed,
  });
  // What ended in the stretch and no longer does is open again.
  const ends = new Set(closed.map(({ trip }) => trip));
  for (const row of before) if (inStretch(row.closed) && !ends.has(row.start_time)) unchanged.delete(row.id);
  let changes = 0;
  for (const { id } of before.filter(({ closed: made, id: own }) => inStretch(made) && !unchanged.has(own)))
    await sql.run('update trips set end_time = null, end_latitude = null, end_longitude = null, closed = null where id = $1', id);
  for (const row of vanished) {
    // What it was stays with it, so that a look at its address finds the trip that took its place.
    await sql.run('update trips set vanished = 1, end_time = $2 where id = $1', row.id, row.end_time ?? row.opened);
    changes++;
  }
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
  for (const opening of added) {
    await insertTrip(sql, trackerId, opening);
    changes++;
  }
  const same = new Set(before.filter(({ id }) => unchanged.has(id)).map(({ start_time: start }) => start));
  for (const closing of closed) if (!same.has(closing.trip)) await closeTrip(sql, trackerId, closing);
  for (const row of before) {
    const now = await sql.get<TripRow>('select * from trips where id = $1', row.id);
    if (now?.start_time !== row.start_time || now.end_time !== row.end_time) changes++;
  }
  return changes;
}

const insertPart = (sql: Sql, trackerId: number, part: FinalPart): Promise<number> =>
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

const distanceOf = (parts: readonly { distance: number }[]): number => parts.reduce((sum, { distance }) => sum + distance, 0);

interface PartRow {
  trip_start: number;
  bucket: number;
  made: number;
  distance: number;
  drive_time: number;
  idle_time: number;
  max_speed: number;
}

async function replaceParts(
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
  let changes = 0;
  for (const row of old) {
    if (now.has(describe(row))) continue;
    await sql.run(
      'delete from trip_parts where tracker_id = $1 and trip_start = $2 and bucket = $3',
      trackerId,
      row.trip_start,
      row.bucket,
    );
    changes++;
  }
  for (const part of parts) {
    if (was.has(describe(rowOf(part)))) continue;
    await insertPart(sql, trackerId, part);
    changes++;
  }
  return { driven: distanceOf(parts) - distanceOf(old), changes };
}

interface EventRow {
  id: number;
  time: number;
  type: number;
  discriminator: number;
  made: number;
  latitude: number | null;
  longitude: number | null;
  zone_id: number | null;
  zone_name: string | null;
  cross_type: string | null;
  value: number | null;
}

/** The end of a trip may have been told when its tracker fell silent: now a fix shows it. */
const confirmTripEnd = async (sql: Sql, { trackerId }: Owner, { time, type, made }: DerivedEvent): Promise<boolean> =>
  (await sql.run(
    'update events set made = $4 where tracker_id = $1 and time = $2 and type = $3 and discriminator = 0 and made is null',
    trackerId,
    time,
    type,
    made,
  )) > 0;

async function insertEvents(sql: Sql, owner: Owner, events: readonly DerivedEvent[]): Promise<Written['events']> {
  const added: Written['events'] = [];
  for (const event of events) {
    if (event.type === EVENT.tripEnd && (await confirmTripEnd(sql, owner, event))) continue;
    const row = await sql.get<{ id: number }>(
      `insert into events (account_id, tracker_id, time, type, discriminator, made, latitude, longitude, zone_id, zone_name, cross_type, value)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (tracker_id, time, type, discriminator) do nothing returning id`,
      owner.accountId,
      owner.trackerId,
      event.time,
      event.type,
      event.discriminator,
      event.made,
      event.latitude,
      event.longitude,
      event.zone?.id ?? null,
      event.zone?.name ?? null,
      event.zone?.crossType ?? null,
      event.value,
    );
    if (row !== undefined) added.push({ ...event, id: row.id });
  }
  return added;
}

async function replaceEvents(
  sql: Sql,
  owner: Owner,
  stretch: Stretch,
  events: readonly DerivedEvent[],
): Promise<{ added: Written['events']; changes: number }> {
  const old = await sql.all<EventRow>(EVENTS, ...boundsOf(owner.trackerId, stretch));
  const left = new Map(old.map((row) => [`${row.time} ${row.type} ${row.discriminator}`, row]));
  const fresh: DerivedEvent[] = [];
  let changes = 0;
  const moved: [EventRow, DerivedEvent][] = [];
  for (const event of events) {
    const key = `${event.time} ${event.type} ${event.discriminator}`;
    const row = left.get(key);
    if (row === undefined) fresh.push(event);
    else {
      left.delete(key);
      if (!isSame(row, event)) moved.push([row, event]);
    }
  }
  // One of the same type and zone that was at another moment is the same event, better known: it keeps its address and is not told twice.
  const added: DerivedEvent[] = [];
  for (const event of fresh) {
    const near = [...left.values()]
      .filter(({ type, discriminator }) => type === event.type && discriminator === event.discriminator)
      .toSorted((a, b) => Math.abs(a.time - event.time) - Math.abs(b.time - event.time))[0];
    if (near === undefined || Math.abs(near.time - event.time) > SAME_EVENT) added.push(event);
    else {
      left.delete(`${near.time} ${near.type} ${near.discriminator}`);
      moved.push([near, event]);
    }
  }
  for (const { id } of left.values()) await sql.run('delete from events where id = $1', id);
  // Out of the way first: one may take the moment that another leaves.
  for (const [row] of moved) await sql.run('update events set time = -$2 where id = $1', row.id, row.id);
  for (const [row, event] of moved)
    await sql.run(
      `update events set time = $2, made = $3, latitude = $4, longitude = $5, zone_name = $6, value = $7 where id = $1`,
      row.id,
      event.time,
      event.made,
      event.latitude,
      event.longitude,
      event.zone?.name ?? null,
      event.value,
    );
  changes += left.size + moved.length + added.length;
  return { added: await insertEvents(sql, owner, added), changes };
}

/** Two findings of one type this near each other in time are the same event, ms. */
const SAME_EVENT = 900_000;

const isSame = (row: EventRow, event: DerivedEvent): boolean =>
  row.made === event.made &&
  row.latitude === event.latitude &&
  row.longitude === event.longitude &&
  row.value === event.value &&
  row.zone_name === (event.zone?.name ?? null);

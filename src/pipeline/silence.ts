// Trackers that fall silent and are heard again. About hearing, not about positions: it goes by the service's own clock, and
// needs no report to come. What a silence says of a trip is taken back if a report comes that says otherwise.
import { EVENT, type EventType } from '../kinds/event-type.ts';
import { long, write, type Sql } from '../storage/operation.ts';
import type { OpenTrip } from '../storage/storage.ts';
import { tell, type Happening, type Telling, type Told } from './outbox.ts';
import { findTracked, type Tracked } from './tracked.ts';

export interface SilenceRule {
  /** After how long without a word a tracker counts as offline, ms, where it has no time of its own; 0 is never. */
  after: number;
  /** While the service itself did not listen, nobody was silent: since when it does, ms. */
  listening: number;
  /** How long nothing must have come before a trip under way is over, ms: who sends what he recorded hours ago is not silent. */
  quiet: number;
}

/** Silent since when: the last word, or the beginning of listening. `$n` is `listening`. */
const silentSince = (n: number): string => `case when s.comm_time > $${n} then s.comm_time else $${n} end`;

/** Trackers that have been silent for too long, at most `limit`. */
export const silent = long(async (sql, now: number, { after, listening }: SilenceRule, limit: number): Promise<number[]> => {
  const rows = await sql.all<{ id: number }>(
    `select s.tracker_id as id from tracker_states s join trackers t on t.id = s.tracker_id
     where s.offline_since is null and s.comm_time is not null and coalesce(t.offline_after, $2) > 0
     and ${silentSince(3)} + coalesce(t.offline_after, $2) <= $1 limit $4`,
    now,
    after,
    listening,
    limit,
  );
  return rows.map(({ id }) => id);
});

/** Notes that a tracker is offline, unless it has been heard meanwhile; the targets that have a message waiting. */
export const noteOffline = write(
  async (sql, trackerId: number, now: number, { after, listening }: SilenceRule, telling: Telling): Promise<number[]> => {
    const tracked = await findTracked(sql, trackerId);
    if (tracked === undefined || tracked.offline_since !== null || tracked.comm_time === null) return [];
    const own = await sql.get<{ offline_after: number | null }>('select offline_after from trackers where id = $1', trackerId);
    const limit = own?.offline_after ?? after;
    const time = Math.max(tracked.comm_time, listening) + limit;
    if (limit === 0 || time > now) return [];
    await sql.run('update tracker_states set offline_since = $2 where tracker_id = $1', trackerId, time);
    const event = await insert(sql, tracked, EVENT.offline, time);
    return event === null ? [] : tell(sql, tracked, event, now, telling);
  },
);

/** The tracker is heard: if it counted as offline, it is online again. */
export async function noteOnline(sql: Sql, tracked: Tracked): Promise<Told[]> {
  if (tracked.offline_since === null) return [];
  const heard = tracked.comm_time ?? tracked.offline_since;
  tracked.offline_since = null;
  const event = await insert(sql, tracked, EVENT.online, heard);
  return event === null ? [] : [{ ...event, received: heard }];
}

type Place = Pick<Tracked, 'latitude' | 'longitude'>;

async function insert(sql: Sql, tracked: Tracked, type: EventType, time: number, place: Place = tracked): Promise<Happening | null> {
  const row = await sql.get<{ id: number }>(
    `insert into events (account_id, tracker_id, time, type, latitude, longitude) values ($1, $2, $3, $4, $5, $6)
     on conflict (tracker_id, time, type, discriminator) do nothing returning id`,
    tracked.account_id,
    tracked.tracker_id,
    time,
    type,
    place.latitude,
    place.longitude,
  );
  if (row === undefined) return null;
  return { id: row.id, type, time, discriminator: 0, latitude: place.latitude, longitude: place.longitude, zone: null, value: null };
}

/** Trackers whose trip under way has been silent for too long, at most `limit`. */
export const quietTrips = long(async (sql, now: number, { listening, quiet }: SilenceRule, limit: number): Promise<number[]> => {
  const rows = await sql.all<{ id: number }>(
    `select s.tracker_id as id from tracker_states s where s.trip_silent <= $1 and s.behind_since is null
     and ${silentSince(2)} + $3 <= $1 limit $4`,
    now,
    listening,
    quiet,
    limit,
  );
  return rows.map(({ id }) => id);
});

/** Tells of the end of a trip that has been silent for too long, unless it has been heard of meanwhile; the targets that have a message waiting. */
export const noteTripEnd = write(
  async (sql, trackerId: number, now: number, { listening, quiet }: SilenceRule, telling: Telling): Promise<number[]> => {
    const tracked = await findTracked(sql, trackerId);
    if (tracked === undefined || tracked.trip_silent === null || tracked.trip_silent > now || tracked.open_trip === null) return [];
    if (tracked.behind_since !== null) return [];
    if (Math.max(tracked.comm_time ?? 0, listening) + quiet > now) return [];
    const [time, latitude, longitude] = (JSON.parse(tracked.open_trip) as OpenTrip).end;
    await sql.run('update tracker_states set trip_silent = null, trip_told = $2 where tracker_id = $1', trackerId, time);
    const event = await insert(sql, tracked, EVENT.tripEnd, time, { latitude, longitude });
    return event === null ? [] : tell(sql, tracked, event, now, telling);
  },
);

/** A report came after all: if the trip goes on, or ended elsewhere, the end that was told was none. */
export async function takeBackTripEnd(sql: Sql, tracked: Tracked, open: OpenTrip | null): Promise<void> {
  const { trip_told: told } = tracked;
  if (told === null) return;
  if (open?.end[0] === told) {
    tracked.trip_silent = null;
    return;
  }
  tracked.trip_told = null;
  await sql.run(
    'delete from events where tracker_id = $1 and time = $2 and type = $3 and made is null',
    tracked.tracker_id,
    told,
    EVENT.tripEnd,
  );
}

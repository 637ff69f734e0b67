// Events, as they are found: written once, and where a stretch of fixes was replayed, put in the place of those that it showed before.
import type { Sql, SqlValue } from '../storage/operation.ts';
import type { DerivedEvent } from './outcome.ts';
import { BETWEEN, boundsOf, type Stretch } from './stretch.ts';

/** Events that were shown within so long, ms, are found by their time; the index `events_shown_late` has the others. */
const SOON = 3_600_000;
const EVENTS = `select * from events where ${BETWEEN} and time >= $2 - ${SOON} and time < $3 and made - time <= ${SOON}
  union all select * from events where ${BETWEEN} and made - time > ${SOON} order by time, id`;

export interface Owner {
  trackerId: number;
  accountId: number;
}

/** An event that was not known before, with its number. */
export type NewEvent = DerivedEvent & { id: number };

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

/** What stands there already is the same event: an end that was told when the tracker fell silent, or shown by a later fix until now. */
export async function insertEvents(sql: Sql, owner: Owner, events: readonly DerivedEvent[]): Promise<NewEvent[]> {
  const added: NewEvent[] = [];
  for (const event of events) {
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
    else
      await sql.run(
        `update events set made = $5, latitude = $6, longitude = $7, zone_name = $8, value = $9
         where tracker_id = $1 and time = $2 and type = $3 and discriminator = $4 and (made is null or made > $5)`,
        owner.trackerId,
        event.time,
        event.type,
        event.discriminator,
        ...shownOf(event),
      );
  }
  return added;
}

const shownOf = ({ made, latitude, longitude, zone, value }: DerivedEvent): [number, ...SqlValue[]] => [
  made,
  latitude,
  longitude,
  zone?.name ?? null,
  value,
];

/** Puts events in the place of those before; `added` are those that were not known. */
export async function replaceEvents(
  sql: Sql,
  owner: Owner,
  stretch: Stretch,
  events: readonly DerivedEvent[],
): Promise<{ added: NewEvent[]; changes: number }> {
  const old = await sql.all<EventRow>(EVENTS, ...boundsOf(owner.trackerId, stretch));
  const left = new Map(old.map((row) => [eventKeyOf(row), row]));
  const fresh: DerivedEvent[] = [];
  const moved: [EventRow, DerivedEvent][] = [];
  // Fixes of one moment may show an event twice: the first counts, as where they are added.
  const now = new Map(events.toReversed().map((event) => [eventKeyOf(event), event]));
  for (const [key, event] of [...now].toReversed()) {
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
      left.delete(eventKeyOf(near));
      moved.push([near, event]);
    }
  }
  for (const { id } of left.values()) await sql.run('delete from events where id = $1', id);
  // Out of the way first: one may take the moment that another leaves.
  for (const [{ id }] of moved) await sql.run('update events set time = $2 where id = $1', id, -id);
  for (const [row, event] of moved) {
    await sql.run(
      'delete from events where tracker_id = $1 and time = $2 and type = $3 and discriminator = $4',
      owner.trackerId,
      event.time,
      event.type,
      event.discriminator,
    );
    await sql.run(
      `update events set time = $2, made = $3, latitude = $4, longitude = $5, zone_name = $6, value = $7 where id = $1`,
      row.id,
      event.time,
      ...shownOf(event),
    );
  }
  return { added: await insertEvents(sql, owner, added), changes: left.size + moved.length + added.length };
}

const eventKeyOf = ({ time, type, discriminator }: Pick<DerivedEvent, 'time' | 'discriminator'> & { type: number }): string =>
  `${time} ${type} ${discriminator}`;

/** Two findings of one type this near each other in time are the same event, ms. */
const SAME_EVENT = 900_000;

const isSame = (row: EventRow, event: DerivedEvent): boolean =>
  row.made === event.made &&
  row.latitude === event.latitude &&
  row.longitude === event.longitude &&
  row.value === event.value &&
  row.zone_name === (event.zone?.name ?? null);

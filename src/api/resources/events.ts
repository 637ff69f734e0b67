// `event_types`; `events`, `trackers/<imei>/events` and `events/<id>`: what happened, in the order of time.
import { Refusal } from '../../basics/errors.ts';
import { EVENT_TYPES, eventType } from '../../kinds/event-type.ts';
import { event, events, eventTypes, type Event } from '../../kinds/event.ts';
import type { EventKey, EventRange, EventRow, Storage } from '../../storage/storage.ts';
import { addressOf, limitOf, refuseLimit, stretchOf } from '../query.ts';
import { numberIn, type Ask, type Resource, type Shown } from '../resource.ts';
import { seconds } from '../show.ts';
import { findTracker } from './trackers.ts';

type Parts = Pick<Storage, 'trackers' | 'events'>;

/** Events of a page when `limit` is not given, and of one step of a stream. */
const PAGE = 1000;

export const eventTypesResource: Resource = {
  path: 'event_types',
  get: {
    kind: eventTypes,
    read: async () => ({
      url: 'event_types',
      event_types: EVENT_TYPES.map(({ id, name, description, alarm }) => ({ event_id: id, name, description, alarm })),
    }),
  },
};

const show = (row: EventRow): Event => ({
  url: `events/${row.id}`,
  ts: seconds(row.time),
  imei: row.imei,
  tracker_url: `trackers/${row.imei}`,
  event_id: row.type,
  event_name: eventType(row.type)?.name ?? '',
  latitude: row.latitude,
  longitude: row.longitude,
  address: null,
  zone_name: row.zone_name,
  zone_url: row.zone_id === null ? null : `zones/${row.zone_id}`,
  cross_type: row.cross_type,
  value: row.value,
});

export function eventResource(storage: Parts): Resource {
  return {
    path: 'events/:id',
    get: {
      kind: event,
      async read(ask) {
        const row = await storage.events.byId(ask.account.id, numberIn(ask, 'id'));
        if (row === undefined) throw new Refusal(404, 'There is no such event.');
        return show(row);
      },
      title: ({ event_name: name }) => String(name),
    },
  };
}

/** Of the account, or of one tracker. */
export function eventsResource(storage: Parts, path: 'events' | 'trackers/:imei/events', maxPage: number): Resource {
  const whose = async (ask: Ask): Promise<{ trackerId: number | null; title: string }> => {
    if (path === 'events') return { trackerId: null, title: 'events' };
    const { id, name } = await findTracker(storage, ask);
    return { trackerId: id, title: name };
  };
  const rangeOf = ({ account, query }: Ask, trackerId: number | null): Omit<EventRange, 'limit'> => ({
    accountId: account.id,
    trackerId,
    ...stretchOf(query),
    after: keyOf(query.get('after')),
  });
  return {
    path,
    get: {
      kind: events,
      query: {
        from_ts: 'Only events from this moment on.',
        to_ts: 'Only events up to this moment, included.',
        limit: `Events of a page: ${PAGE} when left out, at most ${maxPage}.`,
        after: 'Only what follows an event; `next_url` carries it.',
      },
      async read(ask): Promise<Shown> {
        const { trackerId } = await whose(ask);
        const { rows, more } = await storage.events.page({ ...rangeOf(ask, trackerId), limit: limitOf(ask.query, PAGE, maxPage) });
        const last = rows.at(-1);
        const next = more && last !== undefined ? addressOf(ask, `${last.time}-${last.id}`) : null;
        return { url: addressOf(ask, null), events: rows.map(show), next_url: next };
      },
      async stream(ask) {
        refuseLimit(ask.query);
        const { trackerId, title } = await whose(ask);
        return { title, items: walk(storage, rangeOf(ask, trackerId)) };
      },
    },
  };
}

async function* walk(storage: Parts, range: Omit<EventRange, 'limit'>): AsyncGenerator<Event> {
  for (let after = range.after, more = true; more;) {
    const page = await storage.events.page({ ...range, after, limit: PAGE });
    yield* page.rows.map(show);
    after = page.rows.at(-1) ?? after;
    more = page.more;
  }
}

function keyOf(text: string | null): EventKey | null {
  if (text === null) return null;
  const [, time, id] = /^(\d{1,16})-(\d{1,16})$/.exec(text) ?? [];
  if (time === undefined || id === undefined) throw new Refusal(400, 'after must be as a next_url had it.');
  return { time: Number(time), id: Number(id) };
}

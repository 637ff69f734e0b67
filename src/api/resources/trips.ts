// `trackers/<imei>/trips` and `trackers/<imei>/trips/<id>`: the journeys of a tracker, and what people write on them.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { toDuration } from '../../kinds/duration.ts';
import { alter } from '../../kinds/input.ts';
import { trip, trips, type Trip } from '../../kinds/trip.ts';
import type { Storage, TripView } from '../../storage/storage.ts';
import { addressOf, integerOf, limitOf, refuseLimit, stretchOf } from '../query.ts';
import type { Ask, Resource, Shown, Stream } from '../resource.ts';
import { km, roundKmh, seconds, secondsOrNull } from '../show.ts';
import { walkPositions } from './positions.ts';
import { findTracker } from './trackers.ts';

type Parts = Pick<Storage, 'trackers' | 'trips' | 'positions'>;

/** Trips of a page when `limit` is not given, and of one step of a stream. */
const PAGE = 500;
/** The last moment that a JavaScript date can name. */
const LAST_TIME = 8.64e15;

export function tripsResource(storage: Parts, clock: Clock, maxPage: number): Resource {
  const rangeOf = ({ query }: Ask, trackerId: number) => ({
    trackerId,
    ...stretchOf(query),
    after: integerOf(query, 'after', 0, LAST_TIME),
  });
  return {
    path: 'trackers/:imei/trips',
    get: {
      kind: trips,
      query: {
        from_ts: 'Only trips that go on beyond this moment.',
        to_ts: 'Only trips that begin up to this moment, included.',
        limit: `Trips of a page: ${PAGE} when left out, at most ${maxPage}.`,
        after: 'Only what follows a trip; `next_url` carries it.',
      },
      async read(ask) {
        const { id, imei } = await findTracker(storage, ask);
        const page = await storage.trips.page({ ...rangeOf(ask, id), limit: limitOf(ask.query, PAGE, maxPage) }, clock());
        const last = page.trips.at(-1);
        return {
          url: addressOf(ask, null),
          trips: page.trips.map((view) => showTrip(imei, view)),
          next_url: page.more && last !== undefined ? addressOf(ask, String(last.start_time)) : null,
        };
      },
      async stream(ask) {
        refuseLimit(ask.query);
        const { id, imei, name } = await findTracker(storage, ask);
        const range = rangeOf(ask, id);
        return streamOf(storage, { trackerId: id, imei, title: name }, async function* () {
          for (let { after } = range, more = true; more;) {
            const page = await storage.trips.page({ ...range, after, limit: PAGE }, clock());
            yield* page.trips;
            after = page.trips.at(-1)?.start_time ?? after;
            more = page.more;
          }
        });
      },
    },
  };
}

export function tripResource(storage: Parts, clock: Clock): Resource {
  async function find(ask: Ask): Promise<{ trackerId: number; imei: string; name: string; view: TripView }> {
    const { id: trackerId, imei, name } = await findTracker(storage, ask);
    const view = await storage.trips.find(trackerId, idOf(ask), clock());
    if (view === null) throw new Refusal(404, 'There is no such trip.');
    return { trackerId, imei, name, view };
  }
  return {
    path: 'trackers/:imei/trips/:id',
    get: {
      kind: trip,
      async read(ask) {
        const { imei, view } = await find(ask);
        return showTrip(imei, view);
      },
      async moved(ask) {
        const { imei, view } = await find(ask);
        return view.id === idOf(ask) ? null : addressOfTrip(imei, view);
      },
      async stream(ask) {
        const { trackerId, imei, name, view } = await find(ask);
        return streamOf(storage, { trackerId, imei, title: name }, async function* () {
          yield view;
        });
      },
    },
    put: {
      async change(ask, value, shown) {
        const { trackerId, view } = await find(ask);
        const to = alter(shown, value) as Trip;
        const words = { purpose: to.purpose, note: to.note === '' ? null : to.note, driver: to.driver?.name ?? null };
        if (!(await storage.trips.annotate(trackerId, view.id, words))) throw new Refusal(404, 'There is no such trip.');
        return undefined;
      },
    },
  };
}

const idOf = ({ params }: Ask): number => Number(/^\d{1,15}$/.exec(params['id'] ?? '')?.[0] ?? -1);

const addressOfTrip = (imei: string, { id }: TripView): string => `trackers/${imei}/trips/${id}`;

/** Whole seconds of drive and idle time. Days round as they go along, so that those of a trip add up to this. */
export const wholeSeconds = (time: number): number => Math.round(time / 1000);

function showTrip(imei: string, view: TripView): Trip {
  const [from, to] = [seconds(view.start_time), secondsOrNull(view.end_time)];
  return {
    url: addressOfTrip(imei, view),
    start_ts: from,
    end_ts: to,
    start: placeOf(view.start_latitude, view.start_longitude),
    end: view.end_latitude === null || view.end_longitude === null ? null : placeOf(view.end_latitude, view.end_longitude),
    drive_t: toDuration(wholeSeconds(view.drive_time)),
    drive_dist: km(view.distance / 1000),
    idle_t: toDuration(wholeSeconds(view.idle_time)),
    // mm in ms are m in s.
    avg_speed: view.drive_time === 0 ? null : roundKmh(view.distance / view.drive_time),
    max_speed: view.max_speed === null ? null : roundKmh(view.max_speed),
    positions_url: `trackers/${imei}/positions?from_ts=${from}${to === null ? '' : `&to_ts=${to}`}`,
    purpose: view.purpose as Trip['purpose'],
    note: view.note,
    driver: view.driver === null ? null : { name: view.driver },
  };
}

/** No address is made up: there is none as long as nobody knows it. */
const placeOf = (latitude: number, longitude: number) => ({ latitude, longitude, address: null });

/** Trips for the formats of other programs, each with the positions on its way. */
function streamOf(
  storage: Pick<Storage, 'positions'>,
  { trackerId, imei, title }: { trackerId: number; imei: string; title: string },
  found: () => AsyncIterable<TripView>,
): Stream {
  const views = new WeakMap<Shown, TripView>();
  return {
    title,
    items: (async function* () {
      for await (const view of found()) {
        const shown = showTrip(imei, view);
        views.set(shown, view);
        yield shown;
      }
    })(),
    positions(item) {
      const { start_time: from, end_time } = views.get(item) as TripView;
      return walkPositions(storage, { trackerId, from, to: end_time ?? LAST_TIME, after: null, attributes: false });
    },
  };
}

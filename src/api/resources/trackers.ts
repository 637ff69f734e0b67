// `trackers` and `trackers/<imei>`: the devices of the account and what is known of each now.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { mapSlices, readAll } from '../../basics/slices.ts';
import { secondsOf, toDuration } from '../../kinds/duration.ts';
import { alter } from '../../kinds/input.ts';
import { tracker, trackers, type Tracker } from '../../kinds/tracker.ts';
import { BUCKET } from '../../pipeline/outcome.ts';
import type { OwnThresholds, Storage, TrackerView } from '../../storage/storage.ts';
import type { Ask, Resource } from '../resource.ts';
import { km, kmhOrNull, seconds, secondsOrNull } from '../show.ts';

type Trackers = Pick<Storage, 'trackers'>;
type Counts = Pick<Storage, 'positions' | 'trips'>;

/** A sensor's last value; null when it never reported. */
export function sensed(view: TrackerView, sensor: string): number | null {
  return (JSON.parse(view.sensors) as Record<string, [number, number]>)[sensor]?.[1] ?? null;
}

export const ignitionOf = (view: TrackerView): boolean | null => {
  const value = sensed(view, 'ignition');
  return value === null ? null : value === 1;
};

/** m: what the device counts, else the distance of all trips; null when there is neither. */
const countedOf = (view: TrackerView): number | null => sensed(view, 'odometer') ?? (view.driven > 0 ? view.driven / 1000 : null);

/** km, within what the property can be. */
function odometerOf(view: TrackerView): number | null {
  const counted = countedOf(view);
  return counted === null && view.odometer_offset === 0 ? null : Math.min(Math.max(km((counted ?? 0) + view.odometer_offset), 0), 1e8);
}

/** How long an object that was read may be kept before it is saved, ms. */
const KEPT = 24 * 3600_000;

/** The offset after a save with this odometer, km. A reading that stood there when the object was read is no calibration. */
async function offsetAfter(storage: Counts, view: TrackerView, odometer: number | null, now: number): Promise<number> {
  if (odometer === odometerOf(view)) return view.odometer_offset;
  if (odometer === null) return 0;
  if (await hasStood(storage, view, odometer, now - KEPT)) return view.odometer_offset;
  return odometer * 1000 - (countedOf(view) ?? 0);
}

/** Whether the odometer showed this, km, at a moment since `since`. */
async function hasStood(storage: Counts, view: TrackerView, odometer: number, since: number): Promise<boolean> {
  const counted = odometer * 1000 - view.odometer_offset;
  if (sensed(view, 'odometer') !== null) return storage.positions.hasOdometer(view.id, since, counted);
  // What people read off a dashboard is no finer than 10 m; of sums of millimetres, one in ten thousand is not.
  if (Math.round(odometer * 1e6) % 10_000 === 0) return false;
  const least = view.driven - (await storage.trips.distanceSince(view.id, since - (since % BUCKET)));
  return Math.round(counted * 1000) >= least && Math.round(counted * 1000) <= view.driven;
}

function showTracker(view: TrackerView): Tracker {
  return {
    url: `trackers/${view.imei}`,
    imei: view.imei,
    name: view.name,
    model: view.model,
    start_ts: seconds(view.start_time),
    end_ts: secondsOrNull(view.end_time),
    data_retention: view.data_retention,
    comm_ts: secondsOrNull(view.comm_time),
    pos_ts: secondsOrNull(view.pos_time),
    latitude: view.latitude,
    longitude: view.longitude,
    speed: kmhOrNull(view.speed),
    heading: view.heading,
    ignition: ignitionOf(view),
    odometer_dist: odometerOf(view),
    trip_source: view.trip_source,
    stop_t: durationOrNull(view.stop_time),
    stop_radius: view.stop_radius,
    gap_t: durationOrNull(view.gap_time),
    trip_min_dist: view.trip_distance === null ? null : km(view.trip_distance),
    offline_t: durationOrNull(view.offline_after),
    positions_url: `trackers/${view.imei}/positions`,
    events_url: `trackers/${view.imei}/events`,
    event_notifications_url: `trackers/${view.imei}/event_notifications`,
    zone_notifications_url: `trackers/${view.imei}/zone_notifications`,
    days_url: `trackers/${view.imei}/days`,
    trips_url: `trackers/${view.imei}/trips`,
  };
}

const durationOrNull = (time: number | null): string | null => (time === null ? null : toDuration(seconds(time)));
const timeOrNull = (duration: string | null): number | null => (duration === null ? null : secondsOf(duration) * 1000);

const thresholdsOf = (to: Tracker): OwnThresholds => ({
  trip_source: to.trip_source,
  stop_time: timeOrNull(to.stop_t),
  stop_radius: to.stop_radius,
  gap_time: timeOrNull(to.gap_t),
  trip_distance: to.trip_min_dist === null ? null : Math.round(to.trip_min_dist * 1e6) / 1000,
  offline_after: timeOrNull(to.offline_t),
});

/** The account's tracker that the address names. Another account's is as unknown as one that does not exist. */
export async function findTracker(storage: Trackers, { account, params }: Ask): Promise<TrackerView> {
  const view = await storage.trackers.view(account.id, params['imei'] ?? '');
  if (view === undefined) throw new Refusal(404, 'There is no such tracker.');
  return view;
}

export function trackersResource(storage: Trackers, clock: Clock): Resource {
  return {
    path: 'trackers',
    get: {
      kind: trackers,
      async read({ account }) {
        const views = await readAll<TrackerView>((last, limit) => storage.trackers.list(account.id, last?.imei ?? '', limit));
        return { url: 'trackers', trackers: (await mapSlices(views, (slice) => slice.map(showTracker))).flat() };
      },
    },
    post: {
      kind: tracker,
      async faults(_, { imei }) {
        return imei !== undefined && (await storage.trackers.byImei(imei as string)) !== undefined ? { imei: 'taken' } : null;
      },
      async make({ account }, value) {
        const { imei, name = '', model = null } = value as { imei: string; name?: string; model?: string | null };
        const made = await storage.trackers.create({ accountId: account.id, imei, name: name === '' ? imei : name, model, now: clock() });
        return made === null ? { faults: { imei: 'taken' } } : { location: `trackers/${imei}` };
      },
    },
  };
}

export function trackerResource(storage: Trackers & Counts, clock: Clock): Resource {
  return {
    path: 'trackers/:imei',
    get: { kind: tracker, read: async (ask) => showTracker(await findTracker(storage, ask)), title: ({ name }) => String(name) },
    put: {
      async change(ask, value, shown) {
        const view = await findTracker(storage, ask);
        const to = alter(shown, value) as unknown as Tracker;
        const odometerOffset =
          'odometer_dist' in value ? await offsetAfter(storage, view, to.odometer_dist, clock()) : view.odometer_offset;
        const name = to.name === '' ? view.imei : to.name;
        const thresholds = { thresholds: thresholdsOf(to), now: clock() };
        await storage.trackers.alter(view.id, { name, model: to.model, dataRetention: to.data_retention, odometerOffset }, thresholds);
        return undefined;
      },
    },
    async delete(ask) {
      const { id } = await findTracker(storage, ask);
      await storage.trackers.remove(ask.account.id, id);
    },
  };
}

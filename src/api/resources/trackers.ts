// `trackers` and `trackers/<imei>`: the devices of the account and what is known of each now.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { mapSlices, readAll } from '../../basics/slices.ts';
import { alter } from '../../kinds/input.ts';
import { tracker, trackers, type Tracker } from '../../kinds/tracker.ts';
import type { Storage, TrackerView } from '../../storage/storage.ts';
import type { Ask, Resource } from '../resource.ts';
import { km, kmhOrNull, seconds, secondsOrNull } from '../show.ts';

type Trackers = Pick<Storage, 'trackers'>;

/** A sensor's last value; null when it never reported. */
export function sensed(view: TrackerView, sensor: string): number | null {
  return (JSON.parse(view.sensors) as Record<string, [number, number]>)[sensor]?.[1] ?? null;
}

export const ignitionOf = (view: TrackerView): boolean | null => {
  const value = sensed(view, 'ignition');
  return value === null ? null : value === 1;
};

/** km, within what the property can be. */
function odometerOf(view: TrackerView): number | null {
  const counted = sensed(view, 'odometer');
  return counted === null && view.odometer_offset === 0 ? null : Math.min(Math.max(km((counted ?? 0) + view.odometer_offset), 0), 1e8);
}

/** How long an object that was read may be kept before it is saved, ms. */
const KEPT = 24 * 3600_000;

/** The offset after a save with this odometer, km. A reading that stood there when the object was read is no calibration. */
async function offsetAfter(storage: Pick<Storage, 'positions'>, view: TrackerView, odometer: number | null, now: number): Promise<number> {
  if (odometer === odometerOf(view)) return view.odometer_offset;
  if (odometer === null) return 0;
  const counted = odometer * 1000 - view.odometer_offset;
  if (await storage.positions.hasOdometer(view.id, now - KEPT, counted)) return view.odometer_offset;
  return odometer * 1000 - (sensed(view, 'odometer') ?? 0);
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
    positions_url: `trackers/${view.imei}/positions`,
  };
}

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

export function trackerResource(storage: Pick<Storage, 'trackers' | 'positions'>, clock: Clock): Resource {
  return {
    path: 'trackers/:imei',
    get: { kind: tracker, read: async (ask) => showTracker(await findTracker(storage, ask)), title: ({ name }) => String(name) },
    put: {
      async change(ask, value, shown) {
        const view = await findTracker(storage, ask);
        const to = alter(shown, value) as unknown as Tracker;
        await storage.trackers.alter(view.id, {
          name: to.name === '' ? view.imei : to.name,
          model: to.model,
          dataRetention: to.data_retention,
          odometerOffset: 'odometer_dist' in value ? await offsetAfter(storage, view, to.odometer_dist, clock()) : view.odometer_offset,
        });
        return undefined;
      },
    },
    async delete(ask) {
      const { id } = await findTracker(storage, ask);
      await storage.trackers.remove(ask.account.id, id);
    },
  };
}

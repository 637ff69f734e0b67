// `live`: every tracker at the first call, what changed since at the next. The cursor is a number of committed changes.
import { Refusal } from '../../basics/errors.ts';
import { mapSlices, readAll } from '../../basics/slices.ts';
import { live, type Live } from '../../kinds/live.ts';
import type { Storage, TrackerView } from '../../storage/storage.ts';
import type { Resource } from '../resource.ts';
import { kmhOrNull, secondsOrNull } from '../show.ts';
import { ignitionOf, sensed } from './trackers.ts';

/** How long a client waits between two calls, s. */
export const REFRESH = 5;

export function showUpdate(view: TrackerView): Live['updates'][number] {
  return {
    imei: view.imei,
    name: view.name,
    url: `trackers/${view.imei}`,
    comm_ts: secondsOrNull(view.comm_time),
    pos_ts: secondsOrNull(view.pos_time),
    latitude: view.latitude,
    longitude: view.longitude,
    altitude: view.altitude,
    speed: kmhOrNull(view.speed),
    heading: view.heading,
    ignition: ignitionOf(view),
    battery: sensed(view, 'battery'),
  };
}

/** The cursor that a client brings; 0 when it brings none. */
export function cursorOf(text: string | null): number {
  if (text === null) return 0;
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(400, 'since must be as a live_url had it.');
  return Number(text);
}

/** What changed after the change `since`, oldest first, and the change to go on from. */
export async function changesSince(
  storage: Pick<Storage, 'trackers'>,
  accountId: number,
  since: number,
): Promise<{ rows: TrackerView[]; seq: number }> {
  // What changes while this is being read has a higher number, and comes with the next call.
  const last = await storage.trackers.lastChange();
  // A number from the future is of a database that was put back to an older copy since: everything may have changed.
  const from = since > last ? 0 : since;
  const rows = await readAll<TrackerView>((row, limit) =>
    storage.trackers.changed(accountId, row ?? { seq: from, id: Number.MAX_SAFE_INTEGER }, last, limit),
  );
  return { rows, seq: rows.at(-1)?.seq ?? from };
}

export function liveResource(storage: Pick<Storage, 'trackers'>): Resource {
  return {
    path: 'live',
    get: {
      kind: live,
      query: { since: 'Only what changed since; `live_url` carries it.' },
      async read({ account, query }): Promise<Live> {
        const since = cursorOf(query.get('since'));
        const { rows, seq } = await changesSince(storage, account.id, since);
        const next = `live?since=${seq}`;
        return {
          url: since === 0 ? 'live' : `live?since=${since}`,
          updates: (await mapSlices(rows, (slice) => slice.map(showUpdate))).flat(),
          live_url: next,
          stream_url: `live/stream?since=${seq}`,
          refresh: REFRESH,
        };
      },
    },
  };
}

// `live`: every tracker at the first call, what changed since at the next. The cursor is a number of committed changes.
import { Refusal } from '../../basics/errors.ts';
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

export function liveResource(storage: Pick<Storage, 'trackers'>): Resource {
  return {
    path: 'live',
    get: {
      kind: live,
      query: { since: 'Only what changed since; `live_url` carries it.' },
      async read({ account, query }): Promise<Live> {
        const since = cursorOf(query.get('since'));
        const { rows, seq } = await storage.trackers.changed(account.id, since);
        const next = `live?since=${seq}`;
        return {
          url: since === 0 ? 'live' : `live?since=${since}`,
          updates: rows.map(showUpdate),
          live_url: next,
          stream_url: `live/stream?since=${seq}`,
          refresh: REFRESH,
        };
      },
    },
  };
}

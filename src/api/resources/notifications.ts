// The rules of a tracker: `trackers/<imei>/event_notifications` and `zone_notifications`, the latter also under a zone.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { mapSlices, readAll } from '../../basics/slices.ts';
import { secondsOf, toDuration } from '../../kinds/duration.ts';
import { EVENT } from '../../kinds/event-type.ts';
import { alter } from '../../kinds/input.ts';
import type { Faults, Kind } from '../../kinds/kind.ts';
import {
  eventNotification,
  eventNotifications,
  zoneNotification,
  zoneNotifications,
  type EventNotification,
  type ZoneNotification,
} from '../../kinds/notification.ts';
import { MOST_ALIKE, type NotificationRow, type NotificationValues, type Storage } from '../../storage/storage.ts';
import { numberIn, type Ask, type Factory, type Resource, type Shown } from '../resource.ts';
import { kmhOrNull, metresPerSecond, seconds } from '../show.ts';
import { findTracker } from './trackers.ts';
import { findZone } from './zones.ts';

type Parts = Pick<Storage, 'trackers' | 'targets' | 'zones' | 'notifications'>;
type Rule = EventNotification | ZoneNotification;

const addressOf = ({ imei, event_type: type, id }: NotificationRow): string =>
  `trackers/${imei}/${type === EVENT.zoneCrossing ? 'zone' : 'event'}_notifications/${id}`;

function show(row: NotificationRow): Rule {
  const common = {
    target_url: `targets/${row.target_id}`,
    active: row.active === 1,
    days_wd: row.days_wd,
    from_t: toDuration(row.from_t),
    to_t: toDuration(row.to_t),
    cooldown_t: toDuration(row.cooldown / 1000),
    created_ts: seconds(row.created_time),
  };
  const url = addressOf(row);
  return row.zone_id === null
    ? { url, event_id: row.event_type, ...common, speed: kmhOrNull(row.speed) }
    : { url, zone_url: `zones/${row.zone_id}`, tracker_url: `trackers/${row.imei}`, cross_type: row.cross_type ?? 'both', ...common };
}

const numberOf = (address: string): number => Number(/^\w+\/(\d{1,15})$/.exec(address)?.[1] ?? -1);
const imeiOf = (address: string): string => address.slice(address.indexOf('/') + 1);

/** `invalid` for each link that leads to nothing of this account, or elsewhere than the address posted to says. */
async function linkFaults(storage: Parts, { account: { id }, params }: Ask, value: Record<string, unknown>, posted: boolean) {
  const { target_url: target, zone_url: zone, tracker_url: tracker } = value as Partial<Record<string, string>>;
  const faults: Faults = {};
  if (target !== undefined && (await storage.targets.byId(id, numberOf(target))) === undefined) faults['target_url'] = 'invalid';
  if (zone !== undefined) {
    const isOther = posted && params['id'] !== undefined && zone !== `zones/${params['id']}`;
    if (isOther || (await storage.zones.byId(id, numberOf(zone))) === undefined) faults['zone_url'] = 'invalid';
  }
  if (tracker !== undefined) {
    const isOther = posted && params['imei'] !== undefined && tracker !== `trackers/${params['imei']}`;
    if (isOther || (await storage.trackers.view(id, imeiOf(tracker))) === undefined) faults['tracker_url'] = 'invalid';
  }
  return Object.keys(faults).length > 0 ? faults : null;
}

/** What is stored of a rule. `trackerId`: of the tracker that it has. */
function valuesOf(rule: Rule, trackerId: number): NotificationValues {
  const common = {
    tracker_id: trackerId,
    target_id: numberOf(rule.target_url),
    active: rule.active ? 1 : 0,
    days_wd: rule.days_wd,
    from_t: secondsOf(rule.from_t),
    to_t: secondsOf(rule.to_t),
    cooldown: secondsOf(rule.cooldown_t) * 1000,
  };
  if ('zone_url' in rule)
    return { ...common, event_type: EVENT.zoneCrossing, zone_id: numberOf(rule.zone_url), cross_type: rule.cross_type, speed: null };
  const speed = rule.event_id === EVENT.overspeed && rule.speed !== null ? metresPerSecond(rule.speed) : null;
  return { ...common, event_type: rule.event_id, zone_id: null, cross_type: null, speed };
}

/** Why a rule was not stored: there are too many, or what it leads to went away since it was checked. */
async function refusalOf(storage: Parts, rule: NotificationValues, own: number | null): Promise<{ faults: Faults }> {
  if (await storage.notifications.hasMostAlike(rule, own))
    throw new Refusal(400, `A tracker can have ${MOST_ALIKE} notifications of one type of event, and as many of one zone.`);
  return { faults: GONE };
}
const GONE: Faults = { target_url: 'invalid' };

function factory(kind: Kind, implied: (ask: Ask) => Shown, storage: Parts, clock: Clock, cooldown: number): Factory {
  const defaults = { active: true, days_wd: 254, from_t: '00:00:00', to_t: '24:00:00', cooldown_t: toDuration(cooldown) };
  return {
    kind,
    implied,
    async faults(ask, value) {
      await findPlace(storage, ask);
      return linkFaults(storage, ask, value, true);
    },
    async make(ask, value) {
      const rule = { ...defaults, ...(kind === zoneNotification ? { cross_type: 'both' } : { speed: null }), ...value } as Rule;
      const imei = ask.params['imei'] ?? imeiOf(String(value['tracker_url']));
      const tracker = await storage.trackers.view(ask.account.id, imei);
      if (tracker === undefined) return { faults: GONE };
      const values = valuesOf(rule, tracker.id);
      const id = await storage.notifications.create(ask.account.id, values, clock());
      if (id === null) return refusalOf(storage, values, null);
      return { location: `trackers/${imei}/${kind.name}s/${id}` };
    },
  };
}

/** The tracker or zone that the address begins with. */
const findPlace = (storage: Parts, ask: Ask): Promise<{ id: number }> =>
  ask.params['imei'] === undefined ? findZone(storage, ask) : findTracker(storage, ask);

const shownAll = async (next: (after: number, limit: number) => Promise<NotificationRow[]>): Promise<Shown[]> =>
  (await mapSlices(await readAll<NotificationRow>((last, limit) => next(last?.id ?? 0, limit)), (slice) => slice.map(show))).flat();

/** `cooldown`: of a rule that says nothing else, s. */
export function eventNotificationsResource(storage: Parts, clock: Clock, cooldown: number): Resource {
  return {
    path: 'trackers/:imei/event_notifications',
    get: {
      kind: eventNotifications,
      async read(ask) {
        const { id, imei } = await findTracker(storage, ask);
        const rules = await shownAll((after, limit) => storage.notifications.ofTracker(id, after, limit));
        return { url: `trackers/${imei}/event_notifications`, event_notifications: rules };
      },
    },
    post: factory(eventNotification, () => ({}), storage, clock, cooldown),
  };
}

export function zoneNotificationsResource(storage: Parts, clock: Clock, cooldown: number): Resource {
  return {
    path: 'trackers/:imei/zone_notifications',
    get: {
      kind: zoneNotifications,
      async read(ask) {
        const { id, imei } = await findTracker(storage, ask);
        const rules = await shownAll((after, limit) => storage.notifications.zonesOfTracker(id, after, limit));
        return { url: `trackers/${imei}/zone_notifications`, zone_notifications: rules };
      },
    },
    post: factory(zoneNotification, ({ params }) => ({ tracker_url: `trackers/${params['imei']}` }), storage, clock, cooldown),
  };
}

export function notificationsOfZoneResource(storage: Parts, clock: Clock, cooldown: number): Resource {
  return {
    path: 'zones/:id/zone_notifications',
    get: {
      kind: zoneNotifications,
      async read(ask) {
        const { id } = await findZone(storage, ask);
        const rules = await shownAll((after, limit) => storage.notifications.ofZone(id, after, limit));
        return { url: `zones/${id}/zone_notifications`, zone_notifications: rules };
      },
    },
    post: factory(zoneNotification, ({ params }) => ({ zone_url: `zones/${params['id']}` }), storage, clock, cooldown),
  };
}

/** One rule of either kind. A zone notification that was moved to another tracker is still found at the address that it had. */
export function notificationResource(storage: Parts, kind: typeof eventNotification | typeof zoneNotification): Resource {
  const ofZone = kind === zoneNotification;
  const find = async (ask: Ask): Promise<NotificationRow> => {
    const tracker = await findTracker(storage, ask);
    const row = await storage.notifications.byId(ask.account.id, numberIn(ask, 'id'));
    if (row === undefined || (row.event_type === EVENT.zoneCrossing) !== ofZone || (!ofZone && row.tracker_id !== tracker.id))
      throw new Refusal(404, 'There is no such notification.');
    return row;
  };
  return {
    path: `trackers/:imei/${kind.name}s/:id`,
    get: { kind, read: async (ask) => show(await find(ask)) },
    put: {
      faults: (ask, value) => linkFaults(storage, ask, value, false),
      async change(ask, value, shown) {
        const { id, tracker_id: before } = await find(ask);
        const to = alter(shown, value) as unknown as Rule;
        const tracker = 'tracker_url' in to ? await storage.trackers.view(ask.account.id, imeiOf(to.tracker_url)) : { id: before };
        if (tracker === undefined) return { faults: GONE };
        const values = valuesOf(to, tracker.id);
        return (await storage.notifications.alter(ask.account.id, id, values)) ? undefined : refusalOf(storage, values, id);
      },
    },
    async delete(ask) {
      const { id } = await find(ask);
      await storage.notifications.remove(ask.account.id, id);
    },
  };
}

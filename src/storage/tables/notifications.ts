// Notifications: the rules that say which events of a tracker go to which target, and when. A rule of the type zone crossing has a zone
// and is a zone notification, every other an event notification. Knows no message.
import { EVENT } from '../../kinds/event-type.ts';
import { quick, write, type Sql, type SqlValue } from '../operation.ts';
import { updateSpeedLimits } from './speed-limits.ts';

export interface NotificationRow {
  id: number;
  account_id: number;
  tracker_id: number;
  /** Of the tracker. */
  imei: string;
  /** See kinds/event-type.ts. */
  event_type: number;
  zone_id: number | null;
  cross_type: 'entry' | 'exit' | 'both' | null;
  target_id: number;
  /** 0 or 1. */
  active: number;
  days_wd: number;
  /** Times of day, s. */
  from_t: number;
  to_t: number;
  /** Overspeed: the limit, m/s. */
  speed: number | null;
  /** ms. */
  cooldown: number;
  created_time: number;
}

export type NotificationValues = Omit<NotificationRow, 'id' | 'account_id' | 'imei' | 'created_time'>;

/** A rule with what else decides whether an event becomes a message. */
export type MatchingNotification = Omit<NotificationRow, 'imei' | 'account_id' | 'created_time'> & {
  /** 0 or 1. */
  target_active: number;
  target_type: string;
  /** Of the account: the window is read in it. */
  timezone: string;
};

const OWN =
  'n.id, n.tracker_id, n.event_type, n.zone_id, n.cross_type, n.target_id, n.active, n.days_wd, n.from_t, n.to_t, n.speed, n.cooldown';
const SELECT = `select ${OWN}, n.account_id, n.created_time, t.imei from notifications n join trackers t on t.id = n.tracker_id`;

/** The rules of a tracker for events of a type, whether active or not; of a zone crossing, those for this zone. */
export const matchingNotifications = (
  sql: Sql,
  trackerId: number,
  eventType: number,
  zoneId: number | null = null,
): Promise<MatchingNotification[]> =>
  sql.all<MatchingNotification>(
    `select ${OWN}, g.active as target_active, g.type as target_type, a.timezone
     from notifications n join targets g on g.id = n.target_id join accounts a on a.id = n.account_id
     where n.tracker_id = $1 and n.event_type = $2${zoneId === null ? '' : ' and n.zone_id = $3'} order by n.id`,
    trackerId,
    eventType,
    ...(zoneId === null ? [] : [zoneId]),
  );

const SET = ['tracker_id', 'event_type', 'zone_id', 'cross_type', 'target_id', 'active', 'days_wd', 'from_t', 'to_t', 'speed', 'cooldown'] as const; // prettier-ignore

const valuesOf = (rule: NotificationValues): SqlValue[] => SET.map((column) => rule[column]);

/** The tracker, the target and the zone are the account's, and still there. */
async function leadsSomewhere(sql: Sql, accountId: number, rule: NotificationValues): Promise<boolean> {
  const found = async (table: string, id: number): Promise<boolean> =>
    (await sql.get(`select id from ${table} where account_id = $1 and id = $2`, accountId, id)) !== undefined;
  return (
    (await found('trackers', rule.tracker_id)) &&
    (await found('targets', rule.target_id)) &&
    (rule.zone_id === null || (await found('zones', rule.zone_id)))
  );
}

/** Rules that one event can match: each may become a message in the event's own transaction, and each speed limit an event. */
export const MOST_ALIKE = 100;

/** Whether as many rules as can be match the same events, without the rule `own`. */
async function hasMostAlike(sql: Sql, rule: NotificationValues, own: number | null): Promise<boolean> {
  const row = await sql.get<{ count: number }>(
    `select count(*) as count from notifications
     where tracker_id = $1 and event_type = $2 and id <> $3${rule.zone_id === null ? '' : ' and zone_id = $4'}`,
    rule.tracker_id,
    rule.event_type,
    own ?? -1,
    ...(rule.zone_id === null ? [] : [rule.zone_id]),
  );
  return (row?.count ?? 0) >= MOST_ALIKE;
}

export const notifications = {
  /** The event notifications of a tracker, oldest first, from behind `after` on. */
  ofTracker: quick((sql, trackerId: number, after: number, limit: number) =>
    sql.all<NotificationRow>(
      `${SELECT} where n.tracker_id = $1 and n.event_type <> $2 and n.id > $3 order by n.id limit $4`,
      trackerId,
      EVENT.zoneCrossing,
      after,
      limit,
    ),
  ),

  /** Likewise its zone notifications. */
  zonesOfTracker: quick((sql, trackerId: number, after: number, limit: number) =>
    sql.all<NotificationRow>(
      `${SELECT} where n.tracker_id = $1 and n.event_type = $2 and n.id > $3 order by n.id limit $4`,
      trackerId,
      EVENT.zoneCrossing,
      after,
      limit,
    ),
  ),

  /** Likewise those of a zone. */
  ofZone: quick((sql, zoneId: number, after: number, limit: number) =>
    sql.all<NotificationRow>(`${SELECT} where n.zone_id = $1 and n.id > $2 order by n.id limit $3`, zoneId, after, limit),
  ),

  byId: quick((sql, accountId: number, id: number) =>
    sql.get<NotificationRow>(`${SELECT} where n.account_id = $1 and n.id = $2`, accountId, id),
  ),

  /** Whether there are as many rules for the same events as can be; `own` does not count. */
  hasMostAlike: quick(hasMostAlike),

  /** The new rule's id; null when the tracker, the target or the zone is not there, or there are as many rules like it as can be. */
  create: write(async (sql, accountId: number, rule: NotificationValues, now: number): Promise<number | null> => {
    if (!(await leadsSomewhere(sql, accountId, rule)) || (await hasMostAlike(sql, rule, null))) return null;
    const places = SET.map((_, i) => `$${i + 3}`).join(', ');
    const row = await sql.get<{ id: number }>(
      `insert into notifications (account_id, created_time, ${SET.join(', ')}) values ($1, $2, ${places}) returning id`,
      accountId,
      now,
      ...valuesOf(rule),
    );
    if (rule.event_type === EVENT.overspeed) await updateSpeedLimits(sql, rule.tracker_id);
    return row?.id ?? null;
  }),

  /** False when the rule, or what it leads to, is not there, or there are as many rules like it as can be. */
  alter: write(async (sql, accountId: number, id: number, rule: NotificationValues): Promise<boolean> => {
    if (!(await leadsSomewhere(sql, accountId, rule)) || (await hasMostAlike(sql, rule, id))) return false;
    const set = SET.map((column, i) => `${column} = $${i + 3}`).join(', ');
    const altered = await sql.run(`update notifications set ${set} where account_id = $1 and id = $2`, accountId, id, ...valuesOf(rule));
    // Event notifications stay with their tracker; another type may leave its limit behind.
    await updateSpeedLimits(sql, rule.tracker_id);
    return altered > 0;
  }),

  remove: write(async (sql, accountId: number, id: number): Promise<number> => {
    const row = await sql.get<{ tracker_id: number }>(
      'delete from notifications where account_id = $1 and id = $2 returning tracker_id',
      accountId,
      id,
    );
    if (row !== undefined) await updateSpeedLimits(sql, row.tracker_id);
    return row === undefined ? 0 : 1;
  }),
};

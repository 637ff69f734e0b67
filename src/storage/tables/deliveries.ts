// Deliveries: the outbox of messages, one row for each message to one target, and every attempt to get it there.
// Knows no transport, no pauses and no words: what is tried when, and what a message says, is decided elsewhere.
import { randomBytes } from 'node:crypto';
import type { Message } from '../../kinds/message.ts';
import { long, quick, write, type Sql } from '../operation.ts';
import type { TargetRow } from './targets.ts';

export type DeliveryState = 'waiting' | 'delivered' | 'given_up' | 'skipped';

export interface NewDelivery {
  accountId: number;
  targetId: number;
  /** The event that it tells of, the rule that asked for it, and what cool-downs are counted by; null in a test message. */
  eventId: number | null;
  notificationId: number | null;
  eventTime: number | null;
  crossType: string | null;
  message: Message;
  now: number;
  /** Why it is not to be sent at all; null when it is. */
  skipped: string | null;
}

/** A delivery as its account sees it. Times in ms. */
export interface DeliveryRow {
  id: number;
  account_id: number;
  target_id: number;
  /** Null for a test message, and when the event is there no more. */
  event_id: number | null;
  /** What receivers know it by, the same over all attempts: `msg_` and 22 characters. */
  uid: string;
  /** JSON, see kinds/message.ts. */
  message: string;
  created_time: number;
  state: DeliveryState;
  attempts: number;
  /** When it is tried next; null is as soon as those before it are done. */
  next_time: number | null;
  /** What the last attempt was answered, and what was wrong with it. */
  status: number | null;
  error: string | null;
}

/** The delivery whose turn it is at a target, with what is needed to send it. */
export interface DeliveryHead extends Omit<DeliveryRow, 'state' | 'status' | 'error' | 'event_id'> {
  /** Since when it is tried, or held up by one before it that is; null while neither is so. */
  first_time: number | null;
  type: TargetRow['type'];
  address: string;
  /** Of the target, 0 or 1. */
  active: number;
  /** Of the account. */
  timezone: string;
}

export interface AttemptRow {
  number: number;
  /** When it began, ms. */
  time: number;
  seconds: number;
  status: number | null;
  /** Null for the one that succeeded. */
  error: string | null;
}

/** An attempt and what follows from it. */
export interface AttemptResult extends Omit<AttemptRow, 'number'> {
  deliveryId: number;
  targetId: number;
  outcome: 'delivered' | 'given_up' | { retry: number };
}

/** How many messages wait, and when the one that has waited longest was made, ms. */
export interface Waiting {
  count: number;
  oldest: number | null;
}

// A removed tracker's events are out of reach at once.
const COLUMNS = `d.id, d.account_id, d.target_id,
  (select e.id from events e join trackers t on t.id = e.tracker_id where e.id = d.event_id) as event_id,
  d.uid, d.message, d.created_time, d.state, d.attempts, d.next_time, d.status, d.error`;

/** Puts a message into the outbox, as part of the transaction that `sql` is in; the delivery's id. */
export async function addDelivery(sql: Sql, delivery: NewDelivery): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into deliveries (account_id, target_id, event_id, notification_id, event_time, cross_type, uid, message, created_time, state, error)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
    delivery.accountId,
    delivery.targetId,
    delivery.eventId,
    delivery.notificationId,
    delivery.eventTime,
    delivery.crossType,
    `msg_${randomBytes(16).toString('base64url')}`,
    JSON.stringify(delivery.message),
    delivery.now,
    delivery.skipped === null ? 'waiting' : 'skipped',
    delivery.skipped,
  );
  if (row === undefined) throw new Error('a delivery was inserted and has no id');
  return row.id;
}

export const deliveries = {
  /** A test message to a target; its id, or null when the account has no such target. It speaks of a tracker that nobody has. */
  create: write(async (sql, accountId: number, targetId: number, now: number): Promise<number | null> => {
    if ((await sql.get('select id from targets where id = $1 and account_id = $2', targetId, accountId)) === undefined) return null;
    const place = { latitude: null, longitude: null, zone_name: null, cross_type: null, value: null };
    const message: Message = { imei: '000000000000000', name: 'Test', event_id: null, time: now, ...place, late: false };
    const about = { eventId: null, notificationId: null, eventTime: null, crossType: null };
    return addDelivery(sql, { accountId, targetId, ...about, message, now, skipped: null });
  }),

  /** Newest first, from before the delivery with the id `before` on; null is from the newest on. */
  list: long((sql, accountId: number, targetId: number, before: number | null, limit: number) =>
    sql.all<DeliveryRow>(
      `select ${COLUMNS} from deliveries d where d.target_id = $2 and d.account_id = $1 and d.id < $3 order by d.id desc limit $4`,
      accountId,
      targetId,
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
    ),
  ),

  byId: quick((sql, accountId: number, targetId: number, id: number) =>
    sql.get<DeliveryRow>(
      `select ${COLUMNS} from deliveries d where d.id = $3 and d.target_id = $2 and d.account_id = $1`,
      accountId,
      targetId,
      id,
    ),
  ),

  /** The first one first. */
  attempts: quick((sql, deliveryId: number) =>
    sql.all<AttemptRow>(
      'select number, time, seconds, status, error from delivery_attempts where delivery_id = $1 order by number',
      deliveryId,
    ),
  ),

  /** Lets one that was given up or skipped wait again, for a day from now; false when it is neither. */
  resend: write(
    async (sql, accountId: number, targetId: number, id: number, now: number): Promise<boolean> =>
      (await sql.run(
        `update deliveries set state = 'waiting', first_time = $4, next_time = null, status = null, error = null
         where id = $3 and target_id = $2 and account_id = $1 and state in ('given_up', 'skipped')`,
        accountId,
        targetId,
        id,
        now,
      )) === 1,
  ),

  /** Ends the pause of what waits at a target: its address is another now, say. */
  hurry: write((sql, targetId: number) =>
    sql.run(`update deliveries set next_time = null where target_id = $1 and state = 'waiting' and next_time is not null`, targetId),
  ),

  /** The ids of all targets that messages wait for. */
  waitingTargets: long(async (sql): Promise<number[]> => {
    const rows = await sql.rows(
      `select id from targets where exists (select 1 from deliveries d where d.target_id = targets.id and d.state = 'waiting')`,
    );
    return rows.map(([id]) => id as number);
  }),

  waiting: long(async (sql): Promise<Waiting> => {
    const row = await sql.get<{ count: number; first: number | null }>(
      `select count(*) as count, min(id) as first from deliveries where state = 'waiting'`,
    );
    const oldest = await sql.get<{ created_time: number }>('select created_time from deliveries where id = $1', row?.first ?? -1);
    return { count: row?.count ?? 0, oldest: oldest?.created_time ?? null };
  }),

  /** The delivery whose turn it is at a target: the oldest that waits. More than one node would take a lease on it here. */
  head: quick((sql, targetId: number) =>
    sql.get<DeliveryHead>(
      `select d.id, d.account_id, d.target_id, d.uid, d.message, d.created_time, d.attempts, d.first_time, d.next_time,
       t.type, t.address, t.active, a.timezone
       from deliveries d join targets t on t.id = d.target_id join accounts a on a.id = d.account_id
       where d.target_id = $1 and d.state = 'waiting' order by d.id limit 1`,
      targetId,
    ),
  ),

  /** Notes attempts at heads. What is gone or waits no more is passed over. A failure holds up all that waits behind it. */
  record: write(async (sql, results: readonly AttemptResult[]): Promise<void> => {
    for (const { deliveryId, targetId, time, seconds, status, error, outcome } of results) {
      const number = await sql.get<{ attempts: number }>(
        `update deliveries set state = $2, next_time = $3, status = $4, error = $5, attempts = attempts + 1,
         first_time = coalesce(first_time, $6) where id = $1 and state = 'waiting' returning attempts`,
        deliveryId,
        typeof outcome === 'string' ? outcome : 'waiting',
        typeof outcome === 'string' ? null : outcome.retry,
        status,
        error,
        time,
      );
      if (number === undefined) continue;
      await sql.run(
        'insert into delivery_attempts (delivery_id, number, time, seconds, status, error) values ($1, $2, $3, $4, $5, $6)',
        deliveryId,
        number.attempts,
        time,
        seconds,
        status,
        error,
      );
      if (outcome !== 'delivered')
        await sql.run(
          `update deliveries set first_time = $2 where target_id = $1 and state = 'waiting' and first_time is null`,
          targetId,
          time,
        );
    }
  }),

  /** Gives up at most `limit` of what has waited at a target since before a moment, held up or never tried; how many. */
  giveUp: write((sql, targetId: number, before: number, why: string, limit: number) =>
    sql.run(
      `update deliveries set state = 'given_up', next_time = null, error = $3 where id in
       (select id from deliveries where target_id = $1 and state = 'waiting' and coalesce(first_time, created_time) <= $2 order by id limit $4)`,
      targetId,
      before,
      why,
      limit,
    ),
  ),

  /** Deletes at most `limit` of a target that is to be removed; how many. */
  clear: write((sql, accountId: number, targetId: number, limit: number) =>
    sql.run(
      'delete from deliveries where id in (select id from deliveries where target_id = $2 and account_id = $1 order by id limit $3)',
      accountId,
      targetId,
      limit,
    ),
  ),

  /** Deletes at most `limit` of those that were made before a moment and do not wait; how many. */
  expire: write((sql, before: number, limit: number) =>
    sql.run(
      `delete from deliveries where id in
       (select id from deliveries where created_time < $1 and state <> 'waiting' order by created_time limit $2)`,
      before,
      limit,
    ),
  ),
};

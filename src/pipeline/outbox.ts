// From an event to the messages that its tracker's notifications ask for, in the event's own transaction: which rules match,
// whether now is their time, whether the event comes too late to be told, or too soon after the last one.
// Knows no target's protocol and sends nothing.
import { EVENT, eventType, type EventType } from '../kinds/event-type.ts';
import type { Message } from '../kinds/message.ts';
import type { Sql } from '../storage/operation.ts';
import { addDelivery, matchingNotifications, type MatchingNotification } from '../storage/storage.ts';
import { isWithin } from './window.ts';

export interface Telling {
  /** An event found this long after it happened is late, ms. */
  lateAfter: number;
  /** What becomes of late alarms, and of late events that are none. */
  lateAlarms: 'send' | 'skip';
  lateRoutine: 'send' | 'skip';
}

export interface Happening {
  id: number;
  type: EventType;
  time: number;
  discriminator: number;
  latitude: number | null;
  longitude: number | null;
  zone: { id: number; name: string; crossType: 'entry' | 'exit' } | null;
  value: number | null;
}

/** An event and when the report that showed it was received, ms. */
export type Told = Happening & { received: number };

export interface Subject {
  tracker_id: number;
  account_id: number;
  imei: string;
  name: string;
}

/** Tells of each event; the targets that have a message waiting. */
export async function tellAll(sql: Sql, subject: Subject, events: readonly Told[], telling: Telling): Promise<Set<number>> {
  const targets = new Set<number>();
  for (const event of events) for (const target of await tell(sql, subject, event, event.received, telling)) targets.add(target);
  return targets;
}

/** Puts the messages about an event into the outbox; `now` is when it was found, ms. Returns the targets that have one waiting. */
export async function tell(sql: Sql, subject: Subject, event: Happening, now: number, telling: Telling): Promise<number[]> {
  const targets: number[] = [];
  for (const rule of await matchingNotifications(sql, subject.tracker_id, event.type, event.zone?.id ?? null)) {
    if (!concerns(rule, event)) continue;
    if (!isWithin({ daysWd: rule.days_wd, fromT: rule.from_t, toT: rule.to_t }, event.time, rule.timezone)) continue;
    const late = now - event.time > telling.lateAfter;
    const skipped = (await reasonToSkip(sql, rule, event, late, telling)) ?? null;
    const message: Message = {
      imei: subject.imei,
      name: subject.name,
      event_id: event.type,
      time: event.time,
      latitude: event.latitude,
      longitude: event.longitude,
      zone_name: event.zone?.name ?? null,
      cross_type: event.zone?.crossType ?? null,
      value: event.value,
      late,
    };
    await addDelivery(sql, {
      accountId: subject.account_id,
      targetId: rule.target_id,
      eventId: event.id,
      notificationId: rule.id,
      eventTime: event.time,
      crossType: event.zone?.crossType ?? null,
      message,
      now,
      skipped,
    });
    if (skipped === null) targets.push(rule.target_id);
  }
  return targets;
}

function concerns(rule: MatchingNotification, { type, zone, discriminator }: Happening): boolean {
  if (rule.active === 0 || rule.target_active === 0) return false;
  if (type === EVENT.zoneCrossing) return rule.zone_id === zone?.id && (rule.cross_type === 'both' || rule.cross_type === zone?.crossType);
  // An overspeed that the device raised knows no limit: it concerns every rule.
  return type !== EVENT.overspeed || discriminator === 0 || discriminator === Math.round((rule.speed ?? 0) * 1000);
}

async function reasonToSkip(
  sql: Sql,
  rule: MatchingNotification,
  event: Happening,
  late: boolean,
  { lateAlarms, lateRoutine }: Telling,
): Promise<string | undefined> {
  const isAlarm = eventType(event.type)?.alarm === true;
  if (late && (isAlarm ? lateAlarms : lateRoutine) === 'skip') return 'not sent: the event was found too late';
  if (rule.cooldown === 0) return undefined;
  const recent = await sql.get(
    `select id from deliveries where notification_id = $1 and event_time > $2 and event_time < $3
     and coalesce(cross_type, '') = $4 and state <> 'skipped' limit 1`,
    rule.id,
    event.time - rule.cooldown,
    event.time + rule.cooldown,
    event.zone?.crossType ?? '',
  );
  return recent === undefined ? undefined : 'not sent: another message of this rule came shortly before';
}

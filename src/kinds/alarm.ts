// What a device can raise with a report by itself, as bits of one number. Knows no protocol: each maps its own words to these.
import { EVENT, type EventType } from './event-type.ts';

export const ALARM = { panic: 1, batteryDisconnected: 2, batteryLow: 4, towed: 8, overspeed: 16 } as const;

export type Alarm = keyof typeof ALARM;

/** The set as one number; null when nothing was raised. */
export const alarmBits = (alarms: readonly Alarm[]): number | null =>
  alarms.length === 0 ? null : alarms.reduce((bits, alarm) => bits | ALARM[alarm], 0);

/** The type of event that each is, what matters most first. */
const EVENTS: readonly (readonly [Alarm, EventType])[] = [
  ['panic', EVENT.panic],
  ['towed', EVENT.towed],
  ['batteryDisconnected', EVENT.batteryDisconnected],
  ['overspeed', EVENT.overspeed],
  ['batteryLow', EVENT.batteryLow],
];

/** The types of events that a device can raise by itself. */
export const ALARM_EVENTS: readonly EventType[] = EVENTS.map(([, type]) => type);

/** The type of what matters most in the set; undefined when it is empty. */
export const eventOfAlarms = (bits: number): EventType | undefined => EVENTS.find(([alarm]) => (bits & ALARM[alarm]) !== 0)?.[1];

/** The alarm that is an event of this type, if one is. */
export const alarmOfEvent = (type: number): Alarm | undefined => EVENTS.find(([, event]) => event === type)?.[0];

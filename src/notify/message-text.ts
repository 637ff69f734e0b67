// A message in words: the pairs that programs read and the one sentence that a person reads. Knows no transport.
import { EVENT } from '../kinds/event-type.ts';
import type { Message } from '../kinds/message.ts';

export type Pair = readonly [key: string, value: string];

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** What `event_id` is in a test message: no type of event has it. */
const TEST = 0;

/** The pairs in their order: always the first five, the others where they apply. `late` is 1 or absent. */
export function pairsOf(message: Message): Pair[] {
  const second = Math.floor(message.time / 1000);
  const pairs: [string, string | null][] = [
    ['imei', message.imei],
    ['name', message.name],
    ['event_id', String(message.event_id ?? TEST)],
    ['unix_ts', String(second)],
    ['iso_8601', new Date(second * 1000).toISOString().replace('.000Z', 'Z')],
    ['zone_name', message.zone_name],
    ['cross_type', message.cross_type],
    ['latitude', decimal(message.latitude, 7)],
    ['longitude', decimal(message.longitude, 7)],
    ['value', decimal(message.value, 2)],
    ['late', message.late ? '1' : null],
  ];
  return pairs.filter((pair): pair is [string, string] => pair[1] !== null);
}

/** Digits with a point and without an exponent, at most `places` behind the point. */
function decimal(value: number | null, places: number): string | null {
  if (value === null) return null;
  const text = value.toFixed(places).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

/** One line for a person, with the time in the time zone of the account; `now` is when it is sent, ms. */
export function sentenceOf(message: Message, timezone: string, now: number): string {
  if (message.event_id === null) return 'This is a test message from Waypost.';
  const late = message.late ? ` (late: ${ago(now - message.time)})` : '';
  return `${line(happening(message, message.event_id))} at ${moment(message.time, timezone, now)}${late}`;
}

function happening({ name, zone_name, cross_type, value }: Message, event: number): string {
  const amount = (unit: string): string => (value === null ? '' : ` (${Math.round(value)} ${unit})`);
  switch (event) {
    case EVENT.panic:
      return `${name}: panic button pressed`;
    case EVENT.batteryDisconnected:
      return `${name}: battery disconnected`;
    case EVENT.batteryLow:
      return `${name}: battery low${amount('%')}`;
    case EVENT.ignitionOn:
      return `${name}: ignition turned on`;
    case EVENT.ignitionOff:
      return `${name}: ignition turned off`;
    case EVENT.tripStart:
      return `${name} started a trip`;
    case EVENT.tripEnd:
      return `${name} ended a trip`;
    case EVENT.overspeed:
      return `${name} went too fast${amount('km/h')}`;
    case EVENT.towed:
      return `${name} was moved with the ignition off`;
    case EVENT.offline:
      return `${name} went offline`;
    case EVENT.online:
      return `${name} came back online`;
    case EVENT.zoneCrossing:
      return `${name} ${cross_type === 'exit' ? 'left' : 'entered'} ${zone_name ?? 'a zone'}`;
    default:
      return `${name}: event ${event}`;
  }
}

/** Names are people's own; in a subject or a text message they are held to one line. */
// oxlint-disable-next-line no-control-regex -- the control characters are what it looks for
const line = (text: string): string => text.replaceAll(/[\s\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ').trim();

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14:05 on 21 Nov`; with the year where it is not this one. */
function moment(time: number, timezone: string, now: number): string {
  const local = (instant: number): Temporal.ZonedDateTime => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone);
  const then = local(time);
  const clock = [then.hour, then.minute].map((part) => String(part).padStart(2, '0')).join(':');
  const year = then.year === local(now).year ? '' : ` ${then.year}`;
  return `${clock} on ${then.day} ${MONTHS[then.month - 1]}${year}`;
}

function ago(elapsed: number): string {
  if (elapsed < HOUR) return `${Math.max(1, Math.round(elapsed / MINUTE))} min ago`;
  return elapsed < 2 * DAY ? `${Math.round(elapsed / HOUR)} h ago` : `${Math.round(elapsed / DAY)} days ago`;
}

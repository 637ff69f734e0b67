// Strict reading of what phones send: numbers, times, truth values, names, and the attributes that are kept as they came.
// Knows neither form of the protocol. What cannot be read throws a Rejection; a number that can be, and cannot be true, is kept as an attribute.
import type { Alarm } from '../../kinds/alarm.ts';
import { isAngle, isTime, take, type Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import { Rejection } from '../rejection.ts';

const MAX_ATTRIBUTES = 64;
const MAX_KEY = 64;
const MAX_VALUE = 512;

/** A decimal number, such as `-12.5` or `1e-3`. */
export function parseNumber(name: string, text: string): number {
  const value = text.length <= 32 && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) throw new Rejection('syntax', `${name} must be a number`);
  return value;
}

/** A time in Unix seconds, or in ms from 2^31 on, as phones of this protocol send it; ms since 1970, whether there is such a time or not. */
export const readUnixTime = (value: number): number => Math.round(value < 2 ** 31 ? value * 1000 : value);

/**
 * `yyyy-MM-ddTHH:mm:ss`, with or without a fraction and an offset (UTC without), or with a space in place of the T; ms since 1970,
 * NaN where there is no such day or hour.
 */
export function parseTime(text: string): number {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?$/i.exec(text);
  if (parts === null) throw new Rejection('syntax', 'timestamp must be Unix seconds or milliseconds or an ISO 8601 time');
  try {
    return Temporal.Instant.from(`${parts[1]}T${parts[2]}${parts[3] ?? 'Z'}`).epochMilliseconds;
  } catch (error) {
    if (error instanceof RangeError) return NaN;
    throw error;
  }
}

/** `true` or `1`, `false` or `0`. */
export function parseTruth(name: string, text: string): boolean {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new Rejection('syntax', `${name} must be true or false`);
}

/** The name of a device: up to 64 letters, digits and `_ . : @ + -`. An IMEI, for devices that can be registered. */
export function checkIdentity(text: string | undefined): string {
  if (text === undefined || text === '') throw new Rejection('identity', 'the device does not name itself');
  if (!/^[\w.:@+-]{1,64}$/.test(text)) throw new Rejection('identity', 'the name of the device is not one');
  return text;
}

/** ms since 1970. Where that cannot be, the report is left without a time, so it is no fix, and what was sent is kept as `time`. */
export function takeTime(report: Report, attributes: Attributes, time: number, sent: string): void {
  if (isTime(time)) report.time = time;
  else {
    report.fixed = false;
    attributes.keep('time', sent);
  }
}

/** A value in the report's unit. Where it cannot be, it is kept as it was sent, by the name that it was sent with. */
export function takeValue(
  report: Report,
  attributes: Attributes,
  property: Bounded,
  value: number,
  name: string,
  sent: string | number,
): void {
  if (!take(report, property, value)) attributes.keep(name, sent);
}

/** Both or neither. Any degrees near those of a place are one here; false where they are none at all: the caller keeps what was sent. */
export function takePlace(report: Report, latitude: number | null, longitude: number | null): boolean {
  if ((latitude === null) !== (longitude === null)) throw new Rejection('syntax', 'a place needs a latitude and a longitude');
  if (latitude !== null && longitude !== null && isAngle(latitude) && isAngle(longitude)) {
    report.latitude = latitude;
    report.longitude = longitude;
    return true;
  }
  report.fixed = false;
  return latitude === null;
}

/** The words of this protocol's ecosystem for what we tell of. It has others, which are kept as they came. */
const ALARM_WORDS: ReadonlyMap<string, Alarm> = new Map([
  ['sos', 'panic'],
  ['panic', 'panic'],
  ['powercut', 'batteryDisconnected'],
  ['poweroff', 'batteryDisconnected'],
  ['lowbattery', 'batteryLow'],
  ['tow', 'towed'],
  ['overspeed', 'overspeed'],
]);

/** One word, or several with commas between them. */
function readAlarms(sent: unknown): Alarm[] {
  if (typeof sent !== 'string') return [];
  const alarms = sent.split(',').map((word) => ALARM_WORDS.get(word.trim().toLowerCase()));
  return [...new Set(alarms.filter((alarm) => alarm !== undefined))];
}

/** Collects what is kept as it came. */
export class Attributes {
  readonly #kept = new Map<string, string | number | boolean>();

  keep(key: string, value: string | number | boolean): void {
    if (key === '' || key.length > MAX_KEY)
      throw new Rejection('length', `a name of ${key.length} characters: 1 to ${MAX_KEY} can be kept`);
    if (key === '__proto__') throw new Rejection('syntax', 'a value cannot have the name __proto__');
    if (typeof value === 'string' && value.length > MAX_VALUE)
      throw new Rejection('length', `${key} is longer than ${MAX_VALUE} characters`);
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Rejection('syntax', `${key} is too large a number`);
    if (!isXmlText(key) || (typeof value === 'string' && !isXmlText(value)))
      throw new Rejection('syntax', 'a control character cannot be kept');
    this.#kept.set(key, value);
    if (this.#kept.size > MAX_ATTRIBUTES) throw new Rejection('count', `more than ${MAX_ATTRIBUTES} values besides the known ones`);
  }

  /** Hands over what was kept, if anything was, and what `alarm` among it raises. */
  giveTo(report: Report): void {
    if (this.#kept.size > 0) report.attributes = Object.fromEntries(this.#kept);
    const alarms = readAlarms(this.#kept.get('alarm'));
    if (alarms.length > 0) report.alarms = alarms;
  }
}

/** Whether XML 1.0 can carry the text (section 2.2, Char): what is kept must be able to leave again in every format. */
function isXmlText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text);
}

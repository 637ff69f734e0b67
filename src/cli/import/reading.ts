// What the readers of recorded files share: what they yield, how they fail, and the strict reading of numbers and times. Knows no file format.
import { isAngle, isTime, take, type Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';

/** A part of a file that gave no report, and why. `line` counts from 1. */
export interface Skipped {
  skipped: string;
  line: number;
}

/** The reports of a file in its order, and all that was left out of it. Throws Unreadable. */
export type Reading = AsyncGenerator<Report | Skipped>;

/** The file as a whole, or what is left of it, cannot be read. The message is for its owner. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}

/** One point of a file cannot be read: it is skipped for this reason. */
export class Flaw extends Error {
  override name = 'Flaw';
}

/** The yield of `read`, or what to skip where it throws a Flaw. */
export function attempt(line: number, read: () => Report): Report | Skipped {
  try {
    return read();
  } catch (error) {
    if (error instanceof Flaw) return { skipped: error.message, line };
    throw error;
  }
}

/** A text as a message may show it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}

/** A decimal number, such as `-12.5` or `1e-3`. @throws Flaw */
export function parseNumber(name: string, text: string): number {
  const value = text.length <= 40 && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value)) throw new Flaw(`${name} is not a number: ${quote(text)}`);
  return value;
}

/** ms since 1970 if within the years 1970 to 9999. @throws Flaw */
export function checkTime(time: number, text: string): number {
  const rounded = Math.round(time);
  if (!isTime(rounded)) throw new Flaw(`the time is not between 1970 and 9999: ${quote(text)}`);
  return rounded;
}

/**
 * An ISO 8601 date and time, with `T` or a space between them, with or without a fraction and an offset; ms since 1970.
 * Without an offset it is read in the given IANA time zone; a time that the zone had twice is the earlier one. @throws Flaw
 */
export function parseIsoTime(text: string, timeZone = 'UTC'): number {
  const [, date, time = '00:00', offset] =
    /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(text) ?? [];
  if (date === undefined) throw new Flaw(`not a date and time: ${quote(text)}`);
  let instant: number;
  try {
    instant =
      offset === undefined
        ? Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timeZone, { disambiguation: 'earlier' }).epochMilliseconds
        : Temporal.Instant.from(`${date}T${time}${offset}`).epochMilliseconds;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Flaw(`no such day or time: ${quote(text)}`);
  }
  return checkTime(instant, text);
}

/** Sets a value of the report, in its unit. Where it cannot be, it is kept as the file has it, by its name there. @throws Flaw */
export function takeValue(report: Report, property: Bounded, value: number, name: string, text: string): void {
  if (!take(report, property, value)) keepAttribute(report, name, text);
}

/** A latitude or a longitude, degrees: any that are near those of a place. @throws Flaw */
export function parseDegrees(name: string, text: string): number {
  const value = parseNumber(name, text);
  if (!isAngle(value)) throw new Flaw(`${name} is no place: ${quote(text)}`);
  return value;
}

const mostAttributes = 64;
const longestName = 64;
const longestValue = 512;
// Characters that XML 1.0 cannot carry, lone surrogates among them: every stored text has both forms.
const unprintable = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Keeps a value that the format has and we have no word for. @throws Flaw */
export function keepAttribute(report: Report, name: string, text: string): void {
  if (name.length > longestName || text.length > longestValue) throw new Flaw(`too long: ${quote(name)}`);
  if (unprintable.test(name) || unprintable.test(text)) throw new Flaw(`control characters in ${quote(name)}`);
  report.attributes ??= {};
  if (Object.keys(report.attributes).length >= mostAttributes) throw new Flaw(`more than ${mostAttributes} further values`);
  // What is written as a plain decimal number is one; a number with leading zeros or many digits is a name. An own property, whatever its name.
  const value = /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  Object.defineProperty(report.attributes, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The text of a stream of UTF-8 bytes, in pieces of a bounded size; a byte order mark at its head is dropped. */
export async function* readText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const step = 65_536;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += step) yield decoder.decode(chunk.subarray(at, at + step), { stream: true });
  }
  yield decoder.decode();
}

// The forms that a text property can be held to, by the name that its description gives.
import { Format } from 'typebox/format';
import { isImei } from '../basics/imei.ts';

/** Characters that XML 1.0 can carry (production 2, "Char"); all else would leave an object without an XML form. */
// oxlint-disable-next-line no-control-regex -- the control characters are what it looks for
const NOT_XML = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

export const isCarriable = (text: string): boolean => text.isWellFormed() && !NOT_XML.test(text);

/** Names that were looked up and exist: there are some hundreds, and nearly every request asks for one. */
const knownTimeZones = new Set<string>();

/** An IANA time zone name (or UTC) that this runtime knows. Offsets such as +02:00 are no names. */
export function isTimeZone(name: string): boolean {
  if (knownTimeZones.has(name)) return true;
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    // Any spelling of its letters is found; the set holds those that are the name itself, so it stays small.
    if (new Temporal.ZonedDateTime(0n, name).timeZoneId === name) knownTimeZones.add(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** `HH:MM:SS`, at most 9999 hours. */
const isDuration = (text: string): boolean => /^\d{2,4}:[0-5]\d:[0-5]\d$/.test(text);

const isTimeOfDay = (text: string): boolean => /^(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d|24:00:00)$/.test(text);

/** A mailbox as people write it (RFC 5321, section 4.1.2, without quoted local parts and address literals). */
export const isEmail = (text: string): boolean =>
  text.length <= 254 &&
  /^[^\s\p{C}@"<>(),:;\\[\]]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])$/u.test(
    text,
  );

/** No colon, which Basic and Digest cannot carry (RFC 7617, section 2), no controls, no blanks at the ends. */
export const isUsername = (text: string): boolean => /^[^\s:"\\\p{C}](?:[^:"\\\p{C}]{0,62}[^\s:"\\\p{C}])?$/u.test(text);

/** What a password can be: no control characters, which Basic cannot carry (RFC 7617, section 2). Its length is the property's. */
export const isPasswordText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  imei: isImei,
  timezone: isTimeZone,
  'duration-hms': isDuration,
  'time-of-day': isTimeOfDay,
  mailbox: isEmail,
  username: isUsername,
  password: isPasswordText,
  color: (text) => /^#[0-9a-fA-F]{6}$/.test(text),
};

for (const [name, holds] of Object.entries(FORMATS)) Format.Set(name, holds);

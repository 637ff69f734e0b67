// The time zones that a client can choose from.
import { kind, link, list, object, text } from './kind.ts';
import { isTimeZone } from './format.ts';

export const timezones = kind('timezones', 'Time zones to choose from.', {
  url: link('Its own address.'),
  timezone: text('The one in use.'),
  timezones: list('By name.', object('A time zone.', { name: text('IANA name.'), url: link('The gateway in this time zone.') }), {
    max: Infinity,
  }),
});

/** Current names that the runtime's own list (CLDR's, which keeps old spellings) leaves out. */
const CURRENT_NAMES = [
  'UTC',
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];

export const timeZoneNames = (): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), ...CURRENT_NAMES.filter(isTimeZone)])].toSorted();

// Reads positions from delimited text with a header row. Which column is what follows from its name. Knows no file and no account.
import type { Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import { findDelimiter, readRows } from './csv-rows.ts';
import {
  Flaw,
  Unreadable,
  attempt,
  checkTime,
  keepAttribute,
  parseIsoTime,
  parseDegrees,
  parseNumber,
  quote,
  takeValue,
  type Reading,
} from './reading.ts';

/** What such a file does not say by itself. */
export interface CsvOptions {
  /** Unit of a speed column that names none; km/h if absent. */
  speedUnit?: SpeedUnit;
  /** IANA zone of times without an offset; UTC if absent. */
  timeZone?: string;
  /** Which comes first in dates such as 03/04/2026; without it they are skipped. */
  dateOrder?: 'day first' | 'month first';
}

export const speedUnits = { 'km/h': 1 / 3.6, 'm/s': 1, mph: 1609.344 / 3600, knots: 1852 / 3600 } as const;
export type SpeedUnit = keyof typeof speedUnits;

const speedUnitNames: Readonly<Record<string, SpeedUnit>> = {
  'km/h': 'km/h',
  kmh: 'km/h',
  kph: 'km/h',
  'm/s': 'm/s',
  mps: 'm/s',
  ms: 'm/s',
  mph: 'mph',
  mih: 'mph',
  kn: 'knots',
  kt: 'knots',
  kts: 'knots',
  knots: 'knots',
};
const metresIn: Readonly<Record<string, number>> = {
  m: 1,
  metres: 1,
  meters: 1,
  km: 1000,
  ft: 0.3048,
  feet: 0.3048,
  mi: 1609.344,
  miles: 1609.344,
};

/**
 * The names by which a column is known: case, spaces, `_` and `-` do not matter. A unit may follow in brackets, or for speeds behind `_`:
 * `speed (km/h)`, `speed_mps`, `altitude (ft)`, `odometer (km)`. Of two columns for the same, the name that stands first here is taken. A column
 * that is not taken is kept as an attribute of the position. `date` is for a time of day in a column beside it.
 */
const columnNames = {
  time: ['timestamp', 'ts', 'datetime', 'dateandtime', 'time', 'gpstime', 'fixtime', 'devicetime', 'timeutc', 'utctime', 'utc', 'tst'],
  date: ['date', 'day', 'dateutc', 'utcdate', 'gpsdate'],
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lon', 'lng', 'long'],
  altitude: ['altitude', 'alt', 'ele', 'elevation', 'height'],
  speed: ['speed', 'velocity', 'vel', 'gpsspeed', 'groundspeed'],
  heading: ['heading', 'course', 'bearing', 'cog', 'direction', 'azimuth', 'angle'],
  accuracy: ['accuracy', 'acc', 'horizontalaccuracy', 'hacc'],
  satellites: ['satellites', 'sats', 'sat', 'satcount', 'numsats', 'nsat'],
  fixed: ['fixed', 'valid', 'fix'],
  ignition: ['ignition', 'ign'],
  motion: ['motion', 'moving', 'ismoving'],
  battery: ['battery', 'batteryvoltage'],
  batteryLevel: ['batterylevel', 'batt'],
  power: ['power', 'externalvoltage', 'supplyvoltage'],
  /** Metres, if it names no unit. */
  odometer: ['odometer', 'totaldistance'],
  /** Kilometres, as the interface has it. */
  odometerDistance: ['odometerdist'],
  /** What else the device sent, as the interface's own CSV has it: a JSON list of names and values. */
  attributes: ['attributes'],
  /** When the service received it: of no use for an import, which is received now. */
  received: ['recvts'],
} as const;
type Column = keyof typeof columnNames;

const columnOf: ReadonlyMap<string, Column> = new Map(
  Object.entries(columnNames).flatMap(([column, names]) => names.map((name) => [name, column as Column])),
);

const ranks = [...columnOf.keys()];

interface Reader {
  column: Column | null;
  header: string;
  /** What the numbers are multiplied with. */
  factor: number;
}

/** True when a line names a latitude and a longitude, so that it can head a file of positions. */
export function isCsvHeader(line: string): boolean {
  const columns = line.split(findDelimiter(line)).map((header) => nameAndUnit(header.replaceAll('"', '')).column);
  return columns.includes('latitude') && columns.includes('longitude');
}

/**
 * Rows with missing or bad values come as Skipped; empty cells are values that the device did not send.
 * Throws Unreadable for a header without time or place.
 */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>, options: CsvOptions = {}): Reading {
  let readers: Reader[] | null = null;
  for await (const { cells, line, delimiter } of readRows(bytes)) {
    if (readers === null) readers = readHeader(cells, options);
    else {
      const columns = readers;
      yield attempt(line, () => toReport(columns, cells, delimiter, options));
    }
  }
  if (readers === null) throw new Unreadable('an empty file');
}

/** `rank`: the place of the name among all, -1 for one that is not known. */
function nameAndUnit(header: string): { column: Column | undefined; unit: string | null; rank: number } {
  const [, name = '', bracketed] = /^\s*(.*?)\s*(?:[([]([^)\]]*)[)\]])?\s*$/s.exec(header.toLowerCase()) ?? [];
  const [, before = '', suffix = ''] = /^(.*)[_ ]([a-z/]+)$/.exec(name) ?? [];
  const hasSuffix = bracketed === undefined && columnOf.get(plain(before)) === 'speed' && speedUnitNames[suffix] !== undefined;
  const key = plain(hasSuffix ? before : name);
  return { column: columnOf.get(key), unit: hasSuffix ? suffix : (bracketed?.trim() ?? null), rank: ranks.indexOf(key) };
}

function plain(name: string): string {
  return name.replaceAll(/[\s_-]/g, '');
}

function readHeader(headers: readonly string[], options: CsvOptions): Reader[] {
  const named = headers.map((header) => ({ header, ...nameAndUnit(header) }));
  const twice = headers.find((header, i) => header !== '' && headers.indexOf(header) !== i);
  if (twice !== undefined) throw new Unreadable(`two columns are called ${quote(twice)}`);
  const missing = (['latitude', 'longitude'] as const)
    .filter((column) => named.every((other) => other.column !== column))
    .map((column) => columnNames[column].join(', '));
  if (named.every(({ column }) => column !== 'time' && column !== 'date')) missing.unshift(columnNames.time.join(', '));
  if (missing.length > 0)
    throw new Unreadable(`the first line must name the columns; there is none named ${missing.join('; none named ')}`);
  const ranksOf = (column: Column | undefined): number[] => named.filter((other) => other.column === column).map(({ rank }) => rank);
  return named.map(({ header, column, unit }) => {
    const isTaken = named.find((other) => other.column === column && other.rank === Math.min(...ranksOf(column)))?.header === header;
    return isTaken && column !== undefined
      ? { column, header, factor: factorOf(column, unit, options) }
      : { column: null, header, factor: 1 };
  });
}

function factorOf(column: Column, unit: string | null, { speedUnit = 'km/h' }: CsvOptions): number {
  if (column === 'speed') {
    const named = unit === null ? speedUnit : speedUnitNames[unit];
    if (named === undefined) throw new Unreadable(`unknown unit of speed: ${quote(unit ?? '')}`);
    return speedUnits[named];
  }
  if (column === 'altitude' || column === 'accuracy' || column === 'odometer' || column === 'odometerDistance') {
    const factor = metresIn[unit ?? (column === 'odometerDistance' ? 'km' : 'm')];
    if (factor === undefined) throw new Unreadable(`unknown unit of length: ${quote(unit ?? '')}`);
    return factor;
  }
  return 1;
}

function toReport(readers: readonly Reader[], cells: readonly string[], delimiter: string, options: CsvOptions): Report {
  if (cells.length > readers.length) throw new Flaw(`${cells.length} cells under ${readers.length} columns`);
  const report: Report = { time: null, latitude: null, longitude: null, fixed: true };
  let [date, time] = ['', ''];
  for (const [i, { column, header, factor }] of readers.entries()) {
    const text = cells[i]?.trim() ?? '';
    if (text === '') continue;
    // Where cells are not divided by commas, numbers may have them.
    const digits = delimiter === ',' ? text : text.replace(',', '.');
    const take = (property: Bounded, value: number): void => takeValue(report, property, value, header, text);
    switch (column) {
      case 'time':
        time = text;
        break;
      case 'date':
        date = text;
        break;
      case 'ignition':
      case 'motion':
      case 'fixed':
        report[column] = parseTruth(header, text);
        break;
      case 'latitude':
      case 'longitude':
        report[column] = parseDegrees(header, digits);
        break;
      case 'speed':
      case 'heading':
      case 'satellites':
      case 'accuracy':
      case 'altitude':
      case 'battery':
      case 'batteryLevel':
      case 'power':
      case 'odometer':
        take(column, parseNumber(header, digits) * factor);
        break;
      case 'odometerDistance':
        take('odometer', Math.round(parseNumber(header, digits) * factor * 1000) / 1000);
        break;
      case 'attributes':
        for (const { name, value } of parseAttributes(header, text)) keepAttribute(report, name, value);
        break;
      case 'received':
        break;
      case null:
        if (header !== '') keepAttribute(report, header, text);
        break;
    }
  }
  if ((report.latitude === null) !== (report.longitude === null)) throw new Flaw('half a place');
  if (report.latitude === null) report.fixed = false;
  if (time === '' && date === '') throw new Flaw('a row without a time');
  const isTimeOfDay = /^\d\d?:/.test(time);
  report.time = parseTime(time === '' ? date : isTimeOfDay ? `${date} ${time}` : time, options);
  return report;
}

/** @throws Flaw for anything but a JSON list of objects with a name and a value that are text. */
function parseAttributes(header: string, text: string): { name: string; value: string }[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new Flaw(`${header} is not JSON: ${quote(text)}`);
  }
  const isSound = (item: unknown): item is { name: string; value: string } =>
    typeof item === 'object' &&
    item !== null &&
    'name' in item &&
    typeof item.name === 'string' &&
    'value' in item &&
    typeof item.value === 'string';
  if (!Array.isArray(list) || !list.every(isSound)) throw new Flaw(`${header} is not a list of names and values: ${quote(text)}`);
  return list;
}

function parseTruth(name: string, text: string): boolean {
  if (/^(true|1|yes|on|a)$/i.test(text)) return true;
  if (/^(false|0|no|off|v)$/i.test(text)) return false;
  throw new Flaw(`${name} is neither true nor false: ${quote(text)}`);
}

/** Unix seconds (ms from 10^11 on), ISO 8601, or a date with slashes or points in the given order. ms since 1970. */
function parseTime(text: string, { timeZone = 'UTC', dateOrder }: CsvOptions): number {
  if (/^\d{1,16}(\.\d{1,9})?$/.test(text)) return checkTime(Number(text) < 1e11 ? Number(text) * 1000 : Number(text), text);
  const [, year, month, day, rest] = /^(\d{4})[/.](\d\d?)[/.](\d\d?)(?=\D|$)(.*)$/.exec(text) ?? [];
  if (year !== undefined) return parseIsoTime(`${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}${rest}`, timeZone);
  const [, first = '', second = '', last, after] = /^(\d\d?)[/.-](\d\d?)[/.-](\d{4})(?=\D|$)(.*)$/.exec(text) ?? [];
  if (last === undefined) return parseIsoTime(text, timeZone);
  if (dateOrder === undefined) throw new Flaw(`say whether day or month comes first in dates such as ${quote(text)}`);
  const [dayOf, monthOf] = dateOrder === 'day first' ? [first, second] : [second, first];
  return parseIsoTime(`${last}-${monthOf.padStart(2, '0')}-${dayOf.padStart(2, '0')}${after}`, timeZone);
}

// Reads the log of a GPS receiver: NMEA 0183 sentences RMC, GGA, GSA and ZDA, merged to one report for each moment. Knows no file and no account.
// Source: NMEA 0183 as gpsd's "NMEA Revealed" describes it. All other sentences are passed over, as they hold no position of their own.
import type { Report } from '../../kinds/report.ts';
import { Flaw, attempt, checkTime, parseNumber, quote, readText, takeValue, type Reading, type Skipped } from './reading.ts';

const knot = 1852 / 3600;
const day = 86_400_000;
/** The standard has 82 characters; some receivers write more. */
const longestLine = 1024;

/** What the sentences of one moment say. */
interface Epoch {
  line: number;
  /** ms since midnight UTC. */
  timeOfDay: number;
  report: Report;
  /** A sentence said that the fix is void. */
  isVoid: boolean;
}

/**
 * Lines with a wrong checksum or without one, bad fields, and moments whose date or time is not known come as Skipped. A date is passed on as
 * the receiver has it, wrong by a rollover of its week counter or not; so is a time that goes backwards.
 */
export async function* readNmea(bytes: AsyncIterable<Uint8Array>): Reading {
  const log = new Log();
  let line = 0;
  let rest = '';
  let isOverlong = false;
  for await (const piece of readText(bytes)) {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line++;
      if (isOverlong || text.length > longestLine) log.skip('a line that is too long', line);
      else log.take(text, line);
      isOverlong = false;
    }
    if (rest.length > longestLine) {
      isOverlong = true;
      rest = '';
    }
    yield* log.found.splice(0);
  }
  if (isOverlong) log.skip('a line that is too long', line + 1);
  else log.take(rest, line + 1);
  log.finishEpoch();
  yield* log.found;
}

class Log {
  readonly found: (Report | Skipped)[] = [];
  #epoch: Epoch | null = null;
  /** The latest date that was read, ms since 1970 at its midnight, and the time of day that came with it. */
  #date: { midnight: number; timeOfDay: number } | null = null;

  skip(skipped: string, line: number): void {
    this.found.push({ skipped, line });
  }

  take(text: string, line: number): void {
    const trimmed = text.trim();
    // Comments of loggers, and sentences of other systems such as AIS.
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith('!')) return;
    const [, body, checksum] = /^\$([^*$]+)\*([0-9a-f]{2})$/i.exec(trimmed) ?? [];
    if (body === undefined || checksum === undefined)
      return this.skip(/^\$[^*]+$/.test(trimmed) ? 'a sentence without a checksum' : 'not a sentence', line);
    if (checksumOf(body) !== Number.parseInt(checksum, 16)) return this.skip('a wrong checksum', line);
    const [address = '', ...fields] = body.split(',');
    const type = address.length === 5 ? address.slice(2) : '';
    try {
      if (type === 'RMC') this.#takeRmc(fields, line);
      else if (type === 'GGA') this.#takeGga(fields, line);
      else if (type === 'GSA') this.#takeGsa(fields);
      else if (type === 'ZDA') this.#takeZda(fields, line);
    } catch (error) {
      if (!(error instanceof Flaw)) throw error;
      this.skip(`${type}: ${error.message}`, line);
    }
  }

  /** Time, status, latitude, N/S, longitude, E/W, speed in knots, course, date. */
  #takeRmc(fields: string[], line: number): void {
    const [time = '', status, latitude = '', northSouth = '', longitude = '', eastWest = '', speed = '', course = '', date = ''] = fields;
    const epoch = this.#epochAt(time, line);
    if (status !== 'A') epoch.isVoid = true;
    takePlace(epoch.report, latitude, northSouth, longitude, eastWest);
    if (speed !== '') takeValue(epoch.report, 'speed', parseNumber('speed', speed) * knot, 'speed', speed);
    if (course !== '') takeValue(epoch.report, 'heading', parseNumber('course', course), 'course', course);
    if (date !== '') this.#date = { midnight: parseDate(date), timeOfDay: epoch.timeOfDay };
  }

  /** Time, latitude, N/S, longitude, E/W, quality, satellites in use, HDOP, altitude, M. */
  #takeGga(fields: string[], line: number): void {
    const [
      time = '',
      latitude = '',
      northSouth = '',
      longitude = '',
      eastWest = '',
      quality = '',
      satellites = '',
      hdop = '',
      altitude = '',
    ] = fields;
    const epoch = this.#epochAt(time, line);
    if (quality === '0' || quality === '') epoch.isVoid = true;
    if (epoch.report.latitude === null) takePlace(epoch.report, latitude, northSouth, longitude, eastWest);
    if (satellites !== '') takeValue(epoch.report, 'satellites', parseNumber('satellites', satellites), 'satellites', satellites);
    if (hdop !== '') epoch.report.attributes = { ...epoch.report.attributes, hdop: parseNumber('hdop', hdop) };
    if (altitude !== '') takeValue(epoch.report, 'altitude', parseNumber('altitude', altitude), 'altitude', altitude);
  }

  /** Selection, mode (1 no fix), twelve satellites, PDOP, HDOP, VDOP. Belongs to the moment it stands in. */
  #takeGsa(fields: string[]): void {
    const epoch = this.#epoch;
    if (epoch === null) return;
    const pdop = fields[14] ?? '';
    if (pdop !== '') epoch.report.attributes = { ...epoch.report.attributes, pdop: parseNumber('pdop', pdop) };
  }

  /** Time, day, month, year. */
  #takeZda(fields: string[], line: number): void {
    const [time = '', date = '', month = '', year = ''] = fields;
    if (time === '' || year === '') return;
    const midnight = midnightOf(
      parseNumber('year', year),
      parseNumber('month', month),
      parseNumber('day', date),
      fields.slice(1, 4).join('-'),
    );
    this.#date = { midnight, timeOfDay: this.#epochAt(time, line).timeOfDay };
  }

  /** The moment that a time of day names: the present one, or a new one, which ends the present one. */
  #epochAt(time: string, line: number): Epoch {
    if (time === '') throw new Flaw('no time');
    const timeOfDay = parseTimeOfDay(time);
    if (this.#epoch?.timeOfDay === timeOfDay) return this.#epoch;
    this.finishEpoch();
    return (this.#epoch = { line, timeOfDay, report: { time: null, latitude: null, longitude: null, fixed: true }, isVoid: false });
  }

  finishEpoch(): void {
    const epoch = this.#epoch;
    this.#epoch = null;
    if (epoch === null) return;
    const { report, timeOfDay, line } = epoch;
    report.fixed = !epoch.isVoid && report.latitude !== null;
    // ZDA alone is a clock, not a report.
    if (report.latitude === null && !epoch.isVoid) return;
    this.found.push(attempt(line, () => ({ ...report, time: this.#timeOf(timeOfDay) })));
  }

  /** The date may come from an earlier moment: a time of day that is much smaller than the one it came with is of the next day. */
  #timeOf(timeOfDay: number): number {
    if (this.#date === null) throw new Flaw('no date was given yet');
    if (timeOfDay < this.#date.timeOfDay - day / 2) this.#date = { midnight: this.#date.midnight + day, timeOfDay };
    const time = this.#date.midnight + timeOfDay;
    return checkTime(time, String(time));
  }
}

function checksumOf(body: string): number {
  let sum = 0;
  for (let i = 0; i < body.length; i++) sum ^= body.charCodeAt(i);
  return sum;
}

/** `hhmmss` or `hhmmss.sss`; ms since midnight. */
function parseTimeOfDay(text: string): number {
  const [, hours, minutes, seconds] = /^(\d\d)(\d\d)(\d\d(?:\.\d{1,6})?)$/.exec(text) ?? [];
  // A leap second is 60.
  if (Number(hours) > 23 || Number(minutes) > 59 || !(Number(seconds) < 61)) throw new Flaw(`not a time of day: ${quote(text)}`);
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}

/** `ddmmyy`; years from 80 on are of the last century. */
function parseDate(text: string): number {
  const [, date, month, year] = /^(\d\d)(\d\d)(\d\d)$/.exec(text) ?? [];
  if (year === undefined) throw new Flaw(`not a date: ${quote(text)}`);
  return midnightOf(Number(year) + (Number(year) < 80 ? 2000 : 1900), Number(month), Number(date), text);
}

function midnightOf(year: number, month: number, date: number, text: string): number {
  const midnight = new Date(Date.UTC(year, month - 1, date));
  if (midnight.getUTCFullYear() !== year || midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== date)
    throw new Flaw(`no such day: ${quote(text)}`);
  return midnight.getTime();
}

/** Degrees and minutes, `ddmm.mmmm` and `dddmm.mmmm`; empty where there is no fix. */
function takePlace(report: Report, latitude: string, northSouth: string, longitude: string, eastWest: string): void {
  if (latitude === '' && longitude === '') return;
  // Both are read before either is set: half a place is none.
  const [north, east] = [parseAngle(latitude, northSouth, 'N', 'S'), parseAngle(longitude, eastWest, 'E', 'W')];
  report.latitude = north;
  report.longitude = east;
}

function parseAngle(text: string, side: string, positive: string, negative: string): number {
  const [, degrees, minutes] = /^(\d{1,3})(\d\d(?:\.\d{0,8})?)$/.exec(text) ?? [];
  if (minutes === undefined || Number(minutes) >= 60 || (side !== positive && side !== negative))
    throw new Flaw(`not a place: ${quote(`${text} ${side}`)}`);
  const angle = Math.round((Number(degrees) + Number(minutes) / 60) * 1e8) / 1e8;
  return side === positive ? angle : -angle;
}

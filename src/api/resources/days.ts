// `trackers/<imei>/days`: what was driven on each day of the calendar, in the time zone in use. A trip over midnight counts to each of
// its days with the part that was driven on it.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { days, type Day } from '../../kinds/day.ts';
import { toDuration } from '../../kinds/duration.ts';
import { PART_WIDTH, type Driving, type Storage } from '../../storage/storage.ts';
import { addressOf } from '../query.ts';
import type { Resource } from '../resource.ts';
import { km, roundKmh, seconds } from '../show.ts';
import { findTracker } from './trackers.ts';
import { wholeSeconds } from './trips.ts';

/** Days that are shown when nothing says which, and the most at one time: a leap year. */
const USUAL_DAYS = 31;
const MOST_DAYS = 366;

export function daysResource(storage: Pick<Storage, 'trackers' | 'trips'>, clock: Clock): Resource {
  return {
    path: 'trackers/:imei/days',
    get: {
      kind: days,
      query: {
        from_dt: `The first day, YYYY-MM-DD; left out, ${USUAL_DAYS - 1} days before the last.`,
        to_dt: `The last day, YYYY-MM-DD; left out, today. At most ${MOST_DAYS} days.`,
      },
      async read(ask) {
        const { id, imei } = await findTracker(storage, ask);
        const dates = datesOf(ask.query, Temporal.Instant.fromEpochMilliseconds(clock()).toZonedDateTimeISO(ask.timezone).toPlainDate());
        const calendar = calendarOf(dates, ask.timezone);
        const [first, last] = [calendar[0], calendar.at(-1)];
        const shown =
          first === undefined || last === undefined
            ? []
            : cutDays(await storage.trips.driving(id, first.from, last.to), calendar).map((day) => showDay(imei, day));
        return { url: addressOf(ask, null), days: shown };
      },
    },
  };
}

/** Throws Refusal 400. */
function datesOf(query: URLSearchParams, today: Temporal.PlainDate): { from: Temporal.PlainDate; to: Temporal.PlainDate } {
  const [given, until] = [dateOf(query, 'from_dt'), dateOf(query, 'to_dt')];
  const to = until ?? (given !== null && Temporal.PlainDate.compare(given, today) > 0 ? given : today);
  const from = given ?? to.subtract({ days: USUAL_DAYS - 1 });
  const count = from.until(to, { largestUnit: 'days' }).days + 1;
  if (count < 1) throw new Refusal(400, 'from_dt must not be after to_dt.');
  if (count > MOST_DAYS) throw new Refusal(400, `from_dt and to_dt can span ${MOST_DAYS} days, both included; these are ${count}.`);
  return { from, to };
}

function dateOf(query: URLSearchParams, name: string): Temporal.PlainDate | null {
  const text = query.get(name);
  if (text === null) return null;
  const wrong = new Refusal(400, `${name} must be a day of the years 1970 to 9999, such as 2026-10-25.`);
  if (!/^(?:19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}$/.test(text)) throw wrong;
  try {
    return Temporal.PlainDate.from(text);
  } catch (error) {
    if (error instanceof RangeError) throw wrong;
    throw error;
  }
}

/** A day, from its first moment to the first of the next, ms. */
export interface CalendarDay {
  date: string;
  from: number;
  to: number;
}

/** The days that there are: a zone that moves across the date line leaves one out. */
export function calendarOf({ from, to }: { from: Temporal.PlainDate; to: Temporal.PlainDate }, timezone: string): CalendarDay[] {
  const beginning = (date: Temporal.PlainDate): number => date.toZonedDateTime(timezone).epochMilliseconds;
  const found: CalendarDay[] = [];
  for (let date = from, begins = beginning(from); Temporal.PlainDate.compare(date, to) <= 0;) {
    const next = date.add({ days: 1 });
    const ends = beginning(next);
    if (ends > begins) found.push({ date: date.toString(), from: begins, to: ends });
    date = next;
    begins = ends;
  }
  return found;
}

export interface DrivenDay extends CalendarDay {
  /** mm. */
  distance: number;
  /** Whole seconds. */
  drive: number;
  idle: number;
  trips: number;
  /** m/s. */
  maxSpeed: number | null;
  first: number | null;
  last: number | null;
}

/** Midnight lies between two quarters of an hour in every time zone of today, so that no part has to be cut. */
export function cutDays({ trips, parts }: Driving, calendar: readonly CalendarDay[]): DrivenDay[] {
  const cut = calendar.map((day): DrivenDay => ({
    ...day,
    distance: 0,
    drive: 0,
    idle: 0,
    trips: 0,
    maxSpeed: null,
    first: null,
    last: null,
  }));
  for (let at = 0, next = 0; at < trips.length; at += 2) {
    const [from, to] = [trips[at] as number, trips[at + 1] as number];
    while (next < cut.length && (cut[next] as DrivenDay).to <= from) next++;
    for (let i = next; i < cut.length && (cut[i] as DrivenDay).from < to; i++) {
      const day = cut[i] as DrivenDay;
      day.trips++;
      day.first ??= Math.max(from, day.from);
      day.last = Math.min(to, day.to);
    }
  }
  let trip = NaN;
  let [drive, idle] = [0, 0];
  for (let at = 0, next = 0; at < parts.length; at += PART_WIDTH) {
    const [start, bucket, distance, driveTime, idleTime, speed] = parts.subarray(at, at + PART_WIDTH) as unknown as Row;
    if (start !== trip) [trip, drive, idle] = [start, 0, 0];
    while (next < cut.length && (cut[next] as DrivenDay).to <= bucket) next++;
    const day = cut[next];
    if (day !== undefined && day.from <= bucket) {
      day.distance += distance;
      // Rounded as the trip goes along, so that its days add up to it.
      day.drive += wholeSeconds(drive + driveTime) - wholeSeconds(drive);
      day.idle += wholeSeconds(idle + idleTime) - wholeSeconds(idle);
      day.maxSpeed = Math.max(day.maxSpeed ?? 0, speed);
    }
    drive += driveTime;
    idle += idleTime;
  }
  return cut;
}

type Row = [trip: number, bucket: number, distance: number, driveTime: number, idleTime: number, maxSpeed: number];

const showDay = (imei: string, day: DrivenDay): Day => ({
  day_dt: day.date,
  drive_t: toDuration(day.drive),
  drive_dist: km(day.distance / 1000),
  idle_t: toDuration(day.idle),
  trip_count: day.trips,
  max_speed: day.maxSpeed === null ? null : roundKmh(day.maxSpeed),
  start_ts: day.first === null ? null : seconds(day.first),
  end_ts: day.last === null ? null : seconds(day.last),
  trips_url: `trackers/${imei}/trips?from_ts=${day.from / 1000}&to_ts=${day.to / 1000 - 1}`,
});

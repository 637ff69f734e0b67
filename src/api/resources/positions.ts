// `trackers/<imei>/positions`: the record of a tracker in time order, page by page or as one stream; POST adds to it.
import { Refusal } from '../../basics/errors.ts';
import { alarmOfEvent, eventOfAlarms } from '../../kinds/alarm.ts';
import { newPositions, positions, type Position } from '../../kinds/position.ts';
import type { Report } from '../../kinds/report.ts';
import type { Acceptance } from '../../pipeline/accept.ts';
import { WIDTH, type PositionKey, type PositionPage, type PositionRange, type Storage } from '../../storage/storage.ts';
import { addressOf, limitOf, refuseLimit, stretchOf } from '../query.ts';
import type { Resource, Shown } from '../resource.ts';
import { km, kmh, seconds } from '../show.ts';
import { findTracker } from './trackers.ts';

type Parts = Pick<Storage, 'trackers' | 'positions'>;

/** Positions of a page when `limit` is not given, and of one step of a stream. */
const PAGE = 1000;

export function positionsResource(storage: Parts, acceptance: Acceptance, maxPage: number): Resource {
  return {
    path: 'trackers/:imei/positions',
    get: {
      kind: positions,
      query: {
        from_ts: 'Only positions from this moment on.',
        to_ts: 'Only positions up to this moment, included.',
        limit: `Positions of a page: ${PAGE} when left out, at most ${maxPage}.`,
        after: 'Only what follows a row; `next_url` carries it.',
        attributes: '1 to have also what else the device sent.',
      },
      async read(ask): Promise<Shown> {
        const { id } = await findTracker(storage, ask);
        const page = await storage.positions.page({ ...rangeOf(ask.query, id), limit: limitOf(ask.query, PAGE, maxPage) });
        const last = lastOf(page);
        const next = page.more && last !== null ? addressOf(ask, `${last.time}-${last.digest}`) : null;
        return { url: addressOf(ask, null), positions: showPage(page), next_url: next };
      },
      async stream(ask) {
        refuseLimit(ask.query);
        const { id, name } = await findTracker(storage, ask);
        return { title: name, items: walkPositions(storage, rangeOf(ask.query, id)) };
      },
    },
    post: {
      kind: newPositions,
      async make(ask, value) {
        const { id, imei } = await findTracker(storage, ask);
        const added = (value['positions'] ?? [value]) as GivenPosition[];
        const reports = added.map(reportOf);
        if (reports.length > 0 && (await acceptance.accept(id, reports)) === 'gone') throw new Refusal(404, 'There is no such tracker.');
        const times = added.map(({ ts }) => ts);
        const first = times.reduce((a, b) => Math.min(a, b), Infinity);
        const last = times.reduce((a, b) => Math.max(a, b), -Infinity);
        return { location: `trackers/${imei}/positions${times.length === 0 ? '' : `?from_ts=${first}&to_ts=${last}`}` };
      },
    },
  };
}

/** All positions of a stretch, a page at a time. */
export async function* walkPositions(storage: Pick<Storage, 'positions'>, range: Omit<PositionRange, 'limit'>): AsyncGenerator<Position> {
  for (let after = range.after, more = true; more;) {
    const page = await storage.positions.page({ ...range, after, limit: PAGE });
    yield* showPage(page);
    after = lastOf(page);
    more = page.more;
  }
}

const rangeOf = (query: URLSearchParams, trackerId: number): Omit<PositionRange, 'limit'> => ({
  trackerId,
  ...stretchOf(query),
  after: keyOf(query.get('after')),
  attributes: query.get('attributes') === '1',
});

function keyOf(text: string | null): PositionKey | null {
  if (text === null) return null;
  const [, time, digest] = /^(\d{1,16})-(\d{1,16})$/.exec(text) ?? [];
  if (time === undefined || digest === undefined) throw new Refusal(400, 'after must be as a next_url had it.');
  return { time: Number(time), digest: Number(digest) };
}

const lastOf = ({ numbers, count }: PositionPage): PositionKey | null =>
  count === 0 ? null : { time: numbers[(count - 1) * WIDTH] as number, digest: numbers[(count - 1) * WIDTH + 1] as number };

function showPage({ count, numbers, attributes }: PositionPage): Position[] {
  const shown = Array.from<Position>({ length: count });
  for (let row = 0, at = 0; row < count; row++, at += WIDTH) shown[row] = showPosition(numbers, at, attributes[row]);
  return shown;
}

/** The columns stand in the order of NUMBERS; one that is NaN was not sent. */
function showPosition(numbers: Float64Array, at: number, attributes: string | null | undefined): Position {
  const value = (column: number): number => numbers[at + column] as number;
  const is = (column: number): boolean => !Number.isNaN(numbers[at + column]);
  const shown: Position = {
    ts: seconds(value(0)),
    recv_ts: seconds(value(2)),
    valid: value(3) === 1,
    latitude: value(4),
    longitude: value(5),
  };
  if (is(6)) shown.altitude = value(6);
  if (is(7)) shown.speed = kmh(value(7));
  if (is(8)) shown.heading = value(8);
  if (is(9)) shown.accuracy = value(9);
  if (is(10)) shown.satellites = value(10);
  if (is(11)) shown.ignition = value(11) === 1;
  if (is(12)) shown.motion = value(12) === 1;
  if (is(13)) shown.battery = value(13);
  if (is(14)) shown.battery_level = value(14);
  if (is(15)) shown.power = value(15);
  if (is(16)) shown.odometer_dist = km(value(16));
  const event = eventOfAlarms(is(17) ? value(17) : 0);
  if (event !== undefined) shown.event_id = event;
  if (attributes !== undefined)
    shown.attributes = Object.entries(JSON.parse(attributes ?? '{}') as Record<string, unknown>).map(([name, sent]) => ({
      name,
      value: String(sent),
    }));
  return shown;
}

type GivenPosition = Pick<Position, 'ts' | 'latitude' | 'longitude'> & Partial<Position>;

/** What a client posts is a report like any device's. */
function reportOf({ ts, latitude, longitude, speed, heading, odometer_dist, battery_level, event_id, ...rest }: GivenPosition): Report {
  const { altitude, accuracy, satellites, ignition, motion, battery, power } = rest;
  return {
    time: ts * 1000,
    latitude,
    longitude,
    fixed: satellites !== 0,
    ...(altitude !== undefined && { altitude }),
    ...(speed !== undefined && { speed: speed / 3.6 }),
    ...(heading !== undefined && { heading: heading % 360 }),
    ...(accuracy !== undefined && { accuracy }),
    ...(satellites !== undefined && { satellites }),
    ...(ignition !== undefined && { ignition }),
    ...(motion !== undefined && { motion }),
    ...(battery !== undefined && { battery }),
    ...(battery_level !== undefined && { batteryLevel: battery_level }),
    ...(power !== undefined && { power }),
    ...(odometer_dist !== undefined && { odometer: odometer_dist * 1000 }),
    ...raised(event_id),
  };
}

/** The alarm of a report; as an attribute too, which tells the report apart from one that raises nothing. */
function raised(event: number | undefined): Pick<Report, 'alarms' | 'attributes'> {
  const alarm = event === undefined ? undefined : alarmOfEvent(event);
  return event === undefined || alarm === undefined ? {} : { alarms: [alarm], attributes: { event_id: event } };
}

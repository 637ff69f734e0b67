// A tracker and the list of an account's trackers.
import { secondsOf } from './duration.ts';
import {
  alterable,
  choice,
  duration,
  integer,
  kind,
  link,
  list,
  nullable,
  number,
  object,
  required,
  text,
  timestamp,
  truth,
  type Faults,
  type Shown,
} from './kind.ts';

/** Least and most of each duration, s. */
const DURATIONS = { stop_t: [10, 86_400], gap_t: [10, 604_800], offline_t: [0, 31_536_000] } as const;

function durationFaults(value: Record<string, unknown>): Faults | null {
  const wrong = Object.entries(DURATIONS).filter(([name, [least, most]]) => {
    const given = value[name];
    return typeof given === 'string' && (secondsOf(given) < least || secondsOf(given) > most);
  });
  return wrong.length === 0 ? null : Object.fromEntries(wrong.map(([name]) => [name, 'invalid' as const]));
}

const properties = {
  url: link('Its own address.'),
  imei: required(
    text('IMEI: 15 digits, the last a check digit. Unique in the service.', { max: 15, format: 'imei', examples: ['356307042441013'] }),
    {
      creationOnly: true,
      unique: true,
    },
  ),
  name: alterable(text('What people call it. Left out at creation, it is the IMEI.', { max: 100 })),
  model: alterable(nullable(text('Make and model.', { max: 100 }))),
  start_ts: timestamp('In the service since.'),
  end_ts: nullable(timestamp('In the service until; null while open.')),
  data_retention: alterable(
    nullable(
      integer('Positions older than this are deleted, and the trips and events that they showed; null keeps them for good.', {
        min: 1,
        max: 36_500,
        unit: 'days',
      }),
    ),
  ),
  comm_ts: nullable(timestamp('Last heard of.')),
  pos_ts: nullable(timestamp('Time of the last valid position.')),
  latitude: nullable(number('Of the last valid position, WGS 84.', { unit: '°' })),
  longitude: nullable(number('Of the last valid position, WGS 84.', { unit: '°' })),
  speed: nullable(number('Of the last valid position.', { unit: 'km/h' })),
  heading: nullable(number('Of the last valid position, clockwise from north.', { unit: '°' })),
  ignition: nullable(truth('Last reported.')),
  odometer_dist: alterable(
    nullable(
      number('Distance on the odometer: what the device counts, else of all trips. Setting it calibrates.', {
        min: 0,
        max: 1e8,
        unit: 'km',
      }),
    ),
    { drifts: true },
  ),
  trip_source: alterable(
    nullable(
      choice('What makes a trip: the ignition, movement, or the ignition where the device reports it (`auto`); null is the setting.', [
        'auto',
        'ignition',
        'movement',
      ]),
    ),
  ),
  stop_t: alterable(nullable(duration('A standstill this long ends a trip, 00:00:10 to 24:00:00; null is the setting.'))),
  stop_radius: alterable(
    nullable(
      number('Within this distance of where it stood the vehicle has not moved; null is the setting.', { min: 5, max: 10_000, unit: 'm' }),
    ),
  ),
  gap_t: alterable(
    nullable(
      duration('A longer hole between positions is a gap, in which nobody knows the way, 00:00:10 to 168:00:00; null is the setting.'),
    ),
  ),
  trip_min_dist: alterable(
    nullable(number('A drive that leads less far away is no trip; null is the setting.', { min: 0, max: 100, unit: 'km' })),
  ),
  offline_t: alterable(
    nullable(
      duration('After this long without a word from the device it is offline, up to 8760:00:00; 00:00:00 is never, null the setting.'),
    ),
  ),
  positions_url: link('Its positions.'),
  events_url: link('What happened to it.'),
  event_notifications_url: link('The rules that tell of its events.'),
  zone_notifications_url: link('The rules that tell of its zone crossings.'),
  days_url: link('What it drove on each day.'),
  trips_url: link('Its trips.'),
};

export const tracker = kind('tracker', 'A device that reports positions, and what is known of it now.', properties, durationFaults);

export type Tracker = Shown<typeof tracker>;

export const trackers = kind('trackers', 'The trackers of the account.', {
  url: link('Its own address.'),
  trackers: list('All of them, by IMEI.', object('A tracker.', tracker.schema.properties), { max: Infinity }),
});

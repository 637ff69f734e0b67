// A tracker and the list of an account's trackers.
import { alterable, integer, kind, link, list, nullable, number, object, required, text, timestamp, truth, type Shown } from './kind.ts';

export const tracker = kind('tracker', 'A device that reports positions, and what is known of it now.', {
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
    nullable(integer('Positions older than this are deleted; null keeps them for good.', { min: 1, max: 36_500, unit: 'days' })),
  ),
  comm_ts: nullable(timestamp('Last heard of.')),
  pos_ts: nullable(timestamp('Time of the last valid position.')),
  latitude: nullable(number('Of the last valid position, WGS 84.', { unit: '°' })),
  longitude: nullable(number('Of the last valid position, WGS 84.', { unit: '°' })),
  speed: nullable(number('Of the last valid position.', { unit: 'km/h' })),
  heading: nullable(number('Of the last valid position, clockwise from north.', { unit: '°' })),
  ignition: nullable(truth('Last reported.')),
  odometer_dist: alterable(
    nullable(number('Distance on the odometer. Setting it calibrates what the device counts.', { min: 0, max: 1e8, unit: 'km' })),
    { drifts: true },
  ),
  positions_url: link('Its positions.'),
});

export type Tracker = Shown<typeof tracker>;

export const trackers = kind('trackers', 'The trackers of the account.', {
  url: link('Its own address.'),
  trackers: list('All of them, by IMEI.', object('A tracker.', tracker.schema.properties), { max: Infinity }),
});

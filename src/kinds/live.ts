// The live view: where every tracker is now, then only what changed.
import { integer, kind, link, list, nullable, number, object, text, timestamp, truth, type Shown } from './kind.ts';

export const update = object('What is known of a tracker now.', {
  imei: text('IMEI.'),
  name: text('What people call it.'),
  url: link('The tracker.'),
  comm_ts: nullable(timestamp('Last heard of.')),
  pos_ts: nullable(timestamp('Time of the last valid position.')),
  latitude: nullable(number('WGS 84.', { unit: '°' })),
  longitude: nullable(number('WGS 84.', { unit: '°' })),
  altitude: nullable(number('Altitude.', { unit: 'm' })),
  speed: nullable(number('Speed over ground.', { unit: 'km/h' })),
  heading: nullable(number('Clockwise from north.', { unit: '°' })),
  ignition: nullable(truth('Last reported.')),
  battery: nullable(number("Voltage of the device's own battery, last reported.", { unit: 'V' })),
});

export const live = kind(
  'live',
  'Every tracker at the first call; following `live_url`, those that changed since, and none when none did. Nothing is ever skipped.',
  {
    url: link('Its own address.'),
    updates: list('A tracker each, oldest change first.', update, { max: Infinity }),
    live_url: link('What changes from here on.'),
    stream_url: link('The same as server-sent events.'),
    refresh: integer('How long to wait before the next call.', { unit: 's' }),
  },
);

export type Live = Shown<typeof live>;

// A position and a page of positions, in time order.
import { ALARM_EVENTS } from './alarm.ts';
import {
  alterable,
  choiceOfNumbers,
  inputOf,
  kind,
  link,
  list,
  nullable,
  number,
  object,
  optional,
  required,
  text,
  timestamp,
  truth,
  integer,
  type Kind,
  type Shown,
} from './kind.ts';

const attributes = list(
  "What else the device sent, by its protocol's own names; only where it is asked for with `attributes=1`.",
  object('One value.', { name: text('Such as `io21`.'), value: text('As text.', { max: 1000 }) }),
);

export const position = kind('position', 'Where a tracker was at a moment, and what its device sensed there.', {
  ts: required(timestamp('When the device took the fix.')),
  recv_ts: timestamp('When the service received it.'),
  valid: truth(
    'False when the device had no fix, the place, time or speed cannot be, or nothing can have jumped there: kept in the record, left out of everything derived.',
  ),
  latitude: required(number('WGS 84.', { min: -90, max: 90, unit: '°' })),
  longitude: required(number('WGS 84.', { min: -180, max: 180, unit: '°' })),
  altitude: optional(alterable(number('Above sea level, as the device has it.', { min: -12_000, max: 100_000, unit: 'm' }))),
  speed: optional(alterable(number('Over ground.', { min: 0, max: 100_000, unit: 'km/h' }))),
  heading: optional(alterable(number('Clockwise from north, 0 <= heading < 360; 360 is taken for 0.', { min: 0, max: 360, unit: '°' }))),
  accuracy: optional(alterable(number('Radius of the likely error.', { min: 0, max: 1e7, unit: 'm' }))),
  satellites: optional(alterable(integer('Satellites used; 0 means no fix.', { min: 0, max: 255 }))),
  ignition: optional(alterable(truth('Ignition on.'))),
  motion: optional(alterable(truth('The device senses movement.'))),
  battery: optional(alterable(number("Voltage of the device's own battery.", { min: 0, max: 1000, unit: 'V' }))),
  battery_level: optional(alterable(number("Charge of the device's own battery.", { min: 0, max: 100, unit: '%' }))),
  power: optional(alterable(number('Voltage of the supply.', { min: 0, max: 10_000, unit: 'V' }))),
  odometer_dist: optional(alterable(number('What the device has on its odometer.', { min: 0, max: 1e8, unit: 'km' }))),
  event_id: optional(alterable(choiceOfNumbers('The type of what the device raised with it, the gravest if more.', ALARM_EVENTS))),
  attributes: optional(attributes),
});

export type Position = Shown<typeof position>;

export const positions = kind('positions', 'Positions of a tracker in time order, a page at a time.', {
  url: link('Its own address.'),
  positions: required(list('At most `limit` of them.', object('A position.', position.schema.properties), { max: 10_000 })),
  next_url: nullable(link('The next page; null on the last.')),
});

const alone = Object.entries(position.schema.properties).map(
  ([name, schema]) => [name, inputOf(schema) === undefined ? schema : optional(alterable(schema))] as const,
);

/** What a POST of positions takes: one position, which may be a form, or a list. */
export const newPositions: Kind = {
  ...kind(
    'new_positions',
    'One position, or a list of them as `positions`.',
    { ...Object.fromEntries(alone), positions: optional(alterable(positions.schema.properties.positions)) },
    (value, faults) => {
      const own = ['ts', 'latitude', 'longitude'];
      if (faults?.['positions'] !== undefined) return null;
      // Either or: of both, one would be dropped without a word.
      if (value['positions'] !== undefined) return own.some((name) => value[name] !== undefined) ? { positions: 'invalid' } : null;
      const missing = own.filter((name) => value[name] === undefined || value[name] === null);
      return missing.length === 0 ? null : Object.fromEntries(missing.map((name) => [name, 'empty' as const]));
    },
  ),
  simple: true,
};

// A zone and the list of an account's zones.
import { zoneFaults } from './zone-shape.ts';
import { alterable, choice, kind, link, list, nullable, number, object, required, text, timestamp, type Shown } from './kind.ts';

export const zone = kind(
  'zone',
  'An area on the ground: a polygon, a circle around one point, or a corridor along a line.',
  {
    url: link('Its own address.'),
    name: required(text('Unique in the account.', { max: 100 }), { unique: true }),
    type: required(
      choice('`polygon`: 3 or more corners; `circle`: one point; `corridor`: 2 or more points.', ['polygon', 'circle', 'corridor']),
    ),
    points: required(
      list(
        'Corners in order, without repeating the first; the centre; or the line. An edge takes the short way round the earth.',
        object('A point, WGS 84.', {
          latitude: required(number('WGS 84.', { min: -90, max: 90, unit: '°' })),
          longitude: required(number('WGS 84.', { min: -180, max: 180, unit: '°' })),
        }),
        { max: 2000 },
      ),
    ),
    radius: alterable(
      nullable(number('Of the circle, or half the width of the corridor; null for a polygon.', { min: 1, max: 5_000_000, unit: 'm' })),
    ),
    color: alterable(nullable(text('`#rrggbb`.', { max: 7, format: 'color', examples: ['#3366cc'] }))),
    created_ts: timestamp('When it was made.'),
    zone_notifications_url: link('The rules that tell of its crossings.'),
  },
  zoneFaults,
);

export type Zone = Shown<typeof zone>;

export const zones = kind('zones', 'The zones of the account.', {
  url: link('Its own address.'),
  zones: list('All of them, by name.', object('A zone.', zone.schema.properties), { max: Infinity }),
});

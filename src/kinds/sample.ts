// The sample: the object of the document, for authors of clients to try every format and every error on.
import { alterable, duration, kind, link, list, number, object, required, text, timestamp, type Shown } from './kind.ts';

export const sample = kind(
  'sample',
  'An object to try formats and errors on. Each account has its own.',
  {
    ts: timestamp('When it was last changed.'),
    url: link('Its own address.'),
    trips: alterable(
      list(
        'Two trips, to have a list.',
        object('A trip.', {
          drive_t: required(duration('Driving time.')),
          drive_dist: required(number('Distance driven.', { min: 0, max: 1e9, unit: 'km' })),
        }),
        { max: 1000 },
      ),
    ),
    driver: alterable(
      object('Who drove.', {
        name: required(text('The name; `Marvin` is always taken.', { max: 100 })),
        occupation: alterable(text('What the driver does.', { max: 100 })),
        speed: alterable(text('A speed, as text.', { max: 100 })),
      }),
    ),
  },
  (value) => ((value['driver'] as { name?: string } | undefined)?.name === 'Marvin' ? { driver: { name: 'taken' } } : null),
);

export type Sample = Shown<typeof sample>;

/** What the sample of a new account holds: the values of the document's figure of merit, 187.8992 km in 02:33:08. */
export const FIRST_SAMPLE: Pick<Sample, 'trips' | 'driver'> = {
  trips: [
    { drive_t: '02:33:08', drive_dist: 187.8992 },
    { drive_t: '00:12:40', drive_dist: 7.25 },
  ],
  driver: { name: 'Zaphod', occupation: 'President', speed: '0.7c' },
};

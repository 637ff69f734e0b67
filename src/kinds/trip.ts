// Trips: journeys that were found in the positions of a tracker.
import { alterable, choice, duration, kind, link, list, nullable, number, object, required, text, timestamp, type Shown } from './kind.ts';

/** The most characters of a note. */
export const NOTE_LENGTH = 4000;

const place = (description: string) =>
  object(description, {
    latitude: number('WGS 84.', { unit: '°' }),
    longitude: number('WGS 84.', { unit: '°' }),
    address: nullable(text('Postal address of the place; null where it is not known.')),
  });

export const trip = kind('trip', 'A journey: from setting off to a stop that is long enough to end it.', {
  url: link('Its own address. It stays when reports that come late change the trip.'),
  start_ts: timestamp('When it began.'),
  end_ts: nullable(timestamp('When it ended; null while it is under way. Silent for longer than a gap, it is over where it was last.')),
  start: place('Where it began.'),
  end: nullable(place('Where it ended; null while it is under way.')),
  drive_t: duration('Time in movement.'),
  drive_dist: number('Distance driven.', { unit: 'km' }),
  idle_t: duration('Time standing on the way.'),
  avg_speed: nullable(number('`drive_dist` by `drive_t`; null where no time is known.', { unit: 'km/h' })),
  max_speed: nullable(number('The highest speed; null where none is known.', { unit: 'km/h' })),
  positions_url: link('Its positions.'),
  purpose: alterable(nullable(choice('What it was for.', ['business', 'private', 'commute']))),
  note: alterable(nullable(text('Whatever a person has to say about it.', { max: NOTE_LENGTH }))),
  driver: alterable(nullable(object('Who drove.', { name: required(text('The name.', { max: 100 })) }))),
});

export type Trip = Shown<typeof trip>;

export const trips = kind('trips', 'The trips of a tracker in the order of their beginnings, a page at a time.', {
  url: link('Its own address.'),
  trips: list('At most `limit` of them.', object('A trip.', trip.schema.properties)),
  next_url: nullable(link('The next page; null on the last.')),
});

// Days: what was driven on each day of the calendar.
import { date, duration, integer, kind, link, list, nullable, number, object, timestamp, type Shown } from './kind.ts';

export const days = kind('days', 'What a tracker drove on each day of the calendar, in the time zone in use.', {
  url: link('Its own address.'),
  days: list(
    'Every day that was asked for, with driving or without.',
    object('A day, from midnight to midnight.', {
      day_dt: date('The day.'),
      drive_t: duration('Time in movement.'),
      drive_dist: number('Distance driven.', { unit: 'km' }),
      idle_t: duration('Time standing on the way.'),
      trip_count: integer('Trips that the day has a part of.'),
      max_speed: nullable(number('The highest speed; null on a day without trips.', { unit: 'km/h' })),
      start_ts: nullable(timestamp('When the first trip began, or midnight when it was under way by then; null on a day without trips.')),
      end_ts: nullable(timestamp('When the last trip ended, or midnight when it went on beyond; null on a day without trips.')),
      trips_url: link('The trips that the day has a part of.'),
    }),
    { max: 366 },
  ),
});

export type Day = Shown<typeof days>['days'][number];

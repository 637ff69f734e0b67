// Events, and the types that they are of.
import { integer, kind, link, list, nullable, number, object, text, timestamp, truth, choice, type Shown } from './kind.ts';

const eventType = object('A type of events.', {
  event_id: integer('Its number: what events, notifications and messages name it by.'),
  name: text('In two words.'),
  description: text('In a sentence.'),
  alarm: truth('Worth telling even when it is heard of late.'),
});

export const eventTypes = kind('event_types', 'The types of events.', {
  url: link('Its own address.'),
  event_types: list('All of them.', eventType),
});

export const event = kind('event', 'Something that happened to a tracker.', {
  url: link('Its own address.'),
  ts: timestamp('When it happened.'),
  imei: text('Of the tracker.'),
  tracker_url: link('The tracker.'),
  event_id: integer('Its type.'),
  event_name: text('Its type in words.'),
  latitude: nullable(number('Where it happened, WGS 84; null when no place was known.', { unit: '°' })),
  longitude: nullable(number('Where it happened, WGS 84; null when no place was known.', { unit: '°' })),
  address: nullable(text('Postal address of the place; null where it is not known.')),
  zone_name: nullable(text('Zone crossing: what the zone was called then.')),
  zone_url: nullable(link('Zone crossing: the zone; null when it is there no more.')),
  cross_type: nullable(choice('Zone crossing: which way.', ['entry', 'exit'])),
  value: nullable(number('Overspeed: the highest speed until it was found, km/h. Battery low: the charge, %.')),
});

export type Event = Shown<typeof event>;

export const events = kind('events', 'Events in time order, a page at a time.', {
  url: link('Its own address.'),
  events: list('At most `limit` of them.', object('An event.', event.schema.properties)),
  next_url: nullable(link('The next page; null on the last.')),
});

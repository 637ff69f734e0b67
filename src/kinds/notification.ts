// Notifications: the rules that say which events of a tracker become messages to a target, and when.
import { EVENT, eventType } from './event-type.ts';
import {
  alterable,
  choice,
  duration,
  integer,
  kind,
  link,
  linkInto,
  list,
  nullable,
  number,
  object,
  required,
  timeOfDay,
  timestamp,
  truth,
  weekdays,
  type Faults,
  type Shown,
} from './kind.ts';

/** What both kinds of rules have: where to, and when. */
const common = {
  target_url: required(linkInto('targets', 'Where the messages go.')),
  active: alterable(truth('False lets it rest. Left out at creation, it is true.')),
  days_wd: alterable(
    weekdays('Days on which the window begins: the sum of 2 (Sunday), 4 (Monday), ... 128 (Saturday). Left out at creation, all: 254.'),
  ),
  from_t: alterable(timeOfDay("Beginning of the window, in the account's time zone. Left out at creation, 00:00:00.")),
  to_t: alterable(
    timeOfDay(
      'End of the window, itself not within; earlier than `from_t` it is on the next day, the same means 24 hours. Left out at creation, 24:00:00.',
    ),
  ),
  cooldown_t: alterable(
    duration(
      'After a message, the same rule sends none for this long; 00:00:00 never rests. Left out at creation, the setting `cooldown`.',
    ),
  ),
  created_ts: timestamp('When it was made.'),
};

/** A day ends at 24:00:00; none begins there. */
const windowFaults = ({ from_t }: Record<string, unknown>): Faults | null => (from_t === '24:00:00' ? { from_t: 'invalid' } : null);

export const eventNotification = kind(
  'event_notification',
  'A rule: events of one type of a tracker are told to a target.',
  {
    url: link('Its own address.'),
    event_id: required(integer('The type of event, as `event_types` has it; zone crossings have notifications of their own.')),
    ...common,
    speed: alterable(
      nullable(
        number('Overspeed, which must have it: the speed that is too fast. For every other type it is null, whatever is given.', {
          min: 1,
          max: 1000,
          unit: 'km/h',
        }),
      ),
    ),
  },
  (value, faults) => {
    const { event_id: id, speed = null } = value as { event_id?: number; speed?: number | null };
    const found: Faults = { ...windowFaults(value) };
    if (id !== undefined && (eventType(id) === undefined || id === EVENT.zoneCrossing)) found['event_id'] = 'invalid';
    if (id === EVENT.overspeed && speed === null && faults?.['speed'] === undefined) found['speed'] = 'empty';
    return Object.keys(found).length > 0 ? found : null;
  },
);

export type EventNotification = Shown<typeof eventNotification>;

export const eventNotifications = kind('event_notifications', 'The event notifications of a tracker.', {
  url: link('Its own address.'),
  event_notifications: list('All of them, oldest first.', object('A rule.', eventNotification.schema.properties), { max: Infinity }),
});

export const zoneNotification = kind(
  'zone_notification',
  'A rule: when a tracker enters or leaves a zone, a target is told.',
  {
    url: link('Its own address.'),
    zone_url: required(linkInto('zones', 'The zone. Where the address posted to implies it, it can be left out.')),
    tracker_url: required(linkInto('trackers', 'The tracker. Where the address posted to implies it, it can be left out.')),
    cross_type: alterable(choice('Which way. Left out at creation, both.', ['entry', 'exit', 'both'])),
    ...common,
  },
  windowFaults,
);

export type ZoneNotification = Shown<typeof zoneNotification>;

export const zoneNotifications = kind('zone_notifications', 'The zone notifications of a tracker or of a zone.', {
  url: link('Its own address.'),
  zone_notifications: list('All of them, oldest first.', object('A rule.', zoneNotification.schema.properties), { max: Infinity }),
});

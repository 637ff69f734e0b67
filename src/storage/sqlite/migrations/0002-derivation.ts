// What is derived from positions, and the messages that follow from it. Times are milliseconds since 1970 UTC, distances of
// trips millimetres (whole numbers: their sums do not depend on the order of adding), all else metres and m/s.
export const statements = [
  `alter table accounts add column signing_secret blob`,
  // Counts the changes of the account's zones: what was read of them before is old.
  `alter table accounts add column zones_change integer not null default 0`,

  // A tracker's own thresholds; null is the service's.
  `alter table trackers add column trip_source text`,
  `alter table trackers add column stop_time integer`,
  `alter table trackers add column stop_radius real`,
  `alter table trackers add column gap_time integer`,
  `alter table trackers add column trip_distance real`,
  `alter table trackers add column offline_after integer`,

  // The state of the machines after the last derived position.
  `alter table tracker_states add column machine text`,
  // The trip under way, JSON: what it has of parts that are not final, how far it came, and when a silence ends it.
  `alter table tracker_states add column open_trip text`,
  // When it is over if nothing more is heard, and once that was told: the time of the event.
  `alter table tracker_states add column trip_silent integer`,
  `alter table tracker_states add column trip_told integer`,
  // Distance of all trips.
  `alter table tracker_states add column driven integer not null default 0`,
  // Positions wait to be derived, and what is derived from those received up to here is told to nobody; null: nothing waits.
  `alter table tracker_states add column behind_since integer`,
  `update tracker_states set behind_since = comm_time where comm_time is not null`,
  `create index tracker_states_behind on tracker_states (tracker_id) where behind_since is not null`,
  // Rows that came out differently since the record was called to be derived from the beginning.
  `alter table tracker_states add column rederived integer not null default 0`,
  // Since when the tracker counts as offline; null: it does not.
  `alter table tracker_states add column offline_since integer`,
  // JSON [[m/s, in force from, until or null], ...]: the limits of the tracker's overspeed notifications.
  `alter table tracker_states add column speed_limits text not null default '[]'`,

  // What the device itself raised with a report: a set of bits, see kinds/alarm.ts.
  `alter table positions add column alarms integer`,

  // The machines' state as it stood before the first position at or after a moment: where a late report is taken up.
  `create table checkpoints (
    tracker_id integer not null,
    time integer not null,
    state text not null,
    primary key (tracker_id, time)
  ) strict, without rowid`,

  // "opened" and "closed" are the times of the positions that showed it. A trip that later reports made vanish keeps its row,
  // for its address and for what was written on it.
  `create table trips (
    id integer primary key autoincrement,
    tracker_id integer not null,
    start_time integer not null,
    start_latitude real not null,
    start_longitude real not null,
    opened integer not null,
    end_time integer,
    end_latitude real,
    end_longitude real,
    closed integer,
    vanished integer not null default 0,
    purpose text,
    note text,
    driver text
  ) strict`,
  `create index trips_by_start on trips (tracker_id, start_time)`,
  // What was written on vanished trips is looked for with every list of trips; there is little of it.
  `create index trips_with_words on trips (tracker_id, start_time)
    where vanished = 1 and (purpose is not null or note is not null or driver is not null)`,
  // What a trip has in one quarter of an hour: days are cut from these, in any time zone.
  `create table trip_parts (
    tracker_id integer not null,
    trip_start integer not null,
    bucket integer not null,
    made integer not null,
    distance integer not null,
    drive_time integer not null,
    idle_time integer not null,
    max_speed real not null,
    primary key (tracker_id, trip_start, bucket)
  ) strict, without rowid`,

  // "made" is the time of the position that showed it; null where no position did (offline, online).
  `create table events (
    id integer primary key autoincrement,
    account_id integer not null,
    tracker_id integer not null,
    time integer not null,
    type integer not null,
    discriminator integer not null default 0,
    made integer,
    latitude real,
    longitude real,
    zone_id integer,
    zone_name text,
    cross_type text,
    value real
  ) strict`,
  `create unique index events_by_tracker on events (tracker_id, time, type, discriminator)`,
  // Nearly all events are shown within the hour; where to look for the others. An index of all would double what an event costs.
  `create index events_shown_late on events (tracker_id, made) where made - time > 3600000`,
  `create index events_by_account on events (account_id, time, id)`,

  // Every shape that a zone had, and when: positions are judged by the shape of the time when they were received.
  `create table zone_versions (
    id integer primary key autoincrement,
    account_id integer not null references accounts (id) on delete cascade,
    zone_id integer not null,
    name text not null,
    type text not null,
    points text not null,
    radius real,
    since integer not null,
    until integer
  ) strict`,
  `create index zone_versions_by_zone on zone_versions (account_id, zone_id, since)`,
  // The cells of a grid that a version touches; a level's cells are half as wide as those of the level before.
  `create table zone_cells (
    account_id integer not null,
    level integer not null,
    x integer not null,
    y integer not null,
    version_id integer not null references zone_versions (id) on delete cascade,
    primary key (account_id, level, x, y, version_id)
  ) strict, without rowid`,
  `create index zone_cells_by_version on zone_cells (version_id)`,

  `create table targets (
    id integer primary key autoincrement,
    account_id integer not null references accounts (id) on delete cascade,
    name text not null,
    type text not null,
    address text not null,
    active integer not null,
    created_time integer not null
  ) strict`,
  `create index targets_by_account on targets (account_id, id)`,
  // A rule: which events of which tracker go to which target, and when. Times of day in seconds, cooldown in ms.
  `create table notifications (
    id integer primary key autoincrement,
    account_id integer not null,
    tracker_id integer not null references trackers (id) on delete cascade,
    event_type integer not null,
    zone_id integer references zones (id) on delete cascade,
    cross_type text,
    target_id integer not null references targets (id) on delete cascade,
    active integer not null,
    days_wd integer not null,
    from_t integer not null,
    to_t integer not null,
    speed real,
    cooldown integer not null,
    created_time integer not null
  ) strict`,
  `create index notifications_by_tracker on notifications (tracker_id, event_type, zone_id)`,
  `create index notifications_by_zone on notifications (zone_id)`,
  `create index notifications_by_target on notifications (target_id)`,
  // One message to one target. state: waiting, delivered, given_up, skipped. message: JSON, see kinds/message.ts.
  `create table deliveries (
    id integer primary key autoincrement,
    account_id integer not null,
    target_id integer not null references targets (id) on delete cascade,
    event_id integer,
    notification_id integer,
    event_time integer,
    cross_type text,
    uid text not null,
    message text not null,
    created_time integer not null,
    state text not null,
    attempts integer not null default 0,
    first_time integer,
    next_time integer,
    status integer,
    error text
  ) strict`,
  `create index deliveries_by_target on deliveries (target_id, id)`,
  `create index deliveries_waiting on deliveries (target_id, id) where state = 'waiting'`,
  `create index deliveries_by_rule on deliveries (notification_id, event_time)`,
  `create index deliveries_by_event on deliveries (event_id)`,
  `create index deliveries_by_age on deliveries (created_time)`,
  `create table delivery_attempts (
    delivery_id integer not null references deliveries (id) on delete cascade,
    number integer not null,
    time integer not null,
    seconds real not null,
    status integer,
    error text,
    primary key (delivery_id, number)
  ) strict, without rowid`,
];

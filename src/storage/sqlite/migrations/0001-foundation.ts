// The first schema. Times are milliseconds since 1970 UTC, distances metres, speeds m/s.
export const statements = [
  `create table accounts (
    id integer primary key,
    username text not null unique,
    name text not null,
    email text,
    timezone text not null,
    created_time integer not null,
    password_hash text not null,
    digest_secret blob not null,
    key_hash blob unique,
    key_hint text
  ) strict`,
  `create table tokens (
    id integer primary key autoincrement,
    account_id integer not null references accounts (id) on delete cascade,
    hash blob not null unique,
    label text,
    created_time integer not null,
    expires_time integer not null,
    used_time integer not null
  ) strict`,
  `create index tokens_by_account on tokens (account_id, id)`,
  `create index tokens_by_expiry on tokens (expires_time)`,
  `create table trackers (
    id integer primary key autoincrement,
    account_id integer not null references accounts (id) on delete cascade,
    imei text not null unique,
    name text not null,
    model text,
    start_time integer not null,
    end_time integer,
    data_retention integer,
    odometer_offset real not null default 0
  ) strict`,
  `create index trackers_by_account on trackers (account_id, imei)`,
  // What is known of a tracker now. Apart from trackers, because it is written with every commit of reports.
  `create table tracker_states (
    tracker_id integer primary key references trackers (id) on delete cascade,
    account_id integer not null,
    seq integer not null,
    comm_time integer,
    pos_time integer,
    pos_digest integer,
    latitude real,
    longitude real,
    altitude real,
    speed real,
    heading real,
    sensors text not null default '{}'
  ) strict`,
  `create index tracker_states_by_seq on tracker_states (account_id, seq)`,
  // Clustered by tracker and time, as it is read; the digest tells apart what was reported for the same moment.
  `create table positions (
    tracker_id integer not null,
    time integer not null,
    digest integer not null,
    recv_time integer not null,
    valid integer not null,
    latitude real,
    longitude real,
    altitude real,
    speed real,
    heading real,
    accuracy real,
    satellites integer,
    ignition integer,
    motion integer,
    battery real,
    battery_level real,
    power real,
    odometer real,
    attributes text,
    primary key (tracker_id, time, digest)
  ) strict, without rowid`,
  // Trackers that are gone but whose positions are still to be deleted.
  `create table removed_trackers (tracker_id integer primary key) strict`,
  `create table zones (
    id integer primary key autoincrement,
    account_id integer not null references accounts (id) on delete cascade,
    name text not null,
    type text not null,
    points text not null,
    radius real,
    color text,
    created_time integer not null,
    unique (account_id, name)
  ) strict`,
  `create table samples (
    account_id integer primary key references accounts (id) on delete cascade,
    document text not null
  ) strict`,
  `create table unknown_devices (
    imei text primary key,
    protocol text not null,
    address text not null,
    first_time integer not null,
    last_time integer not null,
    count integer not null
  ) strict`,
  `create index unknown_devices_by_last on unknown_devices (last_time)`,
  // The number of the last commit that changed a tracker's state: the cursor of the live view.
  `create table sequences (name text primary key, value integer not null) strict`,
  `insert into sequences (name, value) values ('live', 0)`,
];

// A tracker as the writer's transactions know it: what is known of it now, how far it is derived, and its own thresholds.
import type { Sql } from '../storage/operation.ts';
import type { OpenTrip, TrackerState } from '../storage/storage.ts';
import type { Surroundings } from './machine.ts';
import { ProgressMemory } from './progress-memory.ts';
import type { Progress } from './progress.ts';
import type { SpeedLimit } from './sensors.ts';
import type { Thresholds, TripSource } from './thresholds.ts';
import { createZoneIndex, type Nearby } from './zone-index.ts';

interface TrackedRow extends TrackerState {
  machine: string | null;
  open_trip: string | null;
  trip_silent: number | null;
  trip_told: number | null;
  driven: number;
  behind_since: number | null;
  rederived: number;
  offline_since: number | null;
  speed_limits: string;
  imei: string;
  name: string;
  data_retention: number | null;
  trip_source: TripSource | null;
  stop_time: number | null;
  stop_radius: number | null;
  gap_time: number | null;
  trip_distance: number | null;
}

export interface Tracked extends Omit<TrackedRow, 'machine'> {
  /** Null when nothing is derived yet. */
  progress: Progress | null;
}

const memory = new ProgressMemory();

const SELECT = `select s.*, t.imei, t.name, t.data_retention, t.trip_source, t.stop_time, t.stop_radius, t.gap_time, t.trip_distance
  from tracker_states s join trackers t on t.id = s.tracker_id where s.tracker_id = $1`;

export async function findTracked(sql: Sql, trackerId: number): Promise<Tracked | undefined> {
  const row = await sql.get<TrackedRow>(SELECT, trackerId);
  if (row === undefined) return undefined;
  return Object.assign(row, { progress: row.machine === null ? null : memory.take(trackerId, row.machine) });
}

/** Notes how far the trip under way is; what it has so far is a part of what was driven. */
export function setOpenTrip(tracked: Tracked, open: OpenTrip | null): void {
  const before = tracked.open_trip === null ? null : (JSON.parse(tracked.open_trip) as OpenTrip);
  tracked.driven += drivenIn(open) - drivenIn(before);
  tracked.open_trip = open === null ? null : JSON.stringify(open);
  tracked.trip_silent = open?.silent ?? null;
}

const drivenIn = (open: OpenTrip | null): number => open?.parts.reduce((sum, [, , distance]) => sum + distance, 0) ?? 0;

const UPDATE = `update tracker_states set seq = $2, comm_time = $3, pos_time = $4, pos_digest = $5, latitude = $6, longitude = $7,
  altitude = $8, speed = $9, heading = $10, sensors = $11, machine = $12, open_trip = $13, driven = $14, behind_since = $15,
  offline_since = $16, trip_silent = $17, trip_told = $18, rederived = $19 where tracker_id = $1`;

export function putTracked(sql: Sql, t: Tracked, seq: number): Promise<number> {
  const machine = t.progress === null ? null : memory.keep(t.tracker_id, t.progress);
  return sql.run(
    UPDATE,
    t.tracker_id,
    seq,
    t.comm_time,
    t.pos_time,
    t.pos_digest,
    t.latitude,
    t.longitude,
    t.altitude,
    t.speed,
    t.heading,
    t.sensors,
    machine,
    t.open_trip,
    t.driven,
    t.behind_since,
    t.offline_since,
    t.trip_silent,
    t.trip_told,
    t.rederived,
  );
}

/** The zones of accounts as they stand in one transaction. */
export type ZonesOf = (accountId: number) => Promise<Nearby | null>;

/** Compiled zones of the accounts that this thread has to do with; it sees for itself when they are out of date. */
const zoneIndex = createZoneIndex();

/** Each account's zones are looked up once in a transaction. */
export function zonesIn(sql: Sql): ZonesOf {
  const opened = new Map<number, Promise<Nearby | null>>();
  return (accountId) => {
    let zones = opened.get(accountId);
    if (zones === undefined) opened.set(accountId, (zones = zoneIndex.open(sql, accountId)));
    return zones;
  };
}

export async function surroundings(tracked: Tracked, defaults: Thresholds, zonesOf: ZonesOf): Promise<Surroundings> {
  return {
    thresholds: {
      ...defaults,
      tripSource: tracked.trip_source ?? defaults.tripSource,
      stopTime: tracked.stop_time ?? defaults.stopTime,
      stopRadius: tracked.stop_radius ?? defaults.stopRadius,
      gapTime: tracked.gap_time ?? defaults.gapTime,
      tripDistance: tracked.trip_distance ?? defaults.tripDistance,
    },
    limits: JSON.parse(tracked.speed_limits) as SpeedLimit[],
    zones: await zonesOf(tracked.account_id),
  };
}

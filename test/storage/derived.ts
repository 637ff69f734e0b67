// What is derived for a tracker, as the tables have it, and the ways to have it derived.
import { DatabaseSync } from 'node:sqlite';
import type { Report } from '../../src/kinds/report.ts';
import { operations, type Store } from '../../src/operations.ts';
import { databaseFile, openStorage } from '../../src/storage/open.ts';
import { account, batchOf, deriving, newFolder } from './engines.ts';

/** Everything derived for a tracker, without what names a row. */
export function derived(file: string, trackerId: number): object {
  const database = new DatabaseSync(file, { readOnly: true });
  const all = (text: string) =>
    database
      .prepare(text)
      .all(trackerId)
      .map((row) => ({ ...row }));
  const found = {
    trips: all(
      `select start_time, start_latitude, start_longitude, opened, end_time, end_latitude, end_longitude, closed
       from trips where tracker_id = ? and vanished = 0 order by start_time`,
    ),
    parts: all(
      `select trip_start, bucket, made, distance, drive_time, idle_time, max_speed
       from trip_parts where tracker_id = ? order by trip_start, bucket`,
    ),
    events: all(
      `select time, type, discriminator, made, latitude, longitude, zone_name, cross_type, value
       from events where tracker_id = ? order by time, type, discriminator`,
    ),
    jumps: all('select time, digest from positions where tracker_id = ? and valid = 2 order by time, digest'),
    state: all(
      'select pos_time, pos_digest, latitude, longitude, speed, sensors, open_trip, driven from tracker_states where tracker_id = ?',
    ).map((row) => ({ ...row, sensors: JSON.parse(String(row['sensors'])) as unknown })),
  };
  database.close();
  return found;
}

export interface World {
  storage: Store;
  file: string;
  accountId: number;
  newTracker(): Promise<number>;
}

export async function withWorld(work: (world: World) => Promise<void>): Promise<void> {
  const folder = newFolder();
  const { storage, close } = await openStorage(folder, operations);
  const accountId = (await storage.accounts.create(account('anna'))) ?? 0;
  let imei = 100_000_000_000_000;
  const newTracker = async () =>
    (await storage.trackers.create({ accountId, imei: String(imei++), name: 'van', model: null, now: 0 })) ?? 0;
  await work({ storage, file: databaseFile(folder), accountId, newTracker });
  await close();
}

export async function send(storage: Store, trackerId: number, reports: readonly Report[], at: number): Promise<void> {
  await storage.pipeline.commit(
    batchOf(
      reports.map((report) => [trackerId, report]),
      at,
    ),
    deriving,
  );
}

/** Derives all that waits of a tracker's record; how many rows came out differently. */
export async function catchUpAll(storage: Store, trackerId: number, most: number): Promise<number> {
  let changes = 0;
  for (let done = false; !done;) {
    const stretch = await storage.pipeline.catchUp(trackerId, deriving, most);
    changes += stretch?.changes ?? 0;
    done = stretch?.done ?? true;
  }
  return changes;
}

/** Derives all of it anew. */
export async function rebuildAll(storage: Store, trackerId: number, at: number, most = 97): Promise<number> {
  await storage.pipeline.forget(trackerId, at);
  return catchUpAll(storage, trackerId, most);
}

// What an account has beside its trackers: zones, rules, and a record of drives. Each puts it into a data folder that no service runs on.
import { EVENT } from '../src/kinds/event-type.ts';
import { operations } from '../src/operations.ts';
import { BatchWriter } from '../src/pipeline/batch.ts';
import type { Deriving } from '../src/pipeline/commit.ts';
import { databaseFile, openStorage } from '../src/storage/open.ts';
import { openConnection, type Connection } from '../src/storage/sqlite/connection.ts';
import { imeis } from './data.ts';
import { chance, driveWay, placeIn, type Habit, type Region } from './drives.ts';

/** The one account of a fleet. */
const ACCOUNT = 1;
const ZONES_OF_TRANSACTION = 1000;

/**
 * Makes zones all over a region: circles of 100 to 300 m (5 of 10), polygons of 4 to 12 corners and the same size (4 of 10), corridors
 * (1 of 10). One transaction for many: made one by one, each would wait for the disk. Returns how many were made in a second.
 */
export async function addZones(folder: string, count: number, region: Region): Promise<number> {
  const connection = openConnection(databaseFile(folder));
  const random = chance(count);
  const now = Date.now();
  const began = performance.now();
  for (let made = 0; made < count;) {
    await connection.transaction(async () => {
      for (const end = Math.min(count, made + ZONES_OF_TRANSACTION); made < end; made++)
        await operations.zones.create.work(connection, ACCOUNT, zoneOf(made, region, random), now);
    });
  }
  const seconds = (performance.now() - began) / 1000;
  connection.close();
  return count / seconds;
}

function zoneOf(number: number, region: Region, random: () => number) {
  const [east, north] = [region.side * random(), region.side * random()];
  const sort = number % 10;
  const size = 100 + 200 * random();
  const zone = { name: `Zone ${number}`, color: null };
  const points = (places: readonly (readonly [east: number, north: number])[]): string =>
    JSON.stringify(
      places.map(([x, y]) => {
        const { latitude, longitude } = placeIn(region, east + x, north + y);
        return [latitude, longitude];
      }),
    );
  if (sort < 5) return { ...zone, type: 'circle', radius: size, points: points([[0, 0]]) };
  if (sort < 9) {
    const corners = Math.floor(4 + 9 * random());
    // Corners around the middle in the order of their directions: edges do not cross.
    const places = Array.from({ length: corners }, (_, i) => {
      const [angle, away] = [((i + 0.6 * random()) / corners) * 2 * Math.PI, size * (0.7 + 0.3 * random())];
      return [away * Math.sin(angle), away * Math.cos(angle)] as const;
    });
    return { ...zone, type: 'polygon', radius: null, points: points(places) };
  }
  const line: [number, number][] = [[0, 0]];
  let direction = 2 * Math.PI * random();
  for (let left = Math.floor(1 + 4 * random()); left > 0; left--) {
    const [x = 0, y = 0] = line.at(-1) ?? [];
    direction += random() - 0.5;
    line.push([x + 300 * Math.sin(direction), y + 300 * Math.cos(direction)]);
  }
  return { ...zone, type: 'corridor', radius: 20 + 30 * random(), points: points(line) };
}

/** Three rules for each of the first so many trackers: a speed that none drives, a supply that none loses, one of the zones. */
export async function addRules(folder: string, trackers: number): Promise<void> {
  const connection = openConnection(databaseFile(folder));
  const ids = await trackerIds(connection);
  const zones = await connection.all<{ id: number }>('select id from zones where account_id = $1', ACCOUNT);
  const now = Date.now();
  await connection.transaction(async () => {
    const target = { name: 'Office', type: 'http', address: 'https://waypost.example/messages', active: 1 } as const;
    const targetId = await operations.targets.create.work(connection, ACCOUNT, target, now);
    for (const [i, imei] of imeis.slice(0, trackers).entries()) {
      const common = { tracker_id: ids.get(imei) ?? 0, target_id: targetId, active: 1, days_wd: 254, from_t: 0, to_t: 86_400, cooldown: 0 };
      const none = { zone_id: null, cross_type: null, speed: null };
      for (const rule of [
        { ...common, ...none, event_type: EVENT.overspeed, speed: 130 / 3.6 },
        { ...common, ...none, event_type: EVENT.batteryDisconnected },
        { ...common, ...none, event_type: EVENT.zoneCrossing, zone_id: zones[i % zones.length]?.id ?? 0, cross_type: 'both' as const },
      ])
        await operations.notifications.create.work(connection, ACCOUNT, rule, now);
    }
  });
  connection.close();
}

export interface Driven {
  trackers: number;
  habit: Habit;
  /** Time of each tracker's record 0, ms, and the numbers of the records to store: from the first up to but not with the last. */
  start: number;
  first: number;
  last: number;
}

/** Stores what vehicles sent on their drives, as if they had sent it before now; with `deriving` null nobody has looked for trips in it. */
export async function addDrives(folder: string, { trackers, habit, start, first, last }: Driven, deriving: Deriving | null): Promise<void> {
  const connection = openConnection(databaseFile(folder));
  const ids = await trackerIds(connection);
  connection.close();
  const { storage, close } = await openStorage(folder, operations);
  const now = Date.now();
  for (const [i, imei] of imeis.slice(0, trackers).entries()) {
    const way = driveWay(i, start, habit);
    for (let number = first; number < last;) {
      const writer = new BatchWriter();
      for (const end = Math.min(last, number + 5000); number < end; number++) {
        way.go(number);
        writer.add(ids.get(imei) ?? 0, reportOf(way, number), now);
      }
      await storage.pipeline.commit(writer.finish(), deriving);
    }
  }
  await close();
}

/** As load.ts sends it. */
function reportOf({ time, latitude, longitude, heading, speed, ignition }: ReturnType<typeof driveWay>, number: number) {
  return {
    time,
    latitude: latitude / 1e7,
    longitude: longitude / 1e7,
    fixed: true,
    altitude: 95,
    speed: speed / 3.6,
    heading,
    satellites: 11,
    ignition: ignition === 1,
    motion: speed > 0,
    battery: 4.08,
    power: 13.95,
    odometer: 1_000_000 + 10 * number,
    attributes: { io21: 4, io69: 1, pdop: 1.2, hdop: 0.8 },
  };
}

async function trackerIds(connection: Connection): Promise<Map<string, number>> {
  const rows = await connection.all<{ id: number; imei: string }>('select id, imei from trackers where account_id = $1', ACCOUNT);
  return new Map(rows.map(({ id, imei }) => [imei, id]));
}

/** How many events a data folder has; a service may run on it. */
export async function eventsIn(folder: string): Promise<number> {
  const connection = openConnection(databaseFile(folder), { readOnly: true });
  const row = await connection.get<{ count: number }>('select count(*) as count from events');
  connection.close();
  return row?.count ?? 0;
}

// Trips as they are read: lists and sums, what a day is cut from, and that what was written on a trip outlives it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { write, type SqlValue } from '../operation.ts';
import { openInline } from '../sqlite/engine.ts';
import { accounts } from './accounts.ts';
import { trackers } from './trackers.ts';
import { PART_WIDTH, trips, type OpenTrip } from './trips.ts';

const folder = mkdtempSync(join(tmpdir(), 'waypost-trips-'));
const INSERT_TRIP = `insert into trips (tracker_id, start_time, opened, end_time, vanished, purpose, note, driver, start_latitude, start_longitude,
  end_latitude, end_longitude) values ($1, $2, $3, $4, $5, $6, $7, $8, 48, 16, 49, 17) returning id`;
const INSERT_PART = `insert into trip_parts (tracker_id, trip_start, bucket, distance, drive_time, idle_time, max_speed, made)
  values ($1, $2, $3, $4, $5, $6, $7, 0)`;
type Part = [trackerId: number, trip: number, bucket: number, distance: number, driveTime: number, idleTime: number, maxSpeed: number];

/** What derivation writes is put there by hand. */
const raw = {
  run: write((sql, text: string, ...values: SqlValue[]) => sql.run(text, ...values)),
  trips: write(async (sql, rows: SqlValue[][], parts: Part[]): Promise<number> => {
    let id = 0;
    for (const row of rows) id = (await sql.get<{ id: number }>(INSERT_TRIP, ...row))?.id ?? 0;
    for (const [tracker, ...part] of parts) await sql.run(INSERT_PART, tracker, ...part);
    return id;
  }),
};
const { storage, close } = await openInline(join(folder, 'test.db'), { accounts, trackers, trips, raw });
after(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

const QUARTER = 900_000;
const midnight = Date.UTC(2026, 9, 1);
const at = (minutes: number): number => midnight + minutes * 60_000;
/** A moment at which nothing is silent for too long. */
const NOW = at(110);

const accountId =
  (await storage.accounts.create({
    username: 'anna',
    name: 'Anna',
    email: null,
    timezone: 'UTC',
    created_time: 0,
    password_hash: '',
    digest_secret: new Uint8Array(1),
    key_hash: null,
    key_hint: null,
  })) ?? 0;
let imei = 100_000_000_000_000;

async function newTracker(): Promise<number> {
  const tracker = { accountId, imei: String(++imei), name: 'Van', model: null, now: 0 };
  return (await storage.trackers.create(tracker)) ?? 0;
}

interface Given {
  vanished?: boolean;
  purpose?: string;
  note?: string;
  driver?: string;
}

const rowOf = (trackerId: number, from: number, to: number | null, given: Given): SqlValue[] => [
  trackerId,
  at(from),
  at(from + 1),
  to === null ? null : at(to),
  Number(given.vanished ?? false),
  given.purpose ?? null,
  given.note ?? null,
  given.driver ?? null,
];

function partsOf(trackerId: number, from: number, to: number): Part[] {
  const parts: Part[] = [];
  for (let bucket = at(from) - (at(from) % QUARTER); bucket < at(to); bucket += QUARTER) {
    const time = Math.min(at(to), bucket + QUARTER) - Math.max(at(from), bucket);
    parts.push([trackerId, at(from), bucket, time * 10, time, 0, 10 + parts.length]);
  }
  return parts;
}

/** A trip from minute to minute, ten metres a second, in parts; its id. */
const addTrip = (trackerId: number, from: number, to: number | null, given: Given = {}): Promise<number> =>
  storage.raw.trips([rowOf(trackerId, from, to, given)], given.vanished === true || to === null ? [] : partsOf(trackerId, from, to));

const list = async (trackerId: number, from: number, to: number): Promise<number[]> =>
  (await storage.trips.page({ trackerId, from: at(from), to: at(to), after: null, limit: 100 }, NOW)).trips.map(
    ({ start_time: start }) => (start - midnight) / 60_000,
  );

test('a list has the trips that have something in common with a stretch, in order, with the sums of their parts', async () => {
  const id = await newTracker();
  await addTrip(id, 10, 50);
  await addTrip(id, 60, 70, { vanished: true });
  await addTrip(id, 100, 130);
  await addTrip(id, 130, 131);
  await addTrip(await newTracker(), 10, 50);
  for (const [from, to, found] of [
    [0, 1000, [10, 100, 130]],
    [0, 9, []],
    [0, 10, [10]],
    [49, 49, [10]],
    [50, 99, []],
    [51, 100, [100]],
    [130, 140, [130]],
    [120, 120, [100]],
    [131, 999, []],
  ] as const)
    assert.deepEqual(await list(id, from, to), found, `${from} to ${to}`);
  const { trips: first, more } = await storage.trips.page({ trackerId: id, from: 0, to: 1e15, after: null, limit: 2 }, NOW);
  assert.ok(more);
  assert.deepEqual(
    first.map((trip) => [trip.distance, trip.drive_time, trip.idle_time, trip.max_speed, trip.end_time]),
    [
      [24_000_000, 2_400_000, 0, 13, at(50)],
      [18_000_000, 1_800_000, 0, 12, at(130)],
    ],
  );
  const rest = await storage.trips.page({ trackerId: id, from: 0, to: 1e15, after: at(100), limit: 2 }, NOW);
  assert.deepEqual([rest.trips.map(({ start_time: start }) => start), rest.more], [[at(130)], false]);
});

test('the trip under way counts what is not final, and reaches as far as anything is known', async () => {
  const id = await newTracker();
  const trip = await addTrip(id, 100, null);
  await storage.raw.trips([], [[id, at(100), at(90), 1000, 300_000, 0, 5]]);
  const open: OpenTrip = {
    parts: [
      [at(100), at(105), 500, 60_000, 30_000, 7],
      // Of a drive that is no trip yet.
      [at(400), at(400), 9999, 1, 1, 99],
    ],
    end: [at(106), 48.5, 16.5],
    silent: at(117),
  };
  await storage.raw.run('update tracker_states set open_trip = $2, pos_time = $3 where tracker_id = $1', id, JSON.stringify(open), at(107));
  const found = await storage.trips.find(id, trip, NOW);
  assert.deepEqual(
    [found?.distance, found?.drive_time, found?.idle_time, found?.max_speed, found?.end_time],
    [1500, 360_000, 30_000, 7, null],
  );
  const silent = await storage.trips.find(id, trip, at(118));
  assert.deepEqual([silent?.end_time, silent?.end_latitude, silent?.end_longitude], [at(106), 48.5, 16.5], 'silent for too long, it ended');
  assert.deepEqual([await list(id, 106, 200), await list(id, 108, 200), await list(id, 0, 100)], [[100], [], [100]]);
  const { trips: pairs, parts } = await storage.trips.driving(id, at(0), at(200));
  assert.deepEqual([...pairs], [at(100), at(100) + 390_000]);
  assert.equal(parts.length, 2 * PART_WIDTH);
});

test('what was driven is had whole: with all parts of a trip that began before', async () => {
  const id = await newTracker();
  await addTrip(id, 0, 5);
  await addTrip(id, 10, 100);
  await addTrip(id, 200, 210);
  const { trips: pairs, parts } = await storage.trips.driving(id, at(60), at(200));
  assert.deepEqual([...pairs], [at(10), at(100)]);
  assert.equal(parts.length, partsOf(id, 10, 100).length * PART_WIDTH);
  const nothing = await storage.trips.driving(id, at(300), at(400));
  assert.deepEqual([[...nothing.trips], [...nothing.parts].length], [[at(200), at(210)], PART_WIDTH]);
  assert.equal(await storage.trips.distanceSince(id, at(90)), 12_000_000);
});

test('the address of a trip that vanished leads to the one that has most in common with it', async () => {
  const id = await newTracker();
  const [first, second] = [await addTrip(id, 0, 40), await addTrip(id, 50, 100)];
  const [between, alone] = [await addTrip(id, 20, 80, { vanished: true }), await addTrip(id, 300, 310, { vanished: true })];
  const find = async (trip: number): Promise<number | undefined> => (await storage.trips.find(id, trip, NOW))?.id;
  assert.deepEqual([await find(first), await find(second), await find(between), await find(alone)], [first, second, second, undefined]);
  assert.equal(await storage.trips.find(await newTracker(), first, NOW), null);
  assert.equal(await find(1e15), undefined);
});

test('what was written on vanished trips is shown on the trip in their place, and moves there with the next save', async () => {
  const id = await newTracker();
  const old = { vanished: true };
  await addTrip(id, 0, 10, { ...old, note: 'One', driver: 'Anna' });
  await addTrip(id, 11, 20, { ...old, note: 'Two', driver: 'Bert', purpose: 'private' });
  await addTrip(id, 12, 20, { ...old, note: 'Two' });
  await addTrip(id, 500, 510, { ...old, note: 'Elsewhere' });
  const trip = await addTrip(id, 0, 30, { note: 'Own' });
  const other = await addTrip(id, 40, 50);
  const shown = async (): Promise<unknown[]> => {
    const view = await storage.trips.find(id, trip, NOW);
    const [listed] = (await storage.trips.page({ trackerId: id, from: 0, to: 1e15, after: null, limit: 9 }, NOW)).trips;
    assert.deepEqual(listed, view);
    return [view?.purpose, view?.note, view?.driver];
  };
  const before = ['private', 'Own\nOne\nTwo', 'Anna'];
  assert.deepEqual(await shown(), before);
  const view = await storage.trips.find(id, other, NOW);
  assert.deepEqual([view?.purpose, view?.note, view?.driver], [null, null, null]);

  // Saved as it was read: the same is shown, now as its own. Another driver was not shown, and is not forgotten.
  assert.ok(await storage.trips.annotate(id, trip, { purpose: 'private', note: 'Own\nOne\nTwo', driver: 'Anna' }));
  assert.deepEqual(await shown(), before);
  assert.ok(await storage.trips.annotate(id, trip, { purpose: null, note: null, driver: 'Anna' }));
  assert.deepEqual(await shown(), [null, null, 'Anna']);
  // Taking the driver away is meant as it is said.
  assert.ok(await storage.trips.annotate(id, trip, { purpose: null, note: 'New', driver: null }));
  assert.deepEqual(await shown(), [null, 'New', null]);
  assert.equal(await storage.trips.annotate(await newTracker(), trip, { purpose: null, note: null, driver: null }), false);
});

test('notes that find no room are kept until there is some', async () => {
  const id = await newTracker();
  const long = 'x'.repeat(2500);
  const [one, two] = [`1${long}`, `2${long}`];
  await addTrip(id, 0, 10, { vanished: true, note: one });
  await addTrip(id, 1, 10, { vanished: true, note: two });
  const trip = await addTrip(id, 0, 30);
  const note = async (): Promise<string | null | undefined> => (await storage.trips.find(id, trip, NOW))?.note;
  assert.equal(await note(), one);
  await storage.trips.annotate(id, trip, { purpose: null, note: 'short', driver: null });
  assert.equal(await note(), `short\n${two}`);
});

test('a month of trips takes some milliseconds', async () => {
  const id = await newTracker();
  const starts = Array.from({ length: 620 }, (_, i) => i * 144);
  await storage.raw.trips(
    starts.map((start) => rowOf(id, start, start + 45, {})),
    starts.flatMap((start) => partsOf(id, start, start + 45)),
  );
  const range = { trackerId: id, from: at(31 * 1440), to: at(62 * 1440), after: null, limit: 1000 };
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    const start = performance.now();
    const page = await storage.trips.page(range, NOW);
    times.push(performance.now() - start);
    assert.equal(page.trips.length, 310);
  }
  const median = times.toSorted((a, b) => a - b)[4] ?? Infinity;
  assert.ok(median < 50, `${median} ms`);
});

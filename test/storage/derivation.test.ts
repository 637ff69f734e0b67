// The order of arrival does not matter: the same set of reports, shuffled, split, delayed and repeated, gives the same trips,
// parts of days, events, marks and place; and deriving all anew finds no difference.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Report } from '../../src/kinds/report.ts';
import { operations, type Store } from '../../src/operations.ts';
import { databaseFile, openStorage } from '../../src/storage/open.ts';
import { account, batchOf, deriving, newFolder } from './engines.ts';
import { cityDrive, longHaul, withIgnition, type Trace } from '../traces.ts';

/** Everything derived for a tracker, without what names a row. */
function derived(file: string, trackerId: number): object {
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
    parts: all('select * from trip_parts where tracker_id = ? order by trip_start, bucket'),
    events: all(
      `select time, type, discriminator, made, latitude, longitude, zone_name, cross_type, value
       from events where tracker_id = ? order by time, type, discriminator`,
    ),
    jumps: all('select time, digest from positions where tracker_id = ? and valid = 2 order by time, digest'),
    state: all(
      'select pos_time, pos_digest, latitude, longitude, speed, sensors, open_trip, driven from tracker_states where tracker_id = ?',
    ),
  };
  database.close();
  return found;
}

interface World {
  storage: Store;
  file: string;
  newTracker(): Promise<number>;
}

async function withWorld(work: (world: World) => Promise<void>): Promise<void> {
  const folder = newFolder();
  const { storage, close } = await openStorage(folder, operations);
  const accountId = (await storage.accounts.create(account('anna'))) ?? 0;
  for (const [name, zone] of Object.entries(zones)) await storage.zones.create(accountId, { name, color: null, ...zone }, 0);
  let imei = 100_000_000_000_000;
  const newTracker = async () =>
    (await storage.trackers.create({ accountId, imei: String(imei++), name: 'van', model: null, now: 0 })) ?? 0;
  await work({ storage, file: databaseFile(folder), newTracker });
  await close();
}

const zones = {
  depot: { type: 'circle', points: '[[48.2,16.37]]', radius: 300 },
  district: { type: 'polygon', points: '[[48.195,16.37],[48.205,16.375],[48.205,16.39],[48.195,16.39]]', radius: null },
  road: { type: 'corridor', points: '[[48.18,16.3],[48.22,16.45]]', radius: 400 },
};

/** When reports come: after the zones were made, so that their shapes are in force. */
const arrival = () => Date.now() + 60_000;

async function send(storage: Store, trackerId: number, reports: readonly Report[], at: number): Promise<void> {
  await storage.pipeline.commit(
    batchOf(
      reports.map((report) => [trackerId, report]),
      at,
    ),
    deriving,
  );
}

const traces: Record<string, () => Trace> = {
  'a day in town': () => cityDrive(11, { hours: 5 }),
  'with the ignition known': () => withIgnition(cityDrive(12, { hours: 4 })),
  'long haul, with a hole and a tunnel': () => longHaul(13),
};

/** A way for reports to arrive: as indexes of batches. */
const arrivals = (count: number): fc.Arbitrary<number[][]> =>
  fc
    .record({
      seed: fc.integer(),
      batch: fc.integer({ min: 1, max: 40 }),
      late: fc.double({ min: 0, max: 1, noNaN: true }),
      repeated: fc.double({ min: 0, max: 0.3, noNaN: true }),
    })
    .map(({ seed, batch, late, repeated }) => {
      const random = generator(seed);
      const order = Array.from({ length: count }, (_, i) => ({ i, at: random() < late ? random() * count : i }));
      const indexes = order.toSorted((a, b) => a.at - b.at).flatMap(({ i }) => (random() < repeated ? [i, i] : [i]));
      const batches: number[][] = [];
      for (let from = 0; from < indexes.length; from += batch) batches.push(indexes.slice(from, from + batch));
      return batches;
    });

function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

suite('what is derived is a function of the set of reports', () => {
  for (const [name, trace] of Object.entries(traces))
    test(name, async () => {
      const reports = trace();
      const at = arrival();
      await withWorld(async ({ storage, file, newTracker }) => {
        const first = await newTracker();
        for (const report of reports) await send(storage, first, [report], at);
        const expected = derived(file, first) as { trips: object[]; events: object[] };
        assert.ok(expected.trips.length > 0 && expected.events.length > 2, `${name} should hold something to derive`);
        await fc.assert(
          fc.asyncProperty(arrivals(reports.length), async (batches) => {
            const tracker = await newTracker();
            for (const batch of batches)
              await send(
                storage,
                tracker,
                batch.map((i) => reports[i] as Report),
                at,
              );
            assert.deepEqual(rename(derived(file, tracker), tracker), rename(expected, first));
          }),
          { numRuns: 6, endOnFailure: true },
        );
        await storage.pipeline.forget(first, at);
        let changes = 0;
        for (let done = false; !done;) {
          const stretch = await storage.pipeline.catchUp(first, deriving, 97);
          changes += stretch?.changes ?? 0;
          done = stretch?.done ?? true;
        }
        assert.equal(changes, 0, 'deriving anew finds no difference');
        assert.deepEqual(derived(file, first), expected);
      });
    });
});

const rename = (found: object, trackerId: number): unknown =>
  JSON.parse(JSON.stringify(found).replaceAll(`"tracker_id":${trackerId}`, '"tracker_id":0'));

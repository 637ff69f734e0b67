// The order of arrival does not matter: the same set of reports, shuffled, split, delayed and repeated, gives the same trips,
// parts of days, events, marks and place; and deriving all anew finds no difference.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Report } from '../../src/kinds/report.ts';
import { cityDrive, longHaul, oddities, withIgnition, type Trace } from '../traces.ts';
import { catchUpAll, derived, rebuildAll, send, withWorld } from './derived.ts';
import { deriving } from './engines.ts';

const zones = {
  depot: { type: 'circle', points: '[[48.2,16.37]]', radius: 300 },
  district: { type: 'polygon', points: '[[48.195,16.37],[48.205,16.375],[48.205,16.39],[48.195,16.39]]', radius: null },
  road: { type: 'corridor', points: '[[48.18,16.3],[48.22,16.45]]', radius: 400 },
};

/** When reports come: after the zones were made, so that their shapes are in force. */
const arrival = () => Date.now() + 60_000;

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
      await withWorld(async ({ storage, file, accountId, newTracker }) => {
        for (const [called, zone] of Object.entries(zones))
          await storage.zones.create(accountId, { name: called, color: null, ...zone }, 0);
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
            assert.deepEqual(derived(file, tracker), expected);
          }),
          { numRuns: 6, endOnFailure: true },
        );
        assert.equal(await rebuildAll(storage, first, at), 0, 'deriving anew finds no difference');
        assert.deepEqual(derived(file, first), expected);
      });
    });

  // Deriving anew stops in the middle of trips, of what was found with other thresholds or without what has come since.
  test('oddities, while the record is derived anew bit by bit, first with other thresholds', async () => {
    const at = arrival();
    const others = { ...deriving, thresholds: { ...deriving.thresholds, stopTime: 60_000, gapTime: 120_000, stopRadius: 30 } };
    await withWorld(async ({ storage, file, accountId, newTracker }) => {
      for (const [called, zone] of Object.entries(zones)) await storage.zones.create(accountId, { name: called, color: null, ...zone }, 0);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 20, max: 400 }), async (seed, count) => {
          const random = generator(seed);
          const reports = oddities(seed, count);
          const [first, second] = [await newTracker(), await newTracker()];
          await send(storage, first, reports, at);
          const late = random();
          const order = reports
            .map((report, i) => ({ report, at: random() < late ? random() * count : i }))
            .toSorted((a, b) => a.at - b.at);
          for (let from = 0, size = 0; from < count; from += size) {
            size = 1 + Math.floor(random() * 40);
            const batch = order.slice(from, from + size).map(({ report }) => report);
            await send(storage, second, batch, at);
            if (random() < 0.2) await storage.pipeline.forget(second, at);
            if (random() < 0.5) await storage.pipeline.catchUp(second, random() < 0.3 ? others : deriving, 1 + Math.floor(random() * 50));
          }
          await storage.pipeline.forget(second, at);
          await catchUpAll(storage, second, 1 + Math.floor(random() * 200));
          const expected = derived(file, first);
          assert.deepEqual(derived(file, second), expected);
          assert.equal(await rebuildAll(storage, second, at, 1 + Math.floor(random() * 200)), 0, 'deriving anew finds no difference');
          assert.deepEqual(derived(file, second), expected);
        }),
        { numRuns: 25, endOnFailure: true },
      );
    });
  });
});

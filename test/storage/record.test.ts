// What every storage engine does with reports: once each, in one transaction, in pages and slices, and deleted in batches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Alarm } from '../../src/kinds/alarm.ts';
import type { Report } from '../../src/kinds/report.ts';
import { WIDTH, type PositionKey } from '../../src/storage/storage.ts';
import { batchOf, deriving, onEveryEngine, received, report, start, timesOf } from './engines.ts';

onEveryEngine(({ storage, newAccount, newTracker, page, count, changed }) => {
  test('reports are stored once whatever their order and repetition, and pages walk all of them', async () => {
    const id = await newAccount();
    const reports = fc.array(
      fc.record({
        time: fc.integer({ min: start, max: start + 20 }),
        speed: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
        fixed: fc.boolean(),
      }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(reports, fc.integer({ min: 1, max: 7 }), async (given, limit) => {
        const trackerId = await newTracker(id);
        const rows = given.map(({ time, speed, fixed }) => report(time, { fixed, ...(speed !== undefined && { speed }) }));
        const distinct = new Set(rows.map((row) => JSON.stringify(row)));
        const first = await storage.pipeline.commit(batchOf(rows.map((row) => [trackerId, row])), deriving);
        const again = await storage.pipeline.commit(
          batchOf(
            rows.toReversed().map((row) => [trackerId, row]),
            received + 5,
          ),
          deriving,
        );
        assert.deepEqual([first.inserted, again.inserted], [distinct.size, 0]);
        assert.equal(await count(trackerId), distinct.size);
        const whole = await page(trackerId);
        const walked: number[] = [];
        for (let after: PositionKey | null = null, more = true; more;) {
          const part = await page(trackerId, { limit, after });
          const times = timesOf(part);
          assert.ok(times.length <= limit);
          walked.push(...times);
          more = part.more;
          const at = (part.count - 1) * WIDTH;
          after = { time: Number(part.numbers[at]), digest: Number(part.numbers[at + 1]) };
        }
        assert.deepEqual(walked, timesOf(whole));
        assert.deepEqual(
          walked,
          walked.toSorted((a, b) => a - b),
        );
        assert.equal(walked.length, distinct.size);
        const middle = { from: start + 5, to: start + 9 };
        assert.deepEqual(
          timesOf(await page(trackerId, middle)),
          walked.filter((time) => time >= middle.from && time <= middle.to),
        );
      }),
      { numRuns: 15 },
    );
  });

  test('a page has every number as it was put in, absent ones as NaN, and attributes on request', async () => {
    const trackerId = await newTracker(await newAccount());
    const full = {
      altitude: -1.5,
      speed: 0,
      heading: 359.9,
      accuracy: 3,
      satellites: 9,
      ignition: false,
      motion: true,
      battery: 4.1,
      batteryLevel: 0,
      power: 12.6,
      odometer: 1e9,
      alarms: ['panic', 'towed'] satisfies Alarm[],
    };
    await storage.pipeline.commit(
      batchOf([
        [trackerId, report(start, { ...full, attributes: { 'ä"': 1, b: true } })],
        [trackerId, report(start + 1)],
      ]),
      deriving,
    );
    const { numbers, attributes } = await page(trackerId, { attributes: true });
    const row = (n: number): number[] => [...numbers.subarray(n * WIDTH, (n + 1) * WIDTH)].filter((_, i) => i !== 1);
    assert.deepEqual(row(0), [start, received, 1, 48, 16, -1.5, 0, 359.9, 3, 9, 0, 1, 4.1, 0, 12.6, 1e9, 9]);
    assert.deepEqual(row(1), [start + 1, received, 1, 48, 16, ...Array<number>(12).fill(NaN)]);
    assert.deepEqual(attributes, ['{"ä\\"":1,"b":true}', null]);
    assert.deepEqual((await page(trackerId)).attributes, []);
  });

  test('a commit of many trackers passes over those that are gone and tells which', async () => {
    const id = await newAccount();
    const [kept, gone] = [await newTracker(id), await newTracker(id)];
    await storage.trackers.remove(id, gone);
    const result = await storage.pipeline.commit(
      batchOf([
        [kept, report(start)],
        [gone, report(start)],
      ]),
      deriving,
    );
    assert.deepEqual([result.inserted, result.gone, result.accounts], [1, [gone], [id]]);
  });

  test('the live sequence grows with every commit and skips nobody', async () => {
    const id = await newAccount();
    const trackers = [await newTracker(id), await newTracker(id), await newTracker(id)];
    const before = await storage.trackers.lastChange();
    assert.deepEqual(await changed(id, before), []);
    await Promise.all(trackers.map((trackerId, i) => storage.pipeline.commit(batchOf([[trackerId, report(start + i)]]), deriving)));
    const rows = await changed(id, before);
    assert.deepEqual(new Set(rows.map((row) => row.id)), new Set(trackers));
    assert.ok(rows.every((row, i) => row.seq > before && row.seq >= (rows[i - 1]?.seq ?? 0)));
    const now = await storage.trackers.lastChange();
    assert.equal(rows.at(-1)?.seq, now);
    await storage.pipeline.commit(batchOf([[Number(trackers[1]), report(start - 1)]]), deriving);
    assert.deepEqual(
      (await changed(id, now)).map((row) => [row.id, row.pos_time]),
      [[trackers[1], start + 1]],
    );
    assert.deepEqual(
      await storage.trackers.changed(id, { seq: before, id: 0 }, now, 100),
      rows.filter((row) => row.id !== trackers[1]),
    );
    assert.deepEqual(await changed(await newAccount(), 0), []);
  });

  test('lists and changes are had in slices that join without a gap', async () => {
    const id = await newAccount();
    const trackers = [await newTracker(id), await newTracker(id), await newTracker(id), await newTracker(id), await newTracker(id)];
    await storage.pipeline.commit(batchOf(trackers.map((trackerId) => [trackerId, report(start)])), deriving);
    const sliced: number[] = [];
    for (let after = { seq: 0, id: 0 }, more = true; more;) {
      const slice = await storage.trackers.changed(id, after, 1e15, 2);
      sliced.push(...slice.map((row) => row.id));
      more = slice.length > 0;
      after = slice.at(-1) ?? after;
    }
    assert.deepEqual(sliced, trackers);
    const listed: number[] = [];
    for (let after = '', more = true; more;) {
      const slice = await storage.trackers.list(id, after, 2);
      listed.push(...slice.map((row) => row.id));
      more = slice.length > 0;
      after = slice.at(-1)?.imei ?? after;
    }
    assert.deepEqual(listed, trackers);
    for (const name of ['b', 'a', 'c', 'Z'])
      await storage.zones.create(id, { name, type: 'circle', points: '[]', radius: 1, color: null }, 1);
    const names = async (after: string): Promise<string[]> => (await storage.zones.list(id, after, 2)).map(({ name }) => name);
    assert.deepEqual([await names(''), await names('a'), await names('c')], [['Z', 'a'], ['b', 'c'], []]);
  });

  test('retention and removal delete in batches of the size that is asked for', async () => {
    const id = await newAccount();
    const [short, long] = [await newTracker(id), await newTracker(id)];
    const rows = (trackerId: number) => Array.from({ length: 25 }, (_, i): [number, Report] => [trackerId, report(start + i)]);
    await storage.pipeline.commit(batchOf([...rows(short), ...rows(long)]), deriving);
    await storage.trackers.alter(short, { name: 'x', model: null, dataRetention: 1, odometerOffset: 0 });
    const now = start + 86_400_000 + 20;
    assert.deepEqual(
      [await storage.positions.expire(now, 15), await storage.positions.expire(now, 15), await storage.positions.expire(now, 15)],
      [15, 5, 0],
    );
    assert.deepEqual([await count(short), await count(long)], [5, 25]);
    for (const trackerId of [short, long]) await storage.trackers.remove(id, trackerId);
    let steps = 0;
    while ((await storage.positions.sweep(10)) > 0) steps++;
    assert.ok(steps >= 4);
    assert.deepEqual([await count(short), await count(long)], [0, 0]);
  });

  test('a transaction that fails leaves nothing of itself, and those after it go on', async () => {
    const id = await newAccount();
    const trackerId = await newTracker(id);
    const seq = await storage.trackers.lastChange();
    const bad = batchOf([
      [trackerId, report(start)],
      [trackerId, report(start + 1)],
    ]);
    // A time that no integer column takes: the first row is written before the second fails.
    bad.numbers[WIDTH] = 0.5;
    const next = storage.pipeline.commit(batchOf([[trackerId, report(start + 2)]]), deriving);
    const failing = storage.pipeline.commit(bad, deriving);
    await assert.rejects(failing);
    assert.equal((await next).inserted, 1);
    assert.deepEqual(timesOf(await page(trackerId)), [start + 2]);
    assert.equal((await changed(id, seq)).length, 1);
    assert.equal((await storage.pipeline.commit(batchOf([[trackerId, report(start + 3)]]), deriving)).inserted, 1);
  });
});

// Where the order of arrival is easily felt: reports of one moment, clocks that run ahead, what is past its time, and a late report
// that changes all that follows.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Report } from '../../src/kinds/report.ts';
import { EVENT } from '../../src/kinds/event-type.ts';
import { cityDrive, type Trace } from '../traces.ts';
import { catchUpAll, derived, rebuildAll, send, withWorld } from './derived.ts';
import { deriving, received, start } from './engines.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const at = (minutes: number, north = 0, more: Partial<Report> = {}): Report => ({
  time: start + minutes * MINUTE,
  latitude: 48 + north / 111_195,
  longitude: 16,
  fixed: true,
  ...more,
});

/** Parked, a fix a minute. */
const parked = (from: number, to: number): Trace => Array.from({ length: to - from }, (_, i) => at(from + i));

test('two jumps of one moment before a checkpoint stay jumps when a report comes late', () =>
  withWorld(async ({ storage, file, newTracker }) => {
    // Neither follows from the other: the first is a jump at once, the second when the next fix shows it.
    const jumps = [at(19.5, 90_000), at(19.5, -90_000)];
    const reports = [...parked(0, 19), ...jumps, ...parked(20, 60)];
    const [first, second] = [await newTracker(), await newTracker()];
    await send(storage, first, [...reports, at(20.5)], received);
    const expected = derived(file, first) as { jumps: object[] };
    assert.equal(expected.jumps.length, 2);
    for (const report of reports) await send(storage, second, [report], received);
    await send(storage, second, [at(20.5)], received);
    assert.deepEqual(derived(file, second), expected);
  }));

test('a report whose clock runs ahead is no fix, also when it is sent again after that time has come', () =>
  withWorld(async ({ storage, file, newTracker }) => {
    const tracker = await newTracker();
    const ahead = at(2 * 1440, 5000, { ignition: true });
    await send(storage, tracker, [...parked(0, 30), ahead], start + 30 * MINUTE);
    const before = derived(file, tracker);
    await send(storage, tracker, [ahead], start + 3 * DAY);
    const after = derived(file, tracker);
    assert.deepEqual(after, before);
    assert.equal(await rebuildAll(storage, tracker, start + 3 * DAY), 0);
    assert.deepEqual(derived(file, tracker), before);
  }));

test('events of one moment', () =>
  withWorld(async ({ storage, file, newTracker }) => {
    const tracker = await newTracker();
    // In the order of their digests, whatever that is, some of these are the same event twice.
    const flicker = Array.from({ length: 12 }, (_, i) => at(30, 0, { ignition: i % 2 === 0, altitude: i }));
    await send(storage, tracker, [at(0, 0, { ignition: false }), ...parked(1, 30), ...flicker, ...parked(31, 60)], received);
    const before = derived(file, tracker);
    assert.equal(await rebuildAll(storage, tracker, received), 0);
    assert.deepEqual(derived(file, tracker), before);
    for (const minute of [29.1, 29.2, 30.1]) await send(storage, tracker, [at(minute, 0, { ignition: minute < 30 })], received);
    const late = derived(file, tracker);
    assert.equal(await rebuildAll(storage, tracker, received), 0);
    assert.deepEqual(derived(file, tracker), late);
  }));

test('what is left of a record whose beginning is deleted stays as it was derived', () =>
  withWorld(async ({ storage, file, newTracker }) => {
    const tracker = await newTracker();
    const reports = cityDrive(5, { hours: 30, interval: 20 });
    const last = reports.at(-1)?.time ?? 0;
    await send(storage, tracker, reports, last);
    const driven = (): number => (derived(file, tracker) as { state: { driven: number }[] }).state[0]?.driven ?? 0;
    const odometer = driven();
    await storage.trackers.alter(tracker, { name: 'van', model: null, dataRetention: 1, odometerOffset: 0 });
    for (let hour = 0; hour < 12; hour++) {
      const now = last + hour * 1_234_567;
      while ((await storage.positions.expire(now, 100)) > 0);
      const left = derived(file, tracker) as { trips: object[] };
      assert.ok(left.trips.length > 3);
      assert.equal(await rebuildAll(storage, tracker, now), 0, `after ${hour}`);
      assert.deepEqual(derived(file, tracker), left);
      assert.equal(driven(), odometer);
    }
  }));

test('a late report that changes all that follows is derived bit by bit', () =>
  withWorld(async ({ storage, file, newTracker }) => {
    const [first, second] = [await newTracker(), await newTracker()];
    const reports = cityDrive(6, { hours: 60, interval: 6 });
    const time = (reports[30]?.time ?? 0) + 1;
    const key: Report = { time, latitude: null, longitude: null, fixed: false, ignition: false };
    for (let i = 0; i < reports.length; i += 500) await send(storage, first, reports.slice(i, i + 500), received * 2);
    await send(storage, first, [key], received * 2);
    const database = new DatabaseSync(file, { readOnly: true });
    assert.ok(database.prepare('select behind_since from tracker_states where tracker_id = ?').get(first)?.['behind_since'] !== null);
    database.close();
    await catchUpAll(storage, first, 1000);
    await send(storage, second, [...reports, key], received * 2);
    assert.deepEqual(derived(file, first), derived(file, second));
  }));

test('what a late report shows is told as late, though the position that shows it came in time', () =>
  withWorld(async ({ storage, accountId, newTracker }) => {
    const tracker = await newTracker();
    const target = await storage.targets.create(accountId, { name: 'x', type: 'email', address: 'a@example.org', active: 1 }, start);
    const rule = {
      tracker_id: tracker, event_type: EVENT.ignitionOn, zone_id: null, cross_type: null, target_id: target, active: 1, days_wd: 127,
      from_t: 0, to_t: 86_400, speed: null, cooldown: 0,
    }; // prettier-ignore
    await storage.notifications.create(accountId, rule, start);
    for (const minute of [0, 1, 2]) await send(storage, tracker, [at(minute, 0, { ignition: true })], start + minute * MINUTE);
    await send(storage, tracker, [at(1.5, 0, { ignition: false })], start + 3 * 60 * MINUTE);
    const [delivery] = await storage.deliveries.list(accountId, target, null, 10);
    assert.equal(delivery?.created_time, start + 3 * 60 * MINUTE);
    assert.equal(delivery.state, 'skipped');
  }));

test('a trip that is shown sooner or later than before, by other thresholds, keeps its address', () =>
  withWorld(async ({ storage, file, newTracker }) => {
    const tracker = await newTracker();
    await send(storage, tracker, cityDrive(7, { hours: 6 }), received * 2);
    const database = new DatabaseSync(file, { readOnly: true });
    const trips = (): [number, number][] =>
      database
        .prepare('select start_time, id from trips where tracker_id = ? and vanished = 0')
        .all(tracker)
        .map((row) => [Number(row['start_time']), Number(row['id'])]);
    let before = new Map(trips());
    for (const tripDistance of [600, 250]) {
      await storage.pipeline.forget(tracker, received * 2);
      const plan = { ...deriving, thresholds: { ...deriving.thresholds, tripDistance } };
      while ((await storage.pipeline.catchUp(tracker, plan, 1))?.done === false);
      const same = trips().filter(([begun]) => before.has(begun));
      assert.ok(same.length > 5);
      for (const [begun, id] of same) assert.equal(id, before.get(begun));
      before = new Map(trips());
    }
    database.close();
  }));

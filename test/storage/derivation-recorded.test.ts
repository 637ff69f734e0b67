// The same for recordings of real taxis: shuffled and late, they give the same trips, and deriving anew finds no difference.
// The recordings are not in the repository; without them these tests say that they were left out.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Report } from '../../src/kinds/report.ts';
import { operations } from '../../src/operations.ts';
import { databaseFile, openStorage } from '../../src/storage/open.ts';
import { account, batchOf, deriving, newFolder } from './engines.ts';

const folder = join(import.meta.dirname, '../../../shared/data/taxis');

/** Lines of latitude, longitude, occupied and Unix time. */
function readTaxi(name: string, count: number): Report[] {
  const lines = gunzipSync(readFileSync(join(folder, `${name}.txt.gz`))).toString().trim().split('\n'); // prettier-ignore
  return lines.slice(0, count).map((line) => {
    const [latitude = 0, longitude = 0, , time = 0] = line.split(' ').map(Number);
    return { time: time * 1000, latitude, longitude, fixed: true };
  });
}

/** The order of arrival: chunks that come late by up to some hundreds of reports. */
function shuffled(reports: readonly Report[], seed: number): Report[] {
  let state = seed;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return reports
    .map((report, i) => ({ report, at: random() < 0.2 ? i + random() * 400 : i }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ report }) => report);
}

for (const [name, count] of [
  ['new_abboip', 4000],
  ['new_upthin', 3000],
] as const)
  // prettier-ignore
  test(`${name}, in order, late, and anew`, { skip: existsSync(folder) ? false : 'the recordings are not here' }, async () => {
    const data = newFolder();
    const { storage, close } = await openStorage(data, operations);
    const accountId = (await storage.accounts.create(account('anna'))) ?? 0;
    const reports = readTaxi(name, count);
    const found: string[] = [];
    const database = new DatabaseSync(databaseFile(data), { readOnly: true });
    for (const [i, order] of [reports, shuffled(reports, 1), reports.toReversed()].entries()) {
      const tracker = { accountId, imei: String(100_000_000_000_000 + i), name, model: null, now: 0 };
      const id = (await storage.trackers.create(tracker)) ?? 0;
      const size = i === 1 ? 7 : 300;
      for (let from = 0; from < order.length; from += size)
        await storage.pipeline.commit(batchOf(order.slice(from, from + size).map((report) => [id, report]), Date.now()), deriving); // prettier-ignore
      const derived = (): string => {
        const all = (text: string) => database.prepare(text).all(id);
        return JSON.stringify([
          all('select start_time, start_latitude, end_time, opened, closed from trips where tracker_id = ? and vanished = 0 order by 1'),
          all('select trip_start, bucket, made, distance, drive_time, idle_time, max_speed from trip_parts where tracker_id = ? order by 1, 2'),
          all('select time, type, discriminator, made, latitude from events where tracker_id = ? order by 1, 2, 3'),
          all('select time from positions where tracker_id = ? and valid = 2 order by 1, digest'),
          all('select pos_time, driven, open_trip from tracker_states where tracker_id = ?'),
        ]);
      };
      found.push(derived());
      await storage.pipeline.forget(id, Date.now());
      let changes = 0;
      for (let done = false; !done;) {
        const stretch = await storage.pipeline.catchUp(id, deriving, 1000);
        changes += stretch?.changes ?? 0;
        done = stretch?.done ?? true;
      }
      assert.equal(changes, 0);
      assert.equal(derived(), found.at(-1));
    }
    assert.ok((found[0] ?? '').length > 10_000);
    assert.equal(found[1], found[0], 'late');
    assert.equal(found[2], found[0], 'newest first');
    database.close();
    await close();
  });

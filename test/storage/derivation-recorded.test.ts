// The same for recordings of real taxis: shuffled and late, they give the same trips, and deriving anew finds no difference.
// The recordings are not in the repository; without them these tests say that they were left out.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Report } from '../../src/kinds/report.ts';
import { derived, rebuildAll, send, withWorld } from './derived.ts';

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

for (const [name, count] of Object.entries({ new_abboip: 4000, new_upthin: 3000 }))
  test(`${name}, in order, late, and anew`, { skip: existsSync(folder) ? false : 'the recordings are not here' }, () =>
    withWorld(async ({ storage, file, newTracker }) => {
      const reports = readTaxi(name, count);
      const ways = { 'in order': [reports, 300], late: [shuffled(reports, 1), 7], 'newest first': [reports.toReversed(), 300] } as const;
      let expected: object | null = null;
      for (const [way, [order, size]] of Object.entries(ways)) {
        const tracker = await newTracker();
        for (let from = 0; from < order.length; from += size) await send(storage, tracker, order.slice(from, from + size), Date.now());
        const found = derived(file, tracker) as { trips: object[] };
        assert.ok(found.trips.length > 20, way);
        assert.deepEqual(found, (expected ??= found), way);
        assert.equal(await rebuildAll(storage, tracker, Date.now(), 1000), 0, way);
        assert.deepEqual(derived(file, tracker), found, way);
      }
    }),
  );

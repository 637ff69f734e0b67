import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Report } from '../kinds/report.ts';
import type { TrackerState } from '../storage/storage.ts';
import { BatchWriter } from './batch.ts';
import { advance, hear } from './tracker-state.ts';

const NOW = Date.UTC(2026, 5, 1);
const UNHEARD: TrackerState = {
  tracker_id: 1,
  account_id: 1,
  seq: 0,
  comm_time: null,
  pos_time: null,
  pos_digest: null,
  latitude: null,
  longitude: null,
  altitude: null,
  speed: null,
  heading: null,
  sensors: '{}',
  driven: 0,
};

/** Few times and few values, so that reports of the same moment that differ are frequent. */
const report: fc.Arbitrary<Report> = fc.record(
  {
    time: fc.constantFrom(NOW - 3000, NOW - 2000, NOW - 1000, NOW, 0, NOW + 10 * 86_400_000),
    latitude: fc.constantFrom<(number | null)[]>(1, 2, 0, 91, null),
    longitude: fc.constantFrom<(number | null)[]>(1, 0, null),
    fixed: fc.boolean(),
    speed: fc.constantFrom(0, 10, 1000),
    ignition: fc.boolean(),
    battery: fc.constantFrom(3.9, 4.1),
  },
  { requiredKeys: ['time', 'latitude', 'longitude', 'fixed'] },
);

/** The state after these deliveries, each a batch of its own. */
function after(deliveries: readonly (readonly Report[])[]): TrackerState {
  const state = { ...UNHEARD };
  for (const reports of deliveries) {
    const writer = new BatchWriter();
    for (const one of reports) writer.add(1, one, NOW);
    const batch = writer.finish();
    const rows = [...Array.from({ length: batch.count }).keys()];
    hear(state, batch, rows);
    advance(state, batch, rows, true);
  }
  return {
    ...state,
    sensors: JSON.stringify(Object.entries(JSON.parse(state.sensors) as object).toSorted(([a], [b]) => a.localeCompare(b))),
  };
}

test('the state is a function of the set of reports: order, splits and repetitions change nothing', () => {
  fc.assert(
    fc.property(
      fc
        .array(report, { maxLength: 12 })
        .chain((reports) =>
          fc.tuple(
            fc.constant(reports),
            fc.shuffledSubarray(reports, { minLength: reports.length }),
            fc.array(fc.nat({ max: Math.max(0, reports.length - 1) }), { maxLength: reports.length === 0 ? 0 : 5 }),
          ),
        ),
      ([reports, shuffled, again]) => {
        const repeated = [...shuffled, ...again.map((i) => reports[i] as Report)];
        assert.deepEqual(after(repeated.map((one) => [one])), after([reports]));
      },
    ),
  );
});

test('a place without a fix, that is none, at an impossible time or speed does not move the tracker', () => {
  const good: Report = { time: NOW - 5000, latitude: 1, longitude: 2, fixed: true };
  const bad: Report[] = [
    { time: NOW, latitude: 3, longitude: 3, fixed: false },
    { time: NOW, latitude: 0, longitude: 0, fixed: true },
    { time: NOW, latitude: 91, longitude: 3, fixed: true },
    { time: NOW, latitude: 3, longitude: -181, fixed: true },
    { time: NOW, latitude: 3, longitude: 3, fixed: true, speed: 2000 / 3.6 },
    { time: Date.UTC(1999, 7, 22), latitude: 3, longitude: 3, fixed: true },
    { time: Date.UTC(2080, 0, 1), latitude: 3, longitude: 3, fixed: true },
    { time: NOW, latitude: null, longitude: null, fixed: false },
  ];
  const { pos_time, latitude, longitude } = after([[good, ...bad]]);
  assert.deepEqual({ pos_time, latitude, longitude }, { pos_time: NOW - 5000, latitude: 1, longitude: 2 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ALARM, type Alarm } from '../kinds/alarm.ts';
import type { Report } from '../kinds/report.ts';
import { NUMBERS, WIDTH } from '../storage/storage.ts';
import { BatchWriter, COLUMN } from './batch.ts';

const NOW = 1.79e12;
const TIME = Date.UTC(2026, 0, 1);
const place: Report = { time: TIME, latitude: 48, longitude: 16, fixed: true };

function rowOf(report: Report): Record<(typeof NUMBERS)[number], number> {
  const writer = new BatchWriter();
  // Behind another, because a row must not see its neighbour's values.
  writer.add(1, { ...place, odometer: 5, alarms: ['panic', 'overspeed'] }, NOW);
  writer.add(1, report, NOW);
  const { numbers } = writer.finish();
  return Object.fromEntries(NUMBERS.map((name, i) => [name, numbers[WIDTH + i]])) as ReturnType<typeof rowOf>;
}

test('digests are what they were when the first databases were written: another one would make old reports new', () => {
  const known: [digest: number, report: Report][] = [
    [7354468194997342, place],
    [3359874071692088, { time: null, latitude: null, longitude: null, fixed: false }],
    [
      7382315153996427,
      {
        time: TIME,
        latitude: -33.9,
        longitude: 18.42,
        fixed: true,
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
        attributes: { 'ä"': 1, b: true },
      },
    ],
    [5273937072828203, { time: TIME, latitude: 91, longitude: -181, fixed: true, speed: 1000, attributes: { alarm: 'sos' } }],
    [5132894906040347, { ...place, attributes: { event: 252, priority: 2, io252: 1 } }],
  ];
  for (const [digest, report] of known) {
    assert.equal(rowOf(report).digest, digest);
    assert.equal(rowOf({ ...report, alarms: ['panic', 'towed'] }).digest, digest, 'what follows from the attributes is not in it');
  }
});

test('a captured report has the digest that it had', () => {
  // Of the fixtures query-traccar-client.json (alarm) and codec8.json (event).
  const phone: Report = {
    time: 1700000000000,
    latitude: -33.9,
    longitude: 18.42,
    fixed: true,
    speed: 14.147222222222222,
    heading: 359.5,
    altitude: 12.25,
    accuracy: 4.5,
    batteryLevel: 87,
    attributes: { charge: true, mock: 'true', alarm: 'sos' },
  };
  const tracker: Report = {
    time: 1560161086000,
    latitude: 0,
    longitude: 0,
    fixed: false,
    altitude: 0,
    speed: 0,
    heading: 0,
    satellites: 0,
    power: 24.079,
    attributes: { event: 1, priority: 1, io21: 3, io1: 1, io241: 24602, io78: 0 },
  };
  assert.deepEqual([rowOf(phone).digest, rowOf(tracker).digest], [4345566380201988, 564271942912438]);
});

test('alarms are the last column, a set of bits; absent when nothing was raised', () => {
  assert.equal(COLUMN.alarms, WIDTH - 1);
  assert.deepEqual([rowOf(place).alarms, rowOf({ ...place, alarms: [] }).alarms], [NaN, NaN]);
  const names = Object.keys(ALARM) as Alarm[];
  fc.assert(
    fc.property(fc.subarray(names, { minLength: 1 }), (alarms) => {
      const bits = rowOf({ ...place, alarms }).alarms;
      for (const name of names) assert.equal((bits & ALARM[name]) !== 0, alarms.includes(name));
    }),
  );
});

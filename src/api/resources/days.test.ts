// Days of 23, 24 and 25 hours, in zones whose midnight is skipped or comes twice, and that the days of a trip add up to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { calendarOf, cutDays, type CalendarDay } from './days.ts';
import { wholeSeconds } from './trips.ts';

const HOUR = 3_600_000;
const QUARTER = 900_000;

const calendar = (timezone: string, from: string, to: string): CalendarDay[] =>
  calendarOf({ from: Temporal.PlainDate.from(from), to: Temporal.PlainDate.from(to) }, timezone);
const hours = (days: readonly CalendarDay[]): [date: string, hours: number][] =>
  days.map(({ date, from, to }) => [date, (to - from) / HOUR]);

test('days are as long as they are', () => {
  for (const [timezone, day, length] of [
    ['Europe/Vienna', '2026-03-29', 23],
    ['Europe/Vienna', '2026-10-25', 25],
    ['Europe/Vienna', '2026-07-01', 24],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    // Midnight is skipped: the day begins at one.
    ['America/Sao_Paulo', '2018-11-04', 23],
    ['Asia/Beirut', '2026-03-29', 23],
    // Midnight comes twice: the day begins with the first.
    ['America/Havana', '2026-11-01', 25],
    ['Asia/Kathmandu', '2026-03-29', 24],
  ] as const) {
    const [found, ...more] = calendar(timezone, day, day);
    assert.deepEqual([hours(found === undefined ? [] : [found]), more], [[[day, length]], []], timezone);
  }
  assert.deepEqual(
    calendar('Asia/Kathmandu', '2026-03-29', '2026-03-29').map(({ from }) => new Date(from).toISOString()),
    ['2026-03-28T18:15:00.000Z'],
  );
});

test('a day that a zone left out is not there', () => {
  assert.deepEqual(hours(calendar('Pacific/Apia', '2011-12-29', '2011-12-31')), [
    ['2011-12-29', 24],
    ['2011-12-31', 24],
  ]);
});

const zones = ['UTC', 'Europe/Vienna', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Chatham', 'America/Havana'];
const beginning = Date.UTC(2026, 9, 1);
const parts = fc.array(
  fc.record({
    distance: fc.integer({ min: 0, max: 30_000_000 }),
    driveTime: fc.integer({ min: 0, max: QUARTER }),
    maxSpeed: fc.integer({ min: 0, max: 60 }),
  }),
  { minLength: 1, maxLength: 300 },
);
const journeys = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 100 }), parts }), { maxLength: 8 });

test('every zone: days follow one another, and hold all of each trip to the second and the millimetre', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), journeys, (timezone, given) => {
      const rows: number[] = [];
      const pairs: number[] = [];
      let at = beginning;
      for (const journey of given) {
        at += journey.pause * QUARTER;
        const start = at;
        for (const part of journey.parts) {
          rows.push(start, at, part.distance, part.driveTime, QUARTER - part.driveTime, part.maxSpeed);
          at += QUARTER;
        }
        pairs.push(start, at);
      }
      const days = cutDays(
        { trips: Float64Array.from(pairs), parts: Float64Array.from(rows) },
        calendar(timezone, '2026-09-30', '2026-11-30'),
      );
      for (const [i, day] of days.entries()) {
        const before = days[i - 1];
        if (before !== undefined) assert.equal(day.from, before.to);
        assert.deepEqual([day.first === null, day.last === null, day.maxSpeed === null], Array(3).fill(day.trips === 0));
        if (day.first !== null && day.last !== null) assert.ok(day.from <= day.first && day.first < day.last && day.last <= day.to);
        assert.ok(day.drive >= 0 && day.idle >= 0 && day.drive + day.idle <= (day.to - day.from) / 1000 + 2 * day.trips);
      }
      const sum = (of: (day: (typeof days)[number]) => number): number => days.reduce((total, day) => total + of(day), 0);
      const of = (column: 'distance' | 'driveTime', own: readonly { distance: number; driveTime: number }[]): number =>
        own.reduce((total, part) => total + part[column], 0);
      assert.equal(
        sum((day) => day.distance),
        given.reduce((total, journey) => total + of('distance', journey.parts), 0),
      );
      assert.equal(
        sum((day) => day.drive),
        given.reduce((total, journey) => total + wholeSeconds(of('driveTime', journey.parts)), 0),
      );
      assert.equal(
        sum((day) => day.idle),
        given.reduce((total, journey) => total + wholeSeconds(journey.parts.length * QUARTER - of('driveTime', journey.parts)), 0),
      );
    }),
    { numRuns: 60 },
  );
});

test('a trip counts to each day that it has a part of, and to none that it only touches', () => {
  const [one, two] = calendar('Europe/Vienna', '2026-10-24', '2026-10-25') as [CalendarDay, CalendarDay];
  const midnight = two.from;
  const driving = (from: number, to: number) =>
    cutDays({ trips: Float64Array.of(from, to), parts: new Float64Array() }, [one, two]).map(({ trips, first, last }) => [
      trips,
      first,
      last,
    ]);
  const none = [0, null, null];
  assert.deepEqual(driving(midnight - 60_000, midnight), [[1, midnight - 60_000, midnight], none]);
  assert.deepEqual(driving(midnight, midnight + 60_000), [none, [1, midnight, midnight + 60_000]]);
  assert.deepEqual(driving(midnight - 60_000, midnight + 1), [
    [1, midnight - 60_000, midnight],
    [1, midnight, midnight + 1],
  ]);
  assert.deepEqual(driving(one.from - HOUR, two.to + HOUR), [
    [1, one.from, midnight],
    [1, midnight, two.to],
  ]);
  assert.deepEqual(driving(two.to, two.to + HOUR), [none, none]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWithin } from './window.ts';

const ALL = 254;
const [SUNDAY, MONDAY, FRIDAY, SATURDAY] = [2, 4, 64, 128];
const HOUR = 3600;

const msOf = (local: string, zone: string, disambiguation: 'earlier' | 'later' = 'earlier'): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation }).epochMilliseconds;
const within = (daysWd: number, from: number, to: number, local: string, zone = 'Europe/Berlin'): boolean =>
  isWithin({ daysWd, fromT: from * HOUR, toT: to * HOUR }, msOf(local, zone), zone);

test('the beginning is in a window, the end is not', () => {
  const at = (clock: string): boolean => within(ALL, 8, 17, `2026-11-20T${clock}`);
  assert.deepEqual(['07:59:59.999', '08:00:00', '12:00:00', '16:59:59.999', '17:00:00'].map(at), [false, true, true, true, false]);
  assert.ok(within(ALL, 17, 24, '2026-11-20T23:59:59.999'));
});

test('weekdays are bits from Sunday to Saturday', () => {
  // 2026-11-15 is a Sunday.
  for (let day = 0; day < 7; day++) {
    const noon = `2026-11-${15 + day}T12:00`;
    for (let bit = 0; bit < 7; bit++) assert.equal(within(2 ** (bit + 1), 8, 17, noon), bit === day);
  }
  assert.equal(within(0, 0, 24, '2026-11-20T12:00'), false);
});

test('the day is that of the time zone', () => {
  const time = msOf('2026-11-20T23:30', 'America/Los_Angeles');
  const whole = { daysWd: FRIDAY, fromT: 0, toT: 86_400 };
  assert.ok(isWithin(whole, time, 'America/Los_Angeles'));
  assert.ok(!isWithin(whole, time, 'Europe/Berlin'));
});

test('a window past midnight is of the day in which it began', () => {
  const saturdayNight = (local: string): boolean => within(SATURDAY, 22, 6, local);
  assert.deepEqual(
    ['2026-11-21T05:00', '2026-11-21T21:59', '2026-11-21T22:00', '2026-11-22T00:00', '2026-11-22T05:59', '2026-11-22T06:00', '2026-11-22T22:00'].map(saturdayNight),
    [false, false, true, true, true, false, false],
  ); // prettier-ignore
  assert.ok(within(SUNDAY, 22, 6, '2026-11-23T01:00'), 'Sunday night ends on Monday');
  assert.ok(!within(MONDAY, 22, 6, '2026-11-23T01:00'));
  assert.ok(within(SUNDAY, 24, 6, '2026-11-23T01:00'), 'from the midnight at which the day ends');
});

test('from = to is the whole day', () => {
  for (const [from, to] of [
    [0, 0],
    [0, 24],
    [24, 24],
    [24, 0],
    [8, 8],
  ] as const) {
    // prettier-ignore
    for (const clock of ['00:00', '08:00', '23:59:59']) {
      assert.ok(within(FRIDAY, from, to, `2026-11-20T${clock}`));
      assert.ok(!within(FRIDAY, from, to, `2026-11-21T${clock}`));
    }
  }
});

test('clocks put forward: what the clock does not show is in no window', () => {
  // Berlin on 2026-03-29: 02:00 becomes 03:00. Los Angeles on 2026-03-08.
  for (const [date, zone] of [
    ['2026-03-29', 'Europe/Berlin'],
    ['2026-03-08', 'America/Los_Angeles'],
  ] as const) {
    // prettier-ignore
    const minutes = (from: number, to: number): number => {
      const start = msOf(`${date}T00:00`, zone);
      let count = 0;
      for (let minute = 0; minute < 23 * 60; minute++)
        if (isWithin({ daysWd: SUNDAY, fromT: from * HOUR, toT: to * HOUR }, start + minute * 60_000, zone)) count++;
      return count;
    };
    assert.equal(minutes(0, 24), 23 * 60);
    assert.equal(minutes(2, 3), 0);
    assert.equal(minutes(1, 4), 120);
    assert.equal(minutes(2.5, 5), 120);
    assert.equal(minutes(22, 2.5), 120, 'the evening; the night that ends there was Saturday');
  }
});

test('clocks put back: the hour that comes twice is in its window twice', () => {
  // Berlin on 2026-10-25: 03:00 becomes 02:00. Los Angeles on 2026-11-01: 02:00 becomes 01:00.
  for (const [date, zone, hour] of [
    ['2026-10-25', 'Europe/Berlin', 2],
    ['2026-11-01', 'America/Los_Angeles', 1],
  ] as const) {
    // prettier-ignore
    const window = { daysWd: SUNDAY, fromT: hour * HOUR, toT: (hour + 1) * HOUR };
    const first = msOf(`${date}T0${hour}:30`, zone, 'earlier');
    const second = msOf(`${date}T0${hour}:30`, zone, 'later');
    assert.equal(second - first, 3_600_000);
    assert.ok(isWithin(window, first, zone) && isWithin(window, second, zone));
    assert.ok(!isWithin(window, first - 3_600_000, zone) && !isWithin(window, second + 3_600_000, zone));
  }
});

test('a window and the one from its end to its beginning make the whole day', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'America/Los_Angeles', 'Asia/Kathmandu', 'UTC');
  fc.assert(
    fc.property(fc.nat(86_400), fc.nat(86_400), fc.integer({ min: 0, max: 2e12 }), zones, (fromT, toT, time, zone) => {
      if (fromT % 86_400 === toT % 86_400) return;
      assert.notEqual(isWithin({ daysWd: ALL, fromT, toT }, time, zone), isWithin({ daysWd: ALL, fromT: toT, toT: fromT }, time, zone));
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bounds, isTime, take, type Bounded } from './bounds.ts';
import { checkCreation } from './input.ts';
import { newPositions } from './position.ts';
import type { Report } from './report.ts';

/** How the interface calls a property, and how many units of the inside make one of its. */
const shown: Record<Bounded, [name: string, unit: number]> = {
  altitude: ['altitude', 1],
  speed: ['speed', 1 / 3.6],
  heading: ['heading', 1],
  accuracy: ['accuracy', 1],
  satellites: ['satellites', 1],
  battery: ['battery', 1],
  batteryLevel: ['battery_level', 1],
  power: ['power', 1],
  odometer: ['odometer_dist', 1000],
};
const names = Object.keys(bounds) as Bounded[];
const blank: Report = { time: null, latitude: null, longitude: null, fixed: false };

test('a report takes what a client may post, and nothing else', () => {
  const sound = (name: string, value: number): boolean =>
    checkCreation(newPositions, { ts: 0, latitude: 0, longitude: 0, [name]: value }).faults === null;
  // To a thousandth, because the change of unit rounds the very smallest to 0.
  const value = fc.oneof(
    fc.integer({ min: -1, max: 400 }),
    fc.integer({ min: -20_000, max: 200_000_000 }),
    fc.double({ noNaN: true, min: -1e12, max: 1e12 }).map((given) => Math.round(given * 1000) / 1000),
  );
  fc.assert(
    fc.property(fc.constantFrom(...names), value, (property, given) => {
      const [name, unit] = shown[property];
      const report = { ...blank };
      take(report, property, given * unit);
      assert.equal(report[property] !== undefined, sound(name, given), `${name} ${given}`);
    }),
    { numRuns: 2000 },
  );
});

test('both ends are taken, what lies beyond is not', () => {
  for (const property of names) {
    const { min, max } = bounds[property];
    assert.ok(Number.isFinite(min) && Number.isFinite(max), property);
    const report = { ...blank };
    assert.ok(take(report, property, min));
    assert.equal(report[property], min);
    assert.ok(take(report, property, max));
    assert.equal(report[property], property === 'heading' ? 0 : max);
    const empty = { ...blank };
    for (const beyond of [max * 1.001, Infinity, NaN]) assert.equal(take(empty, property, beyond), false, `${property} ${beyond}`);
    // Below 0 can mean that it is not known: then there is nothing to keep either.
    const isUnknown = ['speed', 'heading', 'accuracy', 'batteryLevel'].includes(property);
    assert.equal(take(empty, property, min - 1), isUnknown, property);
    assert.deepEqual(empty, blank);
  }
  assert.equal(take({ ...blank }, 'satellites', 7.5), false);
});

test('times are those of the years 1970 to 9999, in whole milliseconds', () => {
  const last = Date.UTC(10000, 0) - 1;
  assert.deepEqual([0, last].map(isTime), [true, true]);
  assert.deepEqual([-1, last + 1, 0.5, NaN, Infinity, 1e300].map(isTime), [false, false, false, false, false, false]);
});

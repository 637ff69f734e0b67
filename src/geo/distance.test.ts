import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import geographiclib from 'geographiclib-geodesic';
import { distance, roughDistance } from './distance.ts';

const at = (latitude: number, longitude: number) => ({ latitude, longitude });
const place = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

test('distances are those of the WGS 84 ellipsoid', () => {
  assert.ok(Math.abs(distance(at(0, 0), at(0, 1)) - 111_319.491) < 0.001, 'a degree of the equator');
  assert.ok(Math.abs(distance(at(0, 0), at(1, 0)) - 110_574.389) < 0.001, 'a degree of a meridian at the equator');
  assert.ok(Math.abs(distance(at(0, 0), at(90, 0)) - 10_001_965.729) < 0.001, 'a quarter of a meridian');
  // JFK to LHR, Karney's GeodSolve.
  assert.ok(Math.abs(distance(at(40.6, -73.8), at(51.6, -0.5)) - 5_551_759.4) < 0.1);
});

test('the short way round is taken over the 180th meridian', () => {
  for (const measure of [distance, roughDistance]) assert.ok(Math.abs(measure(at(0, 179.5), at(0, -179.5)) - 111_319.491) < 1);
});

test('the rough distance is within 0.6 % of the exact one, near and far', () => {
  const near = fc.tuple(place, fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true }));
  const check = (a: { latitude: number; longitude: number }, b: { latitude: number; longitude: number }) => {
    const exact = distance(a, b);
    assert.ok(Math.abs(roughDistance(a, b) - exact) <= 0.006 * exact + 1e-6, `${roughDistance(a, b)} for ${exact}`);
    assert.ok(Math.abs(distance(b, a) - exact) <= 1e-8 * exact + 1e-8);
  };
  fc.assert(fc.property(place, place, check));
  fc.assert(fc.property(near, ([a, south, east]) => check(a, at(Math.max(-90, Math.min(90, a.latitude + south)), a.longitude + east))));
});

test('near places are as far apart as the library says, to a millionth', () => {
  const step = fc.double({ min: -0.05, max: 0.05, noNaN: true });
  const latitudes = fc.double({ min: -70, max: 70, noNaN: true });
  fc.assert(
    fc.property(latitudes, step, step, (latitude, south, east) => {
      const [a, b] = [at(latitude, 10), at(latitude + south, 10 + east)];
      const exact = geographiclib.Geodesic.WGS84.Inverse(a.latitude, a.longitude, b.latitude, b.longitude).s12 ?? NaN;
      assert.ok(Math.abs(distance(a, b) - exact) <= 1e-6 * exact + 1e-8, `${distance(a, b)} for ${exact}`);
    }),
    { numRuns: 2000 },
  );
});

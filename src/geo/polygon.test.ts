import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distinctPoints, edgesCross, unroll, type Point } from './polygon.ts';

const points = (...pairs: [latitude: number, longitude: number][]): Point[] =>
  pairs.map(([latitude, longitude]) => ({ latitude, longitude }));
const SQUARE = points([0, 0], [0, 1], [1, 1], [1, 0]);

test('a square crosses nothing, a bow tie does', () => {
  assert.equal(edgesCross(SQUARE), false);
  assert.equal(edgesCross(points([0, 0], [1, 1], [0, 1], [1, 0])), true);
});

test('an edge that runs back over another, or a corner on an edge, is a crossing', () => {
  assert.equal(edgesCross(points([0, 0], [0, 2], [0, 1])), true);
  assert.equal(edgesCross(points([0, 0], [0, 2], [2, 2], [0, 1], [2, 0])), true);
  assert.equal(edgesCross(points([0, 0], [0, 1], [0, 2], [1, 1])), false, 'a corner in the middle of a straight side is none');
});

test('the first corner again at the end, or a corner twice in a row, changes nothing', () => {
  assert.equal(edgesCross([...SQUARE, SQUARE[0] as Point]), false);
  assert.equal(edgesCross(SQUARE.flatMap((point) => [point, point])), false);
});

test('longitudes go on over the 180th meridian, the short way', () => {
  assert.deepEqual(unroll(points([0, 179], [0, -179], [1, 178])), [[179, 0], [181, 0], [178, 1]]); // prettier-ignore
  assert.equal(edgesCross(points([-17, 179], [-17, -179], [-16, -179], [-16, 179])), false);
  assert.equal(edgesCross(points([-17, 179], [-16, -179], [-17, -179], [-16, 179])), true);
});

test('-180 and 180 are one meridian, 0 and -0 one parallel', () => {
  assert.equal(distinctPoints(points([0, 180], [-0, -180], [1, 0])), 2);
});

/** Corners around a centre in the order of their angles: a star-shaped ring crosses nothing. */
const star = fc
  .record({
    latitude: fc.double({ min: -60, max: 60, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    radii: fc.array(fc.double({ min: 0.5, max: 5, noNaN: true }), { minLength: 3, maxLength: 40 }),
  })
  .map(({ latitude, longitude, radii }) =>
    radii.map((radius, i) => {
      const angle = (2 * Math.PI * i) / radii.length;
      const east = longitude + radius * Math.cos(angle);
      return { latitude: latitude + radius * Math.sin(angle), longitude: east - 360 * Math.round(east / 360) };
    }),
  );

test('a ring of corners around a centre crosses nothing, wherever it lies and whichever way and corner it begins with', () => {
  fc.assert(
    fc.property(star, fc.nat(), fc.boolean(), (ring, start, back) => {
      const turned = [...ring.slice(start % ring.length), ...ring.slice(0, start % ring.length)];
      assert.equal(edgesCross(back ? turned.toReversed() : turned), false);
    }),
  );
});

test('a regular ring with two neighbouring corners swapped crosses itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 40 }), fc.double({ min: -180, max: 180, noNaN: true }), (count, longitude) => {
      const ring = Array.from({ length: count }, (_, i) => {
        const angle = (2 * Math.PI * (i + 0.3)) / count;
        const east = longitude + Math.cos(angle);
        return { latitude: Math.sin(angle), longitude: east - 360 * Math.round(east / 360) };
      });
      const [a, b, ...rest] = ring as [Point, Point, ...Point[]];
      assert.equal(edgesCross([b, a, ...rest]), true);
    }),
  );
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Point } from '../geo/polygon.ts';
import { cutAtMeridian, outlineOf, type Place } from './outline.ts';

const polygon = (...places: [longitude: number, latitude: number][]) =>
  outlineOf({ type: 'polygon', points: places.map(([longitude, latitude]) => ({ latitude, longitude })) });

function area(ring: readonly Place[]): number {
  return ring.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = ring[(i + 1) % ring.length] as Place;
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
}

suite('cutting at the 180th meridian', () => {
  test('a square across it becomes two', () => {
    assert.deepEqual(cutAtMeridian(polygon([170, 0], [-170, 0], [-170, 10], [170, 10])), [
      [
        [180, 10],
        [170, 10],
        [170, 0],
        [180, 0],
      ],
      [
        [-180, 0],
        [-170, 0],
        [-170, 10],
        [-180, 10],
      ],
    ]);
  });

  test('a square beside it stays one, whichever way the meridian is written', () => {
    assert.equal(cutAtMeridian(polygon([170, 0], [180, 0], [180, 10], [170, 10])).length, 1);
    assert.equal(cutAtMeridian(polygon([170, 0], [-180, 0], [-180, 10], [170, 10])).length, 1);
    assert.equal(cutAtMeridian(polygon([-180, 0], [-170, 0], [-170, 10], [180, 10])).length, 1);
  });

  test('a comb whose teeth cross it becomes a back and teeth', () => {
    const pieces = cutAtMeridian(polygon([170, 0], [-170, 0], [-170, 2], [175, 2], [175, 4], [-170, 4], [-170, 6], [170, 6]));
    assert.deepEqual(
      pieces.map((piece) => area(piece)),
      [50, 20, 20],
    );
  });

  test('teeth that end on it leave no slivers', () => {
    const pieces = cutAtMeridian(polygon([170, 0], [180, 0], [175, 1], [180, 2], [175, 3], [180, 4], [170, 4]));
    assert.equal(pieces.length, 1);
    assert.equal(area(pieces[0] ?? []), 30);
  });

  test('a ring round a pole is led along the edge of the map', () => {
    const [piece = [], ...others] = cutAtMeridian(
      outlineOf({ type: 'polygon', points: [0, 90, 180, -90].map((longitude) => ({ latitude: 80, longitude })) }),
    );
    const total = [piece, ...others].reduce((sum, ring) => sum + area(ring), 0);
    assert.ok(Math.abs(total - 360 * 10) < 1e-9, String(total));
  });

  test('a circle round a pole reaches it, one near it does not', () => {
    const nearest = (latitude: number): number => {
      const circle = outlineOf({ type: 'circle', points: [{ latitude, longitude: 30 }], radius: 500_000 });
      return Math.max(...cutAtMeridian(circle).flatMap((ring) => ring.map(([, y]) => Math.abs(y))));
    };
    assert.equal(nearest(-88), 90);
    assert.ok(nearest(80) < 85);
  });

  test('a line in pieces meets itself at the border', () => {
    const line = outlineOf({ type: 'corridor', points: [170, -170, 170, 180, -175].map((longitude, i) => ({ latitude: i, longitude })) });
    const pieces = cutAtMeridian(line);
    assert.deepEqual(pieces[0], [
      [170, 0],
      [180, 0.5],
    ]);
    assert.ok(pieces.flat().every(([x]) => Math.abs(x) <= 180));
  });

  test('whatever star is cut keeps its area, counterclockwise, within the map', () => {
    const star = fc.tuple(
      fc.integer({ min: 150, max: 210 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 3, maxLength: 24 }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(star, ([middle, radii, clockwise]) => {
        const corners = radii.map((radius, i): Place => {
          const angle = ((clockwise ? -1 : 1) * 2 * Math.PI * i) / radii.length;
          return [Math.round(middle + radius * Math.cos(angle)), Math.round(radius * Math.sin(angle))];
        });
        const points = corners.map(([x, latitude]): Point => ({ latitude, longitude: x > 180 ? x - 360 : x }));
        const pieces = cutAtMeridian(outlineOf({ type: 'polygon', points }));
        // Rounding may let edges of a thin star touch, never by more than that.
        const total = pieces.reduce((sum, piece) => sum + area(piece), 0);
        assert.ok(Math.abs(total - Math.abs(area(corners))) < 1e-6 * (1 + total), `${total} of ${area(corners)}`);
        for (const piece of pieces) {
          assert.ok(area(piece) > 0);
          assert.ok(piece.every(([x]) => x >= -180 && x <= 180));
        }
      }),
      { numRuns: 500 },
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { overlap, touches, wayBetween, type Bounds } from './bounds.ts';
import { ancestors, boundsOfCell, cellAt, cellsAlong, cover, rangesOf, type Cell } from './cells.ts';
import type { Point } from './polygon.ts';

const latitudes = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 0, 45));
const longitudes = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180, 0, 179.9999, -179.9999));
const places: fc.Arbitrary<Point> = fc.record({ latitude: latitudes, longitude: longitudes });
/** From a tenth of a millimetre to the whole earth. */
const spans = fc.double({ min: -9, max: 2.5, noNaN: true }).map((exponent) => Math.min(360, 10 ** exponent));
const boxes: fc.Arbitrary<Bounds> = fc.tuple(places, spans, spans).map(([{ latitude, longitude }, wide, high]) => ({
  south: latitude,
  north: Math.min(90, latitude + high),
  west: longitude,
  east: longitude + wide,
}));
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));
const turned = (longitude: number): number => longitude - 360 * Math.round(longitude / 360);
const has = (cells: readonly Cell[], one: Cell): boolean =>
  cells.some(({ level, x, y }) => level === one.level && x === one.x && y === one.y);

test('a place within bounds is in a cell that is part of one they are filed under', () => {
  fc.assert(
    fc.property(boxes, share, share, (box, right, up) => {
      const cells = cover(box);
      assert.ok(cells.length > 0 && cells.length <= 9);
      const cell = cellAt(box.south + up * (box.north - box.south), turned(box.west + right * (box.east - box.west)));
      assert.ok(ancestors(cell).some((one) => has(cells, one)));
    }),
    { numRuns: 2000 },
  );
});

test('what is small is filed under few small cells, what is nowhere under none', () => {
  assert.equal(cover({ south: 48, north: 48.005, west: 16, east: 16.01 })[0]?.level, 15);
  assert.deepEqual(new Set(cover({ south: -90, north: 90, west: -180, east: 180 }).map(({ level, x, y }) => `${level} ${x} ${y}`)).size, 4);
  assert.deepEqual(cover({ south: 90, north: -90, west: 0, east: 0 }), []);
  const across = cover({ south: 0.001, north: 0.002, west: 179.999, east: 180.001 });
  assert.deepEqual(across.map(({ x }) => x), [32_767, 0]); // prettier-ignore
});

test('a place is within the box of its cell', () => {
  fc.assert(
    fc.property(places, ({ latitude, longitude }) => {
      assert.ok(touches(boundsOfCell(cellAt(latitude, longitude)), { x: longitude, y: latitude, dx: 0, dy: 0 }));
    }),
  );
});

test('a way touches the cells of all its places, the short way round, and the ranges of every level have them', () => {
  const way = fc.tuple(places, spans, spans, fc.boolean(), fc.boolean()).map(([from, right, up, west, south]) => ({
    from,
    to: {
      latitude: Math.max(-90, Math.min(90, from.latitude + (south ? -1 : 1) * Math.min(up, 3))),
      longitude: turned(from.longitude + (west ? -1 : 1) * Math.min(right, 3)),
    },
  }));
  fc.assert(
    fc.property(way, fc.array(share, { minLength: 1, maxLength: 20 }), ({ from, to }, shares) => {
      const straight = wayBetween(from, to);
      const cells = cellsAlong(straight, 10_000);
      assert.ok(cells !== null);
      assert.equal(new Set(cells).size, cells.length);
      assert.equal(cellsAlong(straight, cells.length - 1), null);
      for (const t of [0, 1, ...shares]) {
        const place = { latitude: straight.y + t * straight.dy, longitude: turned(straight.x + t * straight.dx) };
        const cell = cellAt(place.latitude, place.longitude);
        // A place on the line between two cells, give or take the last digit, is in one of them.
        const around: boolean = cells.includes(cell) || cells.some((one) => touches(boundsOfCell(one), wayBetween(place, place)));
        assert.ok(around, `${t}`);
        for (const { level, x, y } of ancestors(cell))
          assert.ok(rangesOf(straight).some((r) => r.level === level && r.west <= x && x <= r.east && r.south <= y && y <= r.north));
      }
    }),
    { numRuns: 500 },
  );
});

test('a straight way touches a box where a place of it is inside, and not where it passes by', () => {
  const box = { south: -1, north: 1, west: 179, east: 181 };
  const touched = (...[a, b, c, d]: [number, number, number, number]): boolean =>
    touches(box, wayBetween({ latitude: a, longitude: b }, { latitude: c, longitude: d }));
  assert.ok(touched(0, 170, 0, -170) && touched(0, -179.5, 0, -179.5) && touched(1, 179, 2, 179) && touched(-2, 180, 2, -180));
  assert.ok(!touched(0, 170, 0, 178.9) && !touched(1.5, 170, 1.5, -170) && !touched(0, 178, 2.5, 180) && !touched(0, 0, 0, 100));
  fc.assert(
    fc.property(boxes, places, places, share, (any, from, to, t) => {
      const way = wayBetween(from, to);
      const [latitude, longitude] = [way.y + t * way.dy, turned(way.x + t * way.dx)];
      if (touches(any, { x: longitude, y: latitude, dx: 0, dy: 0 })) assert.ok(touches(any, way));
    }),
  );
});

test('boxes overlap when a place is in both', () => {
  fc.assert(
    fc.property(boxes, boxes, share, share, (a, b, right, up) => {
      const place = { x: turned(a.west + right * (a.east - a.west)), y: a.south + up * (a.north - a.south), dx: 0, dy: 0 };
      if (touches(b, place)) assert.ok(overlap(a, b) && overlap(b, a));
      assert.equal(overlap(a, b), overlap(b, a));
    }),
    { numRuns: 1000 },
  );
  assert.ok(!overlap({ south: 0, north: 1, west: 179, east: 181 }, { south: 0, north: 1, west: -178, east: 0 }));
});

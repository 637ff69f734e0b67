import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { touches } from './bounds.ts';
import { distance } from './distance.ts';
import { unroll, type Point } from './polygon.ts';
import { compileShape, type ShapeType } from './shape.ts';

const at = (latitude: number, longitude: number): Point => ({ latitude, longitude });
const line = (...pairs: [latitude: number, longitude: number][]): Point[] => pairs.map(([latitude, longitude]) => at(latitude, longitude));
const near = (actual: number, wanted: number, within: number): void =>
  assert.ok(Math.abs(actual - wanted) <= within, `${actual} is not ${wanted} within ${within}`);
const turned = (longitude: number): number => longitude - 360 * Math.round(longitude / 360);

/** Degrees, of about these metres. */
const east = (metres: number, latitude: number): number => metres / (111_320 * Math.cos((latitude * Math.PI) / 180));
const north = (metres: number): number => metres / 111_195;

suite('the depth of a place in', () => {
  test('a circle is the radius less the distance from its centre, however large', () => {
    for (const radius of [1, 250, 9000, 50_000, 4_000_000]) {
      const circle = compileShape('circle', [at(60, 179.99)], radius);
      for (const [latitude, longitude] of [
        [60, 179.99],
        [60.03, -179.95],
        [59, 170],
        [-33, 18],
        [90, 0],
      ] as const)
        // prettier-ignore
        near(circle.depth(latitude, longitude), radius - distance(at(latitude, longitude), at(60, 179.99)), 0.05);
      assert.equal(circle.size, 2 * radius);
    }
  });

  test('a square is the distance from its nearest side', () => {
    const square = compileShape('polygon', line([48, 16], [48, 16.01], [48.01, 16.01], [48.01, 16]), null);
    near(square.depth(48.001, 16.005), distance(at(48, 16.005), at(48.001, 16.005)), 0.01);
    near(square.depth(48.005, 16.011), -distance(at(48.005, 16.01), at(48.005, 16.011)), 0.01);
    near(square.depth(47.999, 15.999), -distance(at(48, 16), at(47.999, 15.999)), 0.01);
    near(square.size, distance(at(48, 16), at(48, 16.01)), 5);
    assert.deepEqual(square.bounds, { south: 48, north: 48.01, west: 16, east: 16.01 });
  });

  test('a corridor is half its width less the distance from its line', () => {
    const corridor = compileShape('corridor', line([10, 179.9], [10, -179.9], [10.1, -179.9]), 500);
    near(corridor.depth(10, 180), 500, 0.01);
    near(corridor.depth(10.05, -179.9), 500, 0.01);
    near(corridor.depth(10.01, -179.95), 500 - distance(at(10.01, -179.95), at(10, -179.95)), 0.05);
    assert.ok(corridor.bounds.west > 179 && corridor.bounds.east > 180 && corridor.bounds.east < 181);
  });

  test('a polygon around a pole is that on the smaller side', () => {
    for (const sign of [1, -1]) {
      const cap = compileShape('polygon', line([70 * sign, 0], [70 * sign, 90], [70 * sign, 180], [70 * sign, -90]), null);
      near(cap.depth(90 * sign, 0), distance(at(90, 0), at(70, 0)), 1);
      near(cap.depth(69.99 * sign, 33), -distance(at(69.99, 33), at(70, 33)), 0.05);
      assert.ok(cap.depth(-70 * sign, 5) < -10_000_000);
      assert.deepEqual(cap.bounds, { south: sign > 0 ? 70 : -90, north: sign > 0 ? 90 : -70, west: -180, east: 180 });
    }
  });

  test('a circle around a pole reaches all longitudes', () => {
    const circle = compileShape('circle', [at(-89.999, 30)], 1000);
    near(circle.depth(-90, 0), 1000 - distance(at(-90, 0), at(-89.999, 30)), 0.01);
    near(circle.depth(-89.995, -150), 1000 - distance(at(-89.995, -150), at(-89.999, 30)), 0.01);
    assert.equal(circle.bounds.south, -90);
    assert.ok(circle.bounds.east - circle.bounds.west === 360);
  });

  test('nothing is nowhere', () => assert.equal(compileShape('polygon', [], null).depth(0, 0), -Infinity));
});

interface Case {
  type: ShapeType;
  points: Point[];
  radius: number | null;
  /** Where it is, and how large, m. */
  centre: Point;
  extent: number;
}

/** Stars, circles and crooked corridors of 30 m to 300 km, anywhere up to 80° of latitude. */
const shapes: fc.Arbitrary<Case> = fc
  .record({
    type: fc.constantFrom<ShapeType>('polygon', 'circle', 'corridor'),
    latitude: fc.double({ min: -80, max: 80, noNaN: true }),
    longitude: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(180, -179.9999, 0)),
    scale: fc.double({ min: 1.5, max: 5.5, noNaN: true }),
    radii: fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), { minLength: 3, maxLength: 12 }),
    width: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
  })
  .map(({ type, latitude, longitude, scale, radii, width }) => {
    const extent = 10 ** scale;
    const ring = radii.map((radius, i) => {
      const angle = (2 * Math.PI * i) / radii.length;
      const up = latitude + north(radius * extent * Math.sin(angle));
      return at(up, turned(longitude + east(radius * extent * Math.cos(angle), latitude)));
    });
    return {
      type,
      points: type === 'circle' ? [at(latitude, longitude)] : ring,
      radius: type === 'polygon' ? null : width * extent,
      centre: at(latitude, longitude),
      extent,
    };
  });

/** A share of the extent to the east and to the north of the centre. */
const offsets = fc.tuple(fc.double({ min: -2, max: 2, noNaN: true }), fc.double({ min: -2, max: 2, noNaN: true }));
const placeOf = ({ centre, extent }: Case, [x, y]: readonly [number, number]): Point =>
  at(Math.min(90, Math.max(-90, centre.latitude + north(y * extent))), turned(centre.longitude + east(x * extent, centre.latitude)));

/** The least geodesic distance to an edge, by trying places along it ever closer. */
function bruteDistance({ type, points }: Case, place: Point): number {
  const ring = unroll(type === 'polygon' ? [...points, points[0] as Point] : points);
  let best = Infinity;
  for (let i = 0; i < Math.max(1, ring.length - 1); i++) {
    const [[ax, ay], [bx, by]] = [ring[i], ring[i + 1] ?? ring[i]] as [readonly [number, number], readonly [number, number]];
    const metres = (t: number): number => distance(place, at(ay + t * (by - ay), ax + t * (bx - ax)));
    let [middle, span] = [0.5, 0.5];
    for (let round = 0; round < 7; round++, span /= 4) {
      const tries = Array.from({ length: 17 }, (_, n) => Math.min(1, Math.max(0, middle + (span * (n - 8)) / 8)));
      middle = tries.reduce((a, b) => (metres(b) < metres(a) ? b : a));
    }
    best = Math.min(best, metres(middle));
  }
  return best;
}

test('near a border the depth is the geodesic distance, farther off it is not far from it', () => {
  fc.assert(
    fc.property(shapes, offsets, (shape, offset) => {
      const place = placeOf(shape, offset);
      const depth = compileShape(shape.type, shape.points, shape.radius).depth(place.latitude, place.longitude);
      const brute = bruteDistance(shape, place);
      const wanted = shape.radius === null ? brute : Math.abs(shape.radius - brute);
      near(Math.abs(depth), wanted, brute < 10_000 ? 0.02 + brute * 1e-4 : brute * 2e-3);
      if (shape.radius !== null && wanted > 0.02 + brute * 2e-3) assert.equal(depth > 0, brute < shape.radius);
    }),
    { numRuns: 300 },
  );
});

test('from place to place the depth changes by no more than the distance between them', () => {
  fc.assert(
    fc.property(shapes, offsets, offsets, fc.double({ min: 0, max: 1, noNaN: true }), (shape, first, other, share) => {
      const compiled = compileShape(shape.type, shape.points, shape.radius);
      const second: [number, number] = [first[0] + share ** 3 * (other[0] - first[0]), first[1] + share ** 3 * (other[1] - first[1])];
      const [a, b] = [placeOf(shape, first), placeOf(shape, second)];
      const moved = distance(a, b);
      const changed = Math.abs(compiled.depth(a.latitude, a.longitude) - compiled.depth(b.latitude, b.longitude));
      assert.ok(changed <= moved * 1.005 + 0.2, `${changed} over ${moved} m`);
    }),
    { numRuns: 500 },
  );
});

test('what is inside is within the bounds, and the centre of a star is inside', () => {
  fc.assert(
    fc.property(shapes, offsets, (shape, offset) => {
      const compiled = compileShape(shape.type, shape.points, shape.radius);
      const { latitude, longitude } = placeOf(shape, offset);
      if (compiled.depth(latitude, longitude) >= 0) assert.ok(touches(compiled.bounds, { x: longitude, y: latitude, dx: 0, dy: 0 }));
      const { centre } = shape;
      if (shape.type !== 'corridor' && shape.extent < 1e5) assert.ok(compiled.depth(centre.latitude, centre.longitude) > 0);
    }),
  );
});

test('a zone lies just as deep when it is moved round the earth', () => {
  fc.assert(
    fc.property(shapes, offsets, fc.integer({ min: -3, max: 3 }), (shape, offset, quarter) => {
      const place = placeOf(shape, offset);
      const depth = compileShape(shape.type, shape.points, shape.radius).depth(place.latitude, place.longitude);
      const moved = shape.points.map(({ latitude, longitude }) => at(latitude, turned(longitude + 90 * quarter)));
      const there = compileShape(shape.type, moved, shape.radius).depth(place.latitude, turned(place.longitude + 90 * quarter));
      near(there, depth, 1e-3);
    }),
  );
});

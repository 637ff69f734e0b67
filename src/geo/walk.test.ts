import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distance } from './distance.ts';
import type { Point } from './polygon.ts';
import { compileShape } from './shape.ts';
import { walk } from './walk.ts';

const at = (latitude: number, longitude: number): Point => ({ latitude, longitude });
const near = (actual: number, wanted: number, within: number): void =>
  assert.ok(Math.abs(actual - wanted) <= within, `${actual} is not ${wanted} within ${within}`);

test('a pass right through a small zone is seen on a way of any length', () => {
  const circle = compileShape('circle', [at(48, 16)], 15);
  for (const degrees of [0.001, 0.1, 5, 60]) {
    const [from, to] = [at(48.00005, 16 - degrees), at(48.00005, 16 + degrees)];
    const [before, within, after, ...more] = walk(circle, from, to, 5);
    assert.deepEqual([before?.inside, within?.inside, after?.inside, more], [false, true, false, []]);
    const metres = distance(at(48, 16), at(48, 16.001)) * 1000 * degrees * 2;
    near((within?.fraction ?? 0) * metres, metres / 2 - Math.sqrt(15 ** 2 - 5.56 ** 2), 0.5 + metres * 1e-5);
    assert.ok((within?.deepest ?? 0) >= 5);
  }
});

test('the way goes the short way round the earth', () => {
  const circle = compileShape('circle', [at(-17, 180)], 1000);
  assert.equal(walk(circle, at(-17, 179.9), at(-17, -179.9), 20).length, 3);
  assert.equal(walk(circle, at(-17, 170), at(-17, 179.9), 20).length, 1);
});

test('how deep a way leads is found as far as it is asked for', () => {
  const strip = compileShape('corridor', [at(0, -1), at(0, 1)], 100);
  // Into the strip up to 60 m from its border and out again on the same side.
  const metres = distance(at(0, 0), at(0.001, 0)) * 1000;
  const deepest = (enough: number): number => {
    const [, second] = walk(strip, at(40 / metres, -0.9), at(40 / metres, 0.9), enough);
    const [first] = walk(strip, at(40 / metres, -0.9), at(40 / metres, 0.9), enough);
    return (second ?? first)?.deepest ?? 0;
  };
  near(deepest(50), 60, 0.5);
  const through = walk(compileShape('circle', [at(0, 0)], 100), at(0.0005, -0.01), at(0.0005, 0.01), 44.5);
  near(through[1]?.deepest ?? 0, 100 - metres * 0.0005, 0.1);
});

test('a way of thousands of kilometres along a border ends', () => {
  const strip = compileShape('corridor', [at(0, 0), at(0, 60)], 10);
  const edge = 10 / 110_574.3;
  const started = performance.now();
  walk(strip, at(edge, 0), at(edge, 60), 5);
  assert.ok(performance.now() - started < 500);
  const flat = compileShape('polygon', [at(0, 0), at(0, 1), at(0, 0.5)], null);
  assert.ok(
    walk(flat, at(0, 0), at(0, 1), 5).every(({ inside }) => !inside),
    'nor does one without any width hold it up',
  );
});

test('standing still is one stretch', () => {
  const circle = compileShape('circle', [at(48, 16)], 100);
  assert.deepEqual(walk(circle, at(48, 16), at(48, 16), 20), [{ fraction: 0, inside: true, deepest: 100 }]);
});

test('every place of the way is on the side that its stretch has, and sides alternate', () => {
  const angle = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
  const radii = fc.array(fc.double({ min: 100, max: 1000, noNaN: true }), { minLength: 3, maxLength: 20 });
  const centre = fc.record({
    latitude: fc.double({ min: -75, max: 75, noNaN: true }),
    longitude: fc.constantFrom(0, 16, 179.999, -179.999),
  });
  fc.assert(
    fc.property(centre, radii, angle, angle, fc.double({ min: 0, max: 3000, noNaN: true }), (middle, corners, a, b, far) => {
      const place = (direction: number, metres: number): Point => {
        const longitude = middle.longitude + (metres * Math.cos(direction)) / (111_320 * Math.cos((middle.latitude * Math.PI) / 180));
        return at(middle.latitude + (metres * Math.sin(direction)) / 111_195, longitude - 360 * Math.round(longitude / 360));
      };
      const points = corners.map((radius, i) => place((2 * Math.PI * i) / corners.length, radius));
      const shape = compileShape('polygon', points, null);
      const [from, to] = [place(a, far), place(b, 1500)];
      const stretches = walk(shape, from, to, 30);
      assert.ok(stretches.every(({ inside }, i) => i === 0 || inside !== stretches[i - 1]?.inside));
      let dx = to.longitude - from.longitude;
      dx -= 360 * Math.round(dx / 360);
      for (let n = 0; n <= 500; n++) {
        const depth = shape.depth(from.latitude + (n / 500) * (to.latitude - from.latitude), from.longitude + (n / 500) * dx);
        const stretch = stretches.findLast(({ fraction }) => fraction <= n / 500);
        // A corner that is cut by less than a step may be passed over.
        if (Math.abs(depth) > 1.5) assert.equal(stretch?.inside, depth > 0, `${n / 5} %: ${depth}`);
        if (Math.abs(depth) > 1.5) assert.ok((stretch?.deepest ?? 0) >= Math.min(30, Math.abs(depth)) - 2);
      }
    }),
    { numRuns: 100 },
  );
});

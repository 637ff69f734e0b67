import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BUCKET, type FinalPart, type Part } from './outcome.ts';
import { addStretch, finish, finishAll } from './parts.ts';

const sum = (parts: readonly Part[], name: 'distance' | 'driveTime' | 'idleTime'): number =>
  parts.reduce((total, part) => total + part[name], 0);

test('parts hold whole numbers whose sums are those of the stretches, and come out once', () => {
  const lengths = fc.array(
    fc.record({ time: fc.nat(5 * BUCKET), distance: fc.nat(1e9), driven: fc.double({ min: 0, max: 1, noNaN: true }) }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), lengths, (start, stretches) => {
      const parts: Part[] = [];
      const final: FinalPart[] = [];
      const want = { distance: 0, driveTime: 0, idleTime: 0 };
      let from = start;
      for (const { time, distance, driven } of stretches) {
        const driveTime = Math.round(time * driven);
        addStretch(parts, start, { from, to: from + time, distance, driveTime, maxSpeed: 1 });
        from += time;
        // In no time nothing is driven.
        want.distance += time === 0 ? 0 : distance;
        want.driveTime += driveTime;
        want.idleTime += time - driveTime;
        finish(parts, from, from, final);
        assert.ok(parts.length <= 1 && parts.every(({ bucket }) => bucket <= from && from < bucket + BUCKET));
      }
      finishAll(parts, from, final);
      assert.equal(parts.length, 0);
      assert.equal(new Set(final.map(({ bucket }) => bucket)).size, final.length);
      for (const name of ['distance', 'driveTime', 'idleTime'] as const) assert.equal(sum(final, name), want[name]);
      for (const part of final) {
        const within = Math.min(from, part.bucket + BUCKET) - Math.max(start, part.bucket);
        assert.equal(part.driveTime + part.idleTime, within, 'a part has the time of its quarter');
        assert.ok(part.bucket % BUCKET === 0 && part.distance >= 0 && part.driveTime >= 0 && part.idleTime >= 0);
      }
    }),
  );
});

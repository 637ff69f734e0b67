// Turns: never more than allowed, nobody left out, and one key's many do not keep the others waiting.
import assert from 'node:assert/strict';
import { setImmediate as breathe } from 'node:timers/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSlots } from './slots.ts';

test('whatever comes and goes, the limits hold and everyone has a turn', async () => {
  const limits = [fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 })] as const;
  await fc.assert(
    fc.asyncProperty(...limits, fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 30 }), async (most, mostOfKey, jobs) => {
      const slots = createSlots(most, mostOfKey);
      const now = new Map<number, number>();
      let [all, done] = [0, 0];
      const add = (key: number, by: number): void => {
        now.set(key, (now.get(key) ?? 0) + by);
        all += by;
        assert.ok(all <= most && (now.get(key) ?? 0) <= mostOfKey);
      };
      await Promise.all(
        jobs.map(async ([key, rounds]) => {
          const release = await slots.take(key);
          add(key, 1);
          for (let round = 0; round < rounds; round++) await breathe();
          add(key, -1);
          done++;
          release();
        }),
      );
      assert.equal(done, jobs.length);
    }),
    { numRuns: 50 },
  );
});

test('a key with few has its turn among those of a key with many', async () => {
  const slots = createSlots(1, 1);
  const order: string[] = [];
  const job = async (key: number, name: string): Promise<void> => {
    const release = await slots.take(key);
    order.push(name);
    await breathe();
    release();
  };
  await Promise.all([job(1, 'a1'), job(1, 'a2'), job(1, 'a3'), job(1, 'a4'), job(2, 'b1'), job(2, 'b2')]);
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
});

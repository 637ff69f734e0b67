import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trip, trips } from '../kinds/trip.ts';
import type { Ask, Read } from './resource.ts';
import { readWay } from './way.ts';

/** A trip of so many positions, every tenth of which is not valid. */
const tripOf = (count: number, kind: Read['kind'] = trip): Read => ({
  kind,
  read: async () => ({}),
  stream: async () => ({
    title: 'Van',
    items: (async function* () {
      yield {};
    })(),
    positions: async function* () {
      for (let i = 0; i < count; i++) yield { valid: i % 10 !== 9, latitude: 1, longitude: i / 1000 };
    },
  }),
});
const ask = {} as Ask;

test('the way of a trip is its valid positions, for lists and other kinds none', async () => {
  const way = await readWay(tripOf(100), ask);
  assert.equal(way.length, 90);
  assert.ok(way.every(({ longitude }) => Math.round(longitude * 1000) % 10 !== 9));
  assert.deepEqual(await readWay(tripOf(100, trips), ask), []);
  assert.deepEqual(await readWay({ kind: trip, read: async () => ({}) }, ask), []);
});

test('a long one is thinned out evenly, from its first position to its end', async () => {
  for (const count of [5000, 12_345, 100_000]) {
    const way = (await readWay(tripOf(count), ask)).map(({ longitude }) => Math.round(longitude * 1000));
    assert.ok(way.length >= 2000 && way.length < 4000, `${way.length}`);
    const steps = way.slice(1).map((i, at) => i - (way[at] ?? 0));
    assert.equal(way[0], 0);
    assert.ok(Math.max(...steps) <= 1.25 * Math.min(...steps) + 1 && count - (way.at(-1) ?? 0) <= Math.max(...steps), `${count}`);
  }
});

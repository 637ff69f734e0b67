import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { touches, wayBetween } from '../geo/bounds.ts';
import { shapeOf, zones, type ZoneValues } from '../storage/tables/zones.ts';
import type { Place } from './outcome.ts';
import { createZoneIndex, type Nearby } from './zone-index.ts';
import { ZoneMemory, type ZoneVersion } from './zone-memory.ts';
import { openBare } from '../../test/storage/bare.ts';

const { connection, newAccount } = await openBare();

let names = 0;

const at = (latitude: number, longitude: number): Place => ({ latitude, longitude });
const circle = (name: string, { latitude, longitude }: Place, radius: number): ZoneValues => ({
  name,
  type: 'circle',
  points: JSON.stringify([[latitude, longitude]]),
  radius,
  color: null,
});

const newZone = async (account: number, zone: ZoneValues): Promise<number> => {
  const id = await connection.transaction(() => zones.create.work(connection, account, zone, 1000));
  assert.ok(id !== null);
  return id;
};
const later = (): number => Date.now() + 10;

/** What the tables themselves have, without cells and memory. */
async function allInForce(account: number, received: number): Promise<{ version: number; id: number; shape: ZoneVersion['shape'] }[]> {
  const rows = await connection.all<{ id: number; zone_id: number; type: string; points: string; radius: number | null }>(
    'select * from zone_versions where account_id = $1 and since <= $2 and (until is null or until > $2)',
    account,
    received,
  );
  return rows.map((row) => ({ version: row.id, id: row.zone_id, shape: shapeOf(row) }));
}

const versionsOf = (found: readonly ZoneVersion[]): number[] => found.map(({ version }) => version).toSorted((a, b) => a - b);

async function opened(account: number, index = createZoneIndex()): Promise<Nearby> {
  const nearby = await index.open(connection, account);
  assert.ok(nearby !== null);
  return nearby;
}

suite('the zones near', () => {
  test('of an account without any cost nothing and are none', async () => {
    assert.equal(await createZoneIndex().open(connection, await newAccount()), null);
    assert.equal(await createZoneIndex().open(connection, -1), null);
  });

  test('are at hand without asking again, until a zone changes', async () => {
    const [index, account] = [createZoneIndex(), await newAccount()];
    const depot = at(48.2, 16.37);
    const id = await newZone(account, circle('depot', depot, 100));
    const first = await opened(account, index);
    const asked = first.along(depot, at(48.201, 16.371), later());
    assert.ok(asked instanceof Promise);
    assert.deepEqual((await asked).map((zone) => [zone.id, zone.name]), [[id, 'depot']]); // prettier-ignore
    const again = (await opened(account, index)).along(depot, at(48.201, 16.371), later());
    assert.ok(!(again instanceof Promise));
    assert.equal(again[0], (await asked)[0]);
    const past = (await opened(account, index)).along(depot, depot, 1);
    assert.ok(past instanceof Promise, 'what was read does not go back so far');
    assert.deepEqual(await past, []);

    await newZone(account, circle('gate', depot, 20));
    const changed = (await opened(account, index)).along(depot, depot, later());
    assert.ok(changed instanceof Promise);
    assert.equal((await changed).length, 2);
    assert.equal((await changed).find((zone) => zone.id === id)?.shape, again[0]?.shape, 'what did not change is not made ready anew');
  });

  test('are the account’s own', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const place = at(10, 10);
    const id = await newZone(one, circle('depot', place, 100));
    await newZone(other, circle('depot', at(-10, -10), 100));
    const index = createZoneIndex();
    assert.equal((await (await opened(one, index)).along(place, place, later())).length, 1);
    assert.equal((await (await opened(other, index)).along(place, place, later())).length, 0);
    assert.deepEqual(await (await opened(other, index)).byIds([id], later()), []);
    await zones.alter.work(connection, other, id, circle('taken over', place, 100));
    await zones.remove.work(connection, other, id);
    assert.equal((await (await opened(one, index)).byIds([id], later()))[0]?.name, 'depot');
  });

  test('are those of the time when a position was received', async () => {
    const account = await newAccount();
    const [here, there] = [at(50, 8), at(51, 9)];
    const id = await newZone(account, circle('first', here, 100));
    const moments = [Date.now() + 1];
    const step = async (change: () => Promise<unknown>): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 3));
      await connection.transaction(change);
      moments.push(Date.now() + 1);
    };
    await step(() => zones.alter.work(connection, account, id, circle('second', there, 100)));
    await step(() => zones.remove.work(connection, account, id));
    const [first = 0, second = 0, third = 0] = moments;
    for (const order of [moments, moments.toReversed()]) {
      const index = createZoneIndex();
      for (const moment of order) {
        const near = await opened(account, index);
        const found = [await near.along(here, here, moment), await near.along(there, there, moment), await near.byIds([id], moment)];
        const named = found.map((list) => list.map(({ name }) => name).join());
        const wanted = new Map([[first, ['first', '', 'first']], [second, ['', 'second', 'second']], [third, ['', '', '']]]); // prettier-ignore
        assert.deepEqual(named, wanted.get(moment));
      }
    }
    assert.deepEqual(await (await opened(account)).along(here, here, first - 5000), [], 'it was not there before it was made');
    assert.deepEqual(await (await opened(account)).along(here, here, Date.now() + 86_400_000 * 30), []);
  });

  test('are not newer than a position that was committed before them', async () => {
    const account = await newAccount();
    const received = Date.now();
    const id = await newZone(account, circle('late', at(1, 1), 100));
    assert.deepEqual(await (await opened(account)).byIds([id], received), []);
  });
});

test('the zones along a way are those of all whose bounds it touches, wherever and however long it is', async () => {
  const account = await newAccount();
  const index = createZoneIndex();
  const latitudes = fc.oneof(fc.constantFrom(-90, 0, 48, 89.99), fc.double({ min: -90, max: 90, noNaN: true }));
  const longitudes = fc.oneof(fc.constantFrom(-180, 0, 16, 179.999, 180), fc.double({ min: -180, max: 180, noNaN: true }));
  const place = fc.record({ latitude: latitudes, longitude: longitudes });
  const metres = fc.double({ min: 0, max: 6.5, noNaN: true }).map((exponent) => 10 ** exponent);
  const near = (of: Place, exponent: number, angle: number): Place => {
    const degrees = 10 ** exponent;
    const longitude = of.longitude + degrees * Math.cos(angle);
    const latitude = Math.min(90, Math.max(-90, of.latitude + degrees * Math.sin(angle)));
    return at(latitude, longitude - 360 * Math.round(longitude / 360));
  };
  const offset = fc.tuple(fc.double({ min: -4, max: 2, noNaN: true }), fc.double({ min: 0, max: 6.28, noNaN: true }));
  let made: number[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(place, metres), { minLength: 1, maxLength: 5 }),
      offset,
      offset,
      fc.boolean(),
      async (more, a, b, drop) => {
        for (const [centre, radius] of more) made.push(await newZone(account, circle(`zone ${++names}`, centre, radius)));
        if (drop && made.length > 3) await connection.transaction(() => zones.remove.work(connection, account, made.shift() ?? 0));
        const received = later();
        const from = near(more[0]?.[0] ?? at(0, 0), ...a);
        const to = near(from, ...b);
        const way = wayBetween(from, to);
        const nearby = await opened(account, index);
        const all = await allInForce(account, received);
        const wanted = all.filter(({ shape }) => touches(shape.bounds, way));
        for (let time = 0; time < 2; time++) {
          const found = await nearby.along(from, to, received);
          assert.deepEqual(
            versionsOf(found),
            wanted.map(({ version }) => version).toSorted((x, y) => x - y),
          );
          assert.deepEqual(
            versionsOf(await nearby.byIds(made, received)),
            all.map(({ version }) => version).toSorted((x, y) => x - y),
          );
        }
      },
    ),
    { numRuns: 100 },
  );
  made = [];
});

test('a memory that is full forgets what was not used of late', () => {
  const shape = shapeOf({ type: 'circle', points: '[[1,2]]', radius: 5 });
  const known = (version: number) => ({
    account: 1,
    change: 1,
    from: 0,
    versions: [{ version, id: version, name: '', shape, since: 0, until: 9 }],
  });
  const memory = new ZoneMemory(300);
  memory.put(0, known(0));
  for (let key = 1; key <= 100; key++) {
    memory.put(key, known(key));
    assert.ok(memory.get(0) !== undefined, 'it is used all the time');
  }
  const kept = Array.from({ length: 101 }, (_, key) => key).filter((key) => memory.get(key) !== undefined);
  assert.ok(kept.length > 10 && kept.length < 40 && kept.includes(100), `${kept.length}`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNonces } from './nonces.ts';

const MINUTE = 60_000;

test('each count of a nonce is good once, in whatever order near ones arrive', () => {
  const nonces = createNonces(() => 5 * MINUTE);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 60 }), (counts) => {
      const nonce = nonces.issue();
      const used = new Set<number>();
      for (const count of counts) {
        assert.equal(nonces.use(nonce, count), !used.has(count));
        used.add(count);
      }
    }),
  );
});

test('whatever the counts, none is ever good twice', () => {
  const nonces = createNonces(() => 5 * MINUTE);
  const count = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 0xffffffff }));
  fc.assert(
    fc.property(fc.array(count, { maxLength: 60 }), (counts) => {
      const nonce = nonces.issue();
      const good = counts.filter((one) => nonces.use(nonce, one));
      assert.equal(new Set(good).size, good.length);
      assert.ok(!good.includes(0));
    }),
  );
});

test('a count too far behind the highest is stale', () => {
  const nonces = createNonces(() => 0);
  const nonce = nonces.issue();
  assert.equal(nonces.use(nonce, 200), true);
  assert.equal(nonces.use(nonce, 72), false);
  assert.equal(nonces.use(nonce, 73), true);
  assert.equal(nonces.use(nonce, 0xffffffff), true);
  assert.equal(nonces.use(nonce, 199), false);
});

test('a nonce lives five minutes, and a foreign or altered one not at all', () => {
  let now = 10 * MINUTE;
  const nonces = createNonces(() => now);
  const nonce = nonces.issue();
  now += 5 * MINUTE;
  assert.equal(nonces.use(nonce, 1), true);
  now += 1;
  assert.equal(nonces.use(nonce, 2), false);
  const fresh = nonces.issue();
  for (const other of ['', 'x', createNonces(() => now).issue(), `${fresh}A`, fresh.slice(0, -1), `${fresh}=`])
    assert.equal(nonces.use(other, 1), false);
  for (let i = 0; i < fresh.length; i++) {
    assert.equal(nonces.use(fresh.slice(0, i) + (fresh[i] === 'A' ? 'B' : 'A') + fresh.slice(i + 1), 1), false);
  }
  assert.equal(nonces.use(fresh, 1), true);
});

test('a nonce that had to be forgotten is stale, never good again; later ones are not touched', () => {
  let now = 1000;
  const nonces = createNonces(() => now++, 2);
  const [a, b, c] = [nonces.issue(), nonces.issue(), nonces.issue()];
  for (const nonce of [a, b, c]) assert.equal(nonces.use(nonce, 1), true);
  assert.equal(nonces.use(a, 1), false);
  assert.equal(nonces.use(a, 2), false);
  assert.equal(nonces.use(b, 2), true);
  assert.equal(nonces.use(c, 2), true);
  assert.equal(nonces.use(nonces.issue(), 1), true);
});

test('a clock that is set back revives nothing', () => {
  let now = 60 * MINUTE;
  const nonces = createNonces(() => now);
  const old = nonces.issue();
  assert.equal(nonces.use(old, 1), true);
  now += 10 * MINUTE;
  assert.equal(nonces.use(nonces.issue(), 1), true);
  now -= 10 * MINUTE;
  assert.equal(nonces.use(old, 1), false);
});

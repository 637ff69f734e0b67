import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, Refusal } from '../../basics/errors.ts';
import { createHasher, impossibleHash, isPassword } from './password.ts';

test('a password has 8 to 1024 characters, whatever they are, but no control characters and no halves', () => {
  for (const good of ['12345678', 'x'.repeat(1024), '😀'.repeat(8), '😀'.repeat(1024), 'naïve: "\\ %', '        '])
    assert.ok(isPassword(good), good);
  for (const bad of ['', '1234567', 'x'.repeat(1025), '😀'.repeat(7), '😀'.repeat(1025), '1234567\n', '12345678\0', '12345678\ud800']) {
    assert.ok(!isPassword(bad), JSON.stringify(bad));
  }
});

test('hashes are PHC strings with a salt of their own, and verify byte for byte', async () => {
  const { hash, verify } = createHasher();
  const [one, two] = await Promise.all([hash('pässword'), hash('pässword')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await verify('pässword', one), true);
  assert.equal(await verify('pässword'.normalize('NFD'), one), false);
  assert.equal(await verify('pässword', impossibleHash()), false);
});

test('a hash made elsewhere with another cost is understood; a damaged one is a fault', async () => {
  const { verify } = createHasher();
  // From the test suite of the reference implementation: version 19, m=256, t=2, p=1, "password", "somesalt".
  const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal(await verify('password', reference), true);
  assert.equal(await verify('Password', reference), false);
  await assert.rejects(verify('password', reference.replace('argon2id', 'argon2i')), Fault);
  await assert.rejects(verify('password', ''), Fault);
});

test('no more run or wait than may, and those beyond are told when to come back', async () => {
  const { verify } = createHasher({ atOnce: 1, waiting: 2 });
  const cheap = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => verify('password', cheap)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  const last = results[4];
  assert.ok(last?.status === 'rejected' && last.reason instanceof Refusal);
  assert.equal(last.reason.status, 503);
  assert.ok(Number(last.reason.headers['retry-after']) >= 1);
  assert.equal(await verify('password', cheap), true);
});

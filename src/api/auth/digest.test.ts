import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readAuthorization, readParameters, type DigestAnswer } from './authorization.ts';
import { createDigest, digestResponse, digestSecret } from './digest.ts';
import { secretBox } from './secret-box.ts';

// RFC 7616, section 3.9.1.
const EXAMPLE =
  `username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001,
  cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`.replaceAll(
    '\n',
    '',
  );

for (const [algorithm, response] of [
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
] as const) {
  test(`the response is that of the standard's example: ${algorithm}`, () => {
    const read = readAuthorization(`Digest ${EXAMPLE}, algorithm=${algorithm}, response="${response}"`);
    assert.ok(read?.scheme === 'digest');
    const secret = createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update('Mufasa:http-auth@example.org:Circle of Life')
      .digest();
    assert.equal(digestResponse(secret, 'GET', read.answer).toString('hex'), response);
    assert.deepEqual(digestResponse(secret, 'GET', read.answer), read.answer.response);
  });
}

const box = secretBox(new Uint8Array(32).fill(1));

/** Answers a challenge as a client does, from nothing but its text. */
function answer(challenge: string, password: string, change: Partial<DigestAnswer> = {}): DigestAnswer {
  const asked = readParameters(challenge.replace('Digest ', ''));
  const algorithm = asked?.get('algorithm') === 'MD5' ? 'MD5' : 'SHA-256';
  const made = {
    username: 'ada',
    realm: asked?.get('realm') ?? '',
    nonce: asked?.get('nonce') ?? '',
    uri: '/rest/v2/gateway',
    cnonce: 'c',
    nc: '00000001',
    algorithm,
    opaque: asked?.get('opaque'),
    ...change,
  } as const;
  const secret = createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(`ada:${made.realm}:${password}`)
    .digest();
  return { response: digestResponse(secret, 'GET', made), ...made };
}

test('challenges: SHA-256 before MD5, alike in all else, realm first', () => {
  const digest = createDigest(box, () => 0);
  const [first = '', second = '', ...more] = digest.challenges(false);
  assert.equal(more.length, 0);
  assert.match(first, /^Digest realm="Waypost", qop="auth", algorithm=SHA-256, nonce="[\w-]{44}", opaque="[0-9a-f]+", charset=UTF-8$/);
  assert.equal(second, first.replace('SHA-256', 'MD5'));
  for (const challenge of digest.challenges(true)) assert.match(challenge, /, stale=true$/);
});

test('a right answer fits, is right, and is fresh once; each part is bound to its request', () => {
  const digest = createDigest(box, () => 0);
  const sealed = digestSecret('ada', 'correct horse', box);
  for (const challenge of digest.challenges(false)) {
    const nc = challenge.includes('MD5') ? '00000002' : '00000001';
    const good = answer(challenge, 'correct horse', { nc });
    assert.ok(digest.fits(good, '/rest/v2/gateway'));
    assert.ok(digest.isRight(good, 'GET', 'ada', sealed));
    assert.ok(digest.isFresh(good));
    assert.ok(!digest.isFresh(good));
    assert.ok(!digest.fits(good, '/rest/v2/gateway?x'));
    assert.ok(!digest.fits(answer(challenge, 'correct horse', { realm: 'Elsewhere' }), '/rest/v2/gateway'));
    assert.ok(!digest.fits(answer(challenge, 'correct horse', { opaque: 'other' }), '/rest/v2/gateway'));
    assert.ok(!digest.isRight(good, 'DELETE', 'ada', sealed));
    assert.ok(!digest.isRight(answer(challenge, 'wrong horse'), 'GET', 'ada', sealed));
    for (const change of [{ nc: '00000009' }, { cnonce: 'd' }, { uri: '/' }, { nonce: 'n' }]) {
      assert.ok(!digest.isRight({ ...good, ...change }, 'GET', 'ada', sealed));
    }
  }
});

test('after a restart an answer is right but not fresh', () => {
  const [challenge = ''] = createDigest(box, () => 0).challenges(false);
  const later = createDigest(box, () => 1000);
  const good = answer(challenge, 'correct horse');
  assert.ok(later.fits(good, '/rest/v2/gateway'));
  assert.ok(later.isRight(good, 'GET', 'ada', digestSecret('ada', 'correct horse', box)));
  assert.ok(!later.isFresh(good));
});

test('a secret cannot be moved to another account', () => {
  const digest = createDigest(box, () => 0);
  const [challenge = ''] = digest.challenges(false);
  assert.throws(() => digest.isRight(answer(challenge, 'x'), 'GET', 'bob', digestSecret('ada', 'x', box)), /does not open/);
});

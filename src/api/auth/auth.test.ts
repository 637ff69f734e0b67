// The whole of signing in, against a real database; and with curl, where it is installed, over a real socket.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Refusal } from '../../basics/errors.ts';
import { openLog } from '../../basics/log.ts';
import { openStorage } from '../../storage/open.ts';
import { tables } from '../../storage/tables/tables.ts';
import { WrongCredential, type Asking } from './authenticate.ts';
import { createAuth, type Auth } from './auth.ts';
import { readParameters } from './authorization.ts';
import { openSecretBox } from './secret-box.ts';
import { DEFAULT_THROTTLE } from './throttle.ts';
import { makeKey } from './tokens.ts';

const PASSWORD = 'correct hörse: "battery"';

async function start(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-auth-'));
  const { storage, close } = await openStorage(folder, tables);
  const time = { now: 1_800_000_000_000 };
  const clock = () => time.now;
  const parts = {
    storage,
    box: openSecretBox(join(folder, 'secret.key')),
    clock,
    log: openLog('silent'),
    throttle: DEFAULT_THROTTLE,
    publicUrl: null,
  };
  const auth = createAuth(parts);
  const { key, ...keyColumns } = makeKey();
  const password = await auth.hashPassword('ada', PASSWORD);
  const id = await storage.accounts.create({
    username: 'ada',
    name: 'Ada',
    email: null,
    timezone: 'UTC',
    created_time: time.now,
    ...password,
    ...keyColumns,
  });
  assert.ok(id !== null);
  t.after(async () => {
    await auth.stop();
    await close();
    rmSync(folder, { recursive: true });
  });
  const account = { id, password_hash: password.password_hash };
  const issue = async (seconds: number): Promise<string> => {
    const issued = await auth.issueToken(account, seconds, null);
    assert.ok(issued !== null);
    return issued.token;
  };
  return {
    auth,
    storage,
    time,
    key,
    id,
    issue,
    folder,
    restarted: (more: Partial<typeof parts> = {}) => createAuth({ ...parts, ...more }),
  };
}

function asking(from: { authorization?: string; cookie?: string; target?: string; address?: string; method?: string } = {}): Asking {
  const { authorization, cookie, target = '/rest/v2/gateway', address = '192.0.2.1', method = 'GET' } = from;
  const headers = { ...(authorization !== undefined && { authorization }), ...(cookie !== undefined && { cookie }) };
  return { method, target, address, headers, query: new URL(target, 'http://waypost').searchParams };
}

const basic = (username: string, password: string) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Answers the server's challenge, with a hash of the test's own. */
function digest(
  auth: Auth,
  algorithm: 'SHA-256' | 'MD5',
  password: string,
  { nc = 1, target = '/rest/v2/gateway', challenge = '' } = {},
): string {
  const text = challenge || auth.challenges('digest', false, false).find((one) => one.includes(`=${algorithm},`)) || '';
  const asked = readParameters(text.replace('Digest ', ''));
  const hash = (value: string) =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(value)
      .digest('hex');
  const [nonce, count] = [asked?.get('nonce'), nc.toString(16).padStart(8, '0')];
  const response = hash(`${hash(`ada:Waypost:${password}`)}:${nonce}:${count}:c:auth:${hash(`GET:${target}`)}`);
  return `Digest username="ada", realm="Waypost", nonce="${nonce}", uri="${target}", algorithm=${algorithm}, qop=auth, nc=${count}, cnonce="c", response="${response}"`;
}

const wrong = { name: 'WrongCredential', status: 401, stale: false };
const throttled = (error: unknown) => error instanceof Refusal && error.status === 429 && Number(error.headers['retry-after']) >= 1;

test('nothing presented, or only a cookie that is no longer good, is nobody', async (t) => {
  const { auth } = await start(t);
  for (const cookie of [undefined, 'token=', 'token=x', `a=b; token=${'A'.repeat(43)}`, '=;;=']) {
    assert.equal(await auth.authenticate(asking(cookie === undefined ? {} : { cookie })), null);
  }
});

test('a token signs in as header, parameter or cookie, until it ends', async (t) => {
  const { auth, time, storage, id } = await start(t);
  const signedIn = await auth.signIn({ username: 'ada', password: PASSWORD, duration: 60 }, '192.0.2.1', 'a test');
  assert.ok('token' in signedIn);
  const { token, expires } = signedIn;
  assert.equal(expires, time.now + 60_000);
  for (const [request, presented] of [
    [{ authorization: `X-Token ${token}` }, 'header'],
    [{ target: `/rest/v2/gateway?_token=${token}` }, 'query'],
    [{ target: `/rest/v2/gateway?_token=${token}&_token=${token}` }, 'query'],
    [{ cookie: `token=${token}` }, 'cookie'],
    [{ cookie: `token=old`, target: `/rest/v2/gateway?_token=${token}` }, 'query'],
  ] as const) {
    const identity = await auth.authenticate(asking(request));
    assert.ok(identity !== null);
    const { account, tokenId, ...rest } = identity;
    assert.deepEqual(rest, { scheme: 'token', presented, token });
    assert.equal(account.username, 'ada');
    assert.ok(!('token_expires' in account));
    assert.equal((await storage.tokens.byId(id, tokenId ?? 0, time.now))?.label, 'a test');
  }
  time.now += 60_000;
  await assert.rejects(auth.authenticate(asking({ authorization: `X-Token ${token}` })), wrong);
  await assert.rejects(auth.authenticate(asking({ target: `/?_token=${token}` })), wrong);
  assert.equal(await auth.authenticate(asking({ cookie: `token=${token}` })), null);
});

test('only hashes of tokens and keys, and nothing of a password, reach the disk', async (t) => {
  const { auth, key, folder } = await start(t);
  const signedIn = await auth.signIn({ key }, '192.0.2.1', null);
  assert.ok('token' in signedIn);
  const digests = ['md5', 'sha256'].map((hash): Uint8Array => createHash(hash).update(`ada:Waypost:${PASSWORD}`).digest());
  const secrets: (string | Uint8Array)[] = [signedIn.token, key, PASSWORD, ...digests];
  for (const file of ['waypost.db', 'waypost.db-wal']) {
    const bytes = readFileSync(join(folder, file));
    for (const secret of secrets) assert.equal(bytes.indexOf(secret), -1);
  }
});

test('what is presented on purpose must all be right; Authorization comes first', async (t) => {
  const { auth, issue } = await start(t);
  const token = await issue(60);
  const right = `/rest/v2/gateway?_token=${token}`;
  assert.equal((await auth.authenticate(asking({ authorization: basic('ada', PASSWORD), target: right })))?.scheme, 'basic');
  for (const request of [
    { authorization: basic('ada', 'wrong'), target: right },
    { authorization: 'X-Token x', cookie: `token=${token}` },
    { authorization: `Bearer ${token}`, target: right },
    { authorization: '', target: right },
    { authorization: `X-Token ${token}`, target: '/?_token=x' },
    { authorization: basic('ada', PASSWORD), target: '/?_token=' },
    { target: '/?_token=x', cookie: `token=${token}` },
    { target: `${right}&_token=x` },
  ]) {
    await assert.rejects(auth.authenticate(asking(request)), wrong, JSON.stringify(request));
  }
});

test('a revoked token is nothing from the next request on; a new password revokes all', async (t) => {
  const { auth, storage, id, issue } = await start(t);
  const [one, two] = [await issue(60), await issue(60)];
  const identity = await auth.authenticate(asking({ authorization: `X-Token ${one}` }));
  await storage.tokens.revoke(id, identity?.tokenId ?? 0);
  await assert.rejects(auth.authenticate(asking({ authorization: `X-Token ${one}` })), wrong);
  assert.ok(await auth.authenticate(asking({ authorization: basic('ada', PASSWORD) })));
  await storage.accounts.setPassword(id, await auth.hashPassword('ada', 'another password'));
  await assert.rejects(auth.authenticate(asking({ authorization: `X-Token ${two}` })), wrong);
  await assert.rejects(auth.authenticate(asking({ authorization: basic('ada', PASSWORD) })), wrong, 'remembered as right, but no longer');
  await assert.rejects(auth.authenticate(asking({ authorization: digest(auth, 'MD5', PASSWORD) })), wrong);
  assert.ok(await auth.authenticate(asking({ authorization: basic('ada', 'another password') })));
  assert.ok(await auth.authenticate(asking({ authorization: digest(auth, 'MD5', 'another password') })));
});

test('the last use of a token is noted, at most once a minute', async (t) => {
  const { auth, storage, time, id, issue } = await start(t);
  const token = await issue(3600);
  const used = async () => {
    await auth.authenticate(asking({ authorization: `X-Token ${token}` }));
    await auth.stop();
    return (await storage.tokens.list(id, time.now))[0]?.used_time;
  };
  const begun = time.now;
  time.now += 59_999;
  assert.equal(await used(), begun);
  time.now += 1;
  assert.equal(await used(), time.now);
});

test('with another key file the right password is answered by Digest as a wrong one is, and counted; Basic goes on', async (t) => {
  const { folder, restarted } = await start(t);
  const auth = restarted({ box: openSecretBox(join(folder, 'other.key')) });
  const send = () => auth.authenticate(asking({ authorization: digest(auth, 'SHA-256', PASSWORD) }));
  for (let i = 0; i < 9; i++) await assert.rejects(send(), wrong);
  assert.equal((await auth.authenticate(asking({ authorization: basic('ada', PASSWORD) })))?.scheme, 'basic');
  for (let i = 0; i < 10; i++) await assert.rejects(send(), wrong);
  await assert.rejects(send(), throttled);
});

test('digest: each count once, in any near order; after five minutes or a restart the nonce is stale', async (t) => {
  const { auth, time, restarted } = await start(t);
  for (const algorithm of ['SHA-256', 'MD5'] as const) {
    const challenge = auth.challenges('digest', false, false).find((one) => one.includes(`=${algorithm},`)) ?? '';
    const send = (nc: number, to = auth) =>
      to.authenticate(asking({ authorization: digest(auth, algorithm, PASSWORD, { nc, challenge }) }));
    const identities = await Promise.all([3, 1, 2, ...Array.from({ length: 30 }, (_, i) => 40 - i)].map((nc) => send(nc)));
    for (const identity of identities) assert.equal(identity?.scheme, 'digest');
    const stale = (error: unknown) => error instanceof WrongCredential && error.stale;
    await assert.rejects(send(2), stale);
    await assert.rejects(send(41, restarted()), stale);
    time.now += 5 * 60_000 + 1;
    await assert.rejects(send(41), stale);
    await assert.rejects(auth.authenticate(asking({ authorization: digest(auth, algorithm, 'wrong', { nc: 42, challenge }) })), wrong);
  }
  const elsewhere = digest(auth, 'MD5', PASSWORD, { target: '/rest/v2/gateway?x=1' });
  await assert.rejects(auth.authenticate(asking({ authorization: elsewhere })), wrong);
  assert.ok(await auth.authenticate(asking({ authorization: elsewhere, target: '/rest/v2/gateway?x=1' })));
});

test('challenges: one for each scheme, none that pops up over HTML', async (t) => {
  const { auth } = await start(t);
  const schemes = (...args: Parameters<Auth['challenges']>) => auth.challenges(...args).map((value) => value.split(' ')[0]);
  assert.deepEqual(schemes('all', false, false), ['Basic', 'Digest', 'Digest', 'X-Token']);
  assert.deepEqual(schemes('all', true, false), ['X-Token']);
  assert.deepEqual(schemes('all', true, true), ['Digest', 'Digest', 'X-Token']);
  assert.deepEqual(auth.challenges('token', true, false), ['X-Token']);
  assert.deepEqual(auth.challenges('basic', true, false), ['Basic realm="Waypost", charset="UTF-8"']);
  assert.deepEqual(schemes('digest', true, false), ['Digest', 'Digest']);
});

test('sign-in says all faults at once, and the same of an unknown user as of a wrong password', async (t) => {
  const { auth, key } = await start(t);
  const bad = { username: 'invalid', password: 'invalid' };
  for (const [input, problems] of [
    [{}, { username: 'empty', password: 'empty' }],
    [{ username: 'ada' }, { password: 'empty' }],
    [
      { password: PASSWORD, duration: 0 },
      { username: 'empty', duration: 'invalid' },
    ],
    [{ username: 'ada', password: 'wrong' }, bad],
    [{ username: 'nobody', password: PASSWORD }, bad],
    [{ username: 'ada', password: `${PASSWORD}\0` }, bad],
    [{ username: 'ad\ud800a', password: PASSWORD }, bad],
    [{ username: 7, password: ['x'] }, bad],
    [
      { username: 'ada', password: 'wrong', duration: 86_401 },
      { ...bad, duration: 'invalid' },
    ],
    [{ username: 'ada', password: PASSWORD, duration: 1.5 }, { duration: 'invalid' }],
    [{ key: '' }, { key: 'empty' }],
    [{ key: key.replace(/./, 'x') }, { key: 'invalid' }],
    [{ key: '0'.repeat(40), username: 'ada', password: PASSWORD }, { key: 'invalid' }],
    [
      { key: 7, duration: '1' },
      { key: 'invalid', duration: 'invalid' },
    ],
    [{ key, duration: -1 }, { duration: 'invalid' }],
  ] as const) {
    assert.deepEqual(await auth.signIn(input, '192.0.2.1', null), { problems }, JSON.stringify(input));
  }
  for (const input of [
    { key },
    { key: key.toUpperCase(), duration: 1 },
    { key: '', username: 'ada', password: PASSWORD, duration: null },
  ]) {
    assert.ok('token' in (await auth.signIn(input, '192.0.2.1', null)));
  }
});

test('guesses at the same time do not slip past the limit, by whatever scheme, known user or not', async (t) => {
  for (const username of ['ada', 'nobody']) {
    const { auth, time } = await start(t);
    const guesses = Array.from({ length: 30 }, (_, i) => {
      if (i % 3 === 0) return auth.authenticate(asking({ authorization: basic(username, 'the same guess'), address: `192.0.2.${i}` }));
      if (i % 3 === 1) return auth.authenticate(asking({ authorization: digest(auth, 'MD5', `guess ${i}`).replace('ada', username) }));
      return auth.signIn({ username, password: `guess ${i}` }, '192.0.2.1', null);
    });
    const outcomes = await Promise.allSettled(guesses);
    const failed = outcomes.filter((one) =>
      one.status === 'fulfilled' ? one.value !== null && 'problems' in one.value : one.reason instanceof WrongCredential,
    );
    assert.equal(failed.length, 10);
    assert.equal(outcomes.filter((one) => one.status === 'rejected' && throttled(one.reason)).length, 20);
    // Even the right password is not looked at now, from wherever.
    const right = { authorization: basic(username, PASSWORD), address: '198.51.100.1' };
    await assert.rejects(auth.authenticate(asking(right)), throttled);
    await assert.rejects(
      auth.authenticate(asking({ authorization: digest(auth, 'SHA-256', PASSWORD).replace('ada', username) })),
      throttled,
    );
    await assert.rejects(auth.checkPassword(username, PASSWORD, '198.51.100.1'), throttled);
    time.now += 30_000;
    if (username === 'ada') assert.ok(await auth.authenticate(asking(right)));
    else await assert.rejects(auth.authenticate(asking(right)), wrong);
  }
});

test('keys are guessed at the pace of an address', async (t) => {
  const { auth, key } = await start(t);
  const guesses = await Promise.allSettled(
    Array.from({ length: 110 }, (_, i) => auth.signIn({ key: String(i).padStart(40, '0') }, '2001:db8::1', null)),
  );
  assert.equal(guesses.filter(({ status }) => status === 'fulfilled').length, 100);
  await assert.rejects(auth.signIn({ key }, '2001:db8::2', null), throttled);
  assert.ok('token' in (await auth.signIn({ key }, '2001:db8:0:1::1', null)));
});

test('many requests at once with the right password are no failures, and are hashed once', async (t) => {
  const { auth } = await start(t);
  const identities = await Promise.all(
    Array.from({ length: 200 }, () => auth.authenticate(asking({ authorization: basic('ada', PASSWORD) }))),
  );
  for (const identity of identities) assert.equal(identity?.scheme, 'basic');
});

// Section 5 of the interface: who gets in, by what, and what everybody else is told.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, Client, type Answer, type Sending } from '../http.ts';
import { PASSWORD, World } from '../world.ts';
import { basic, challengesOf, digestAnswer, xToken } from './credentials.ts';

const world = await World.open();
after(() => world.close());
const key = await world.addAccount('anna');
const anna = await Client.signIn(world.http, { key });
const entrance = await ask(anna.gateway.url);
const addresses = { token: entrance.link('token_url'), basic: entrance.link('auth_basic_url'), digest: entrance.link('auth_digest_url') };
const schemes = { token: ['X-Token'], basic: ['Basic'], digest: ['Digest', 'Digest'] };

const signIn = (credentials: unknown, more: Sending = {}): Promise<Answer> => ask(addresses.token, { ...more, json: credentials });
const tokenOf = (answer: Answer): string => new URL(answer.location).searchParams.get('_token') ?? '';
const newToken = async (): Promise<string> => tokenOf(await signIn({ key }));
const gateway = (sending: Sending = {}, query = ''): Promise<Answer> => ask(anna.gateway.url + query, sending);

test('an address asked by nobody answers 401 with a challenge of every scheme and the ways in', async () => {
  assert.equal(entrance.status, 401);
  assert.deepEqual(challengesOf(entrance), ['Basic', 'Digest', 'Digest', 'X-Token']);
  assert.deepEqual(entrance.object, {
    _status: 401,
    _error: 'not authenticated',
    _detail: entrance.object['_detail'],
    token_url: 'token',
    auth_basic_url: 'auth-basic',
    auth_digest_url: 'auth-digest',
  });
});

test('when the answer is HTML only X-Token is asked for, and the page signs in', async () => {
  const page = await gateway({ headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, challengesOf(page)], [401, ['X-Token']]);
  const action = /<form[^>]* method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const signedIn = await ask(new URL(action, page.url).href, {
    form: { username: 'anna', password: PASSWORD },
    headers: { accept: 'text/html', origin: world.http, 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(signedIn.status, 303);
});

for (const name of ['token', 'basic', 'digest'] as const) {
  const address = addresses[name];
  test(`${new URL(address).pathname}: GET and HEAD by nobody are 401 with its own challenge alone`, async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(address, { method });
      assert.deepEqual([answer.status, challengesOf(answer)], [401, schemes[name]], method);
    }
  });

  test(`${new URL(address).pathname}: GET and HEAD by whoever is authenticated, by any scheme, redirect to the gateway`, async () => {
    const uri = new URL(address).pathname;
    const nonce = await ask(addresses.digest);
    const ways = [
      xToken(anna.token),
      basic('anna', PASSWORD),
      digestAnswer(nonce, { username: 'anna', password: PASSWORD, uri, algorithm: 'SHA-256', count: 1 }),
      digestAnswer(nonce, { username: 'anna', password: PASSWORD, uri, algorithm: 'MD5', count: 2, method: 'HEAD' }),
    ];
    for (const [i, authorization] of ways.entries()) {
      const answer = await ask(address, { method: i === 3 ? 'HEAD' : 'GET', headers: { authorization } });
      assert.deepEqual([answer.status, answer.headers.location], [303, 'gateway'], authorization);
    }
  });

  test(`${new URL(address).pathname}: what it does not take is 405 with Allow, whoever asks`, async () => {
    const wrong = name === 'token' ? ['PUT', 'PATCH'] : ['POST', 'PUT', 'DELETE'];
    for (const method of wrong)
      for (const authorization of [undefined, xToken(anna.token), basic('anna', PASSWORD), basic('anna', 'wrong password'), 'nonsense']) {
        const answer = await ask(address, { method, headers: authorization === undefined ? {} : { authorization }, body: 'x=1' });
        assert.equal(answer.status, 405, `${method} ${authorization ?? ''}`);
        assert.equal(answer.headers.allow, name === 'token' ? 'GET, HEAD, POST, DELETE, OPTIONS' : 'GET, HEAD, OPTIONS');
        assert.equal(answer.headers['www-authenticate'], undefined);
      }
    const options = await ask(address, { method: 'OPTIONS' });
    assert.deepEqual([options.status, options.headers.allow?.includes('GET')], [200, true]);
  });
}

test('a POST to token by JSON, XML and form, by password and by key, redirects to the gateway with the token, and sets the cookie', async () => {
  const day = 86_400;
  const bodies: [Sending, seconds: number][] = [
    [{ json: { username: 'anna', password: PASSWORD } }, day],
    [{ json: { key: key.toUpperCase(), duration: null } }, day],
    [
      {
        xml: `<?xml version="1.0"?><root type="object"><username>anna</username><password>${PASSWORD}</password><duration>60</duration></root>`,
      },
      60,
    ],
    [{ form: { username: 'anna', password: PASSWORD, duration: '60' } }, 60],
    [{ form: { key, username: '', password: '' } }, day],
  ];
  for (const [body, seconds] of bodies) {
    const answer = await ask(addresses.token, body);
    assert.equal(answer.status, 303, answer.text);
    assert.match(answer.headers.location ?? '', /^gateway\?_token=[\w-]+$/);
    const [cookie = '', ...attributes] = (answer.headers['set-cookie']?.[0] ?? '').split('; ');
    assert.equal(cookie, `token=${tokenOf(answer)}`);
    const expires = attributes.find((attribute) => attribute.startsWith('expires='))?.slice(8) ?? '';
    assert.equal(new Date(expires).toUTCString(), expires);
    assert.ok(Math.abs(Date.parse(expires) - Date.now() - seconds * 1000) < 10_000, expires);
    assert.deepEqual(new Set(attributes), new Set([`expires=${expires}`, 'Path=/rest/v2/', 'HttpOnly', 'SameSite=Lax']));
    assert.equal((await ask(answer.location)).object['token_valid'], true);
  }
});

test('bad credentials are 400, the same whether the user exists or not, and all that is wrong is said at once', async () => {
  for (const [given, status, wanted] of [
    [{ username: 'anna', password: 'wrong password' }, 400, { username: 'invalid', password: 'invalid' }],
    [{ username: 'nobody', password: 'wrong password' }, 400, { username: 'invalid', password: 'invalid' }],
    [{ username: 'anna' }, 400, { password: 'empty' }],
    [{}, 400, { username: 'empty', password: 'empty' }],
    [{ key: 'f'.repeat(40) }, 400, { key: 'invalid' }],
    [{ key: 'no key at all' }, 400, { key: 'invalid' }],
    [{ key: '' }, 400, { key: 'empty' }],
    [{ key, duration: 0 }, 400, { duration: 'invalid' }],
    [{ key, duration: 86_401 }, 400, { duration: 'invalid' }],
    [{ key, duration: 1.5 }, 400, { duration: 'invalid' }],
    [{ key, duration: '60' }, 400, { duration: 'invalid' }],
    [{ key: 'f'.repeat(40), duration: -1 }, 400, { key: 'invalid', duration: 'invalid' }],
    [{ username: ['anna'], password: { a: 1 } }, 400, { username: 'invalid', password: 'invalid' }],
  ] as const) {
    const answer = await signIn(given);
    assert.deepEqual([answer.status, answer.object], [status, wanted], JSON.stringify(given));
    assert.equal(answer.headers['set-cookie'], undefined);
  }
  for (const duration of [1, 86_400]) assert.equal((await signIn({ key, duration })).status, 303);
  const xml = await ask(`${addresses.token}?_format=xml`, { json: { key: 'wrong' } });
  assert.equal(xml.status, 400);
  assert.match(xml.text, /<root type="object"><key>invalid<\/key><\/root>/);
});

test('a token lets in by header, by address and by cookie; the gateway says by what, and shows it unless it came by cookie', async () => {
  const token = await newToken();
  for (const [answer, shown] of [
    [await gateway({ headers: { authorization: xToken(token) } }), token],
    [await gateway({}, `?_token=${token}`), token],
    [await gateway({ headers: { cookie: `other=1; token=${token}` } }), undefined],
  ] as const) {
    const { token: told, token_valid, auth_basic_valid, auth_digest_valid } = answer.object;
    assert.deepEqual(
      { told, token_valid, auth_basic_valid, auth_digest_valid },
      { told: shown, token_valid: true, auth_basic_valid: undefined, auth_digest_valid: undefined },
    );
  }
  const byBasic = await gateway({ headers: { authorization: basic('anna', PASSWORD) } });
  assert.deepEqual(
    [byBasic.object['auth_basic_valid'], byBasic.object['token_valid'], byBasic.object['token']],
    [true, undefined, undefined],
  );
  const authorization = digestAnswer(await gateway(), {
    username: 'anna',
    password: PASSWORD,
    uri: '/rest/v2/gateway',
    algorithm: 'SHA-256',
    count: 1,
  });
  const byDigest = await gateway({ headers: { authorization } });
  assert.deepEqual([byDigest.object['auth_digest_valid'], byDigest.object['token_valid']], [true, undefined]);
});

test('a credential sent on purpose that is wrong is 401 even when another one is right; a stale cookie beside a right one is ignored', async () => {
  const token = await newToken();
  const cookie = `token=${token}`;
  const stale = 'token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const wrong = 'A'.repeat(43);
  for (const [sending, query, status] of [
    [{ authorization: xToken(wrong), cookie }, '', 401],
    [{ authorization: xToken(wrong) }, `?_token=${token}`, 401],
    [{ authorization: basic('anna', 'wrong password'), cookie }, '', 401],
    [{ authorization: 'Bearer abc', cookie }, '', 401],
    [{ authorization: xToken(token) }, `?_token=${wrong}`, 401],
    [{ cookie }, `?_token=${wrong}`, 401],
    [{ cookie }, '?_token=', 401],
    [{}, `?_token=${token}&_token=${wrong}`, 401],
    [{ cookie: stale }, '', 401],
    [{ cookie: stale, authorization: xToken(token) }, '', 200],
    [{ cookie: stale }, `?_token=${token}`, 200],
    [{ cookie: stale, authorization: basic('anna', PASSWORD) }, '', 200],
  ] as const)
    assert.equal((await gateway({ headers: sending }, query)).status, status, `${JSON.stringify(sending)} ${query}`);
});

test('the redirect carries the persistent parameters; _token is repeated on links only until the client returns cookies', async () => {
  const answer = await signIn({ key });
  const withMore = await ask(`${addresses.token}?_format=xml&_tz=Asia/Tokyo&_foo=a%20b&plain=1&_token=old`, { json: { key } });
  const to = new URL(withMore.location);
  assert.match(withMore.headers.location ?? '', /^gateway\?_token=/);
  assert.notEqual(to.searchParams.get('_token'), 'old');
  to.searchParams.delete('_token');
  assert.deepEqual(
    [...to.searchParams],
    [
      ['_format', 'xml'],
      ['_tz', 'Asia/Tokyo'],
      ['_foo', 'a b'],
    ],
  );

  const token = tokenOf(answer);
  const without = await ask(answer.location);
  assert.equal(new URL(without.link('trackers_url')).searchParams.get('_token'), token);
  const withCookie = await ask(answer.location, { headers: { cookie: `token=${token}` } });
  assert.equal(withCookie.object['trackers_url'], 'trackers');
  const again = await ask(`${addresses.token}?_tz=Asia/Tokyo`, { headers: { authorization: xToken(token) } });
  assert.equal(again.headers.location, 'gateway?_tz=Asia%2FTokyo');
});

test('DELETE token revokes the token presented and clears the cookie; the others live on', async () => {
  const [token, other] = [await newToken(), await newToken()];
  assert.deepEqual(challengesOf(await ask(addresses.token, { method: 'DELETE' })), ['X-Token']);
  const revoked = await ask(addresses.token, { method: 'DELETE', headers: { authorization: xToken(token) } });
  assert.deepEqual([revoked.status, revoked.text], [200, '']);
  assert.match(revoked.headers['set-cookie']?.[0] ?? '', /^token=; expires=Thu, 01 Jan 1970/);
  assert.equal((await gateway({ headers: { authorization: xToken(token) } })).status, 401);
  assert.equal((await gateway({ headers: { authorization: xToken(other) } })).status, 200);
});

test('tokens lists the live ones without the token itself, and DELETE on one revokes it', async () => {
  const bert = await world.newClient('bert');
  const second = tokenOf(await signIn({ username: 'bert', password: PASSWORD }, { headers: { 'user-agent': 'a phone' } }));
  const list = await bert.go('tokens_url');
  assert.ok(!list.text.includes(second) && !list.text.includes(bert.token));
  assert.deepEqual(
    list.list('tokens').map(({ current, label }) => ({ current, label })),
    [
      { current: true, label: null },
      { current: false, label: 'a phone' },
    ],
  );
  const address = list.link('url', list.list('tokens')[1]);
  assert.equal((await anna.ask(address, { method: 'DELETE' })).status, 404, "another account's");
  assert.equal((await bert.ask(address, { method: 'DELETE' })).status, 200);
  assert.equal((await ask(bert.gateway.url, { headers: { authorization: xToken(second) } })).status, 401);
  assert.equal((await bert.go('tokens_url')).list('tokens').length, 1);
});

test('a new password needs the current one, revokes every token, and is the only one that lets in', async () => {
  const carl = await world.newClient('carl');
  const account = await carl.go('account_url');
  const put = (json: unknown): Promise<Answer> => carl.ask(account.url, { method: 'PUT', json });
  assert.deepEqual((await put({ password: 'another password' })).object, { current_password: 'empty' });
  assert.deepEqual((await put({ password: 'another password', current_password: 'wrong password' })).object, {
    current_password: 'invalid',
  });
  assert.deepEqual((await put({ password: 'short', current_password: PASSWORD })).object, { password: 'invalid' });
  assert.equal((await put({ password: 'another password', current_password: PASSWORD })).status, 200);
  assert.equal((await carl.ask(account.url)).status, 401);
  const byBasic = (password: string): Promise<Answer> => ask(account.url, { headers: { authorization: basic('carl', password) } });
  assert.deepEqual([(await byBasic(PASSWORD)).status, (await byBasic('another password')).status], [401, 200]);
  const authorization = digestAnswer(await gateway(), {
    username: 'carl',
    password: 'another password',
    uri: '/rest/v2/account',
    algorithm: 'MD5',
    count: 1,
  });
  assert.equal((await ask(account.url, { headers: { authorization } })).status, 200);
});

test('a new web service key is shown once, and the old one is worth nothing', async () => {
  const oldKey = await world.addAccount('dora');
  const dora = await Client.signIn(world.http, { key: oldKey });
  const account = await dora.go('account_url');
  assert.equal(account.object['key_hint'], oldKey.slice(-4));
  const made = await dora.ask(account.link('key_url'), { method: 'POST' });
  const newKey = String(made.object['key']);
  assert.match(newKey, /^[0-9a-f]{40}$/);
  assert.ok(!(await dora.ask(account.link('key_url'))).text.includes(newKey));
  assert.deepEqual([(await signIn({ key: oldKey })).status, (await signIn({ key: newKey })).status], [400, 303]);
});

test('after repeated wrong passwords further attempts are 429 with Retry-After, for a user that exists and one that does not', async () => {
  await world.addAccount('eve');
  for (const username of ['eve', 'nobody at all']) {
    const answers = [];
    for (let i = 0; i < 12; i++) answers.push(await signIn({ username, password: `wrong ${i}` }));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array<number>(10).fill(400), 429, 429],
      username,
    );
    assert.ok(Number(answers.at(-1)?.headers['retry-after']) >= 1);
    assert.equal(answers.at(-1)?.object['_status'], 429);
    const byBasic = await gateway({ headers: { authorization: basic(username, 'wrong') } });
    assert.equal(byBasic.status, 429);
  }
  assert.equal((await signIn({ username: 'eve', password: PASSWORD })).status, 429, 'the right password tells nothing either');
  assert.equal((await signIn({ username: 'anna', password: PASSWORD })).status, 303, 'others are not locked out');
});

test('a change that a page of another site asks for with a cookie is 403; with a token shown on purpose it is not', async () => {
  const cookie = `token=${anna.token}`;
  const address = anna.gateway.link('trackers_url');
  const post = (headers: Record<string, string>, url = address): Promise<Answer> => ask(url, { json: {}, headers });
  for (const foreign of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
  ]) {
    assert.equal((await post({ cookie, ...foreign })).status, 403, JSON.stringify(foreign));
    assert.equal((await post({ ...foreign }, `${address}?_token=${anna.token}`)).status, 400);
    assert.equal((await post({ ...foreign, authorization: xToken(anna.token) })).status, 400);
    assert.equal((await ask(address, { headers: { cookie, ...foreign } })).status, 200, 'reading is left to the browser');
    assert.equal((await ask(addresses.token, { json: { key }, headers: foreign })).status, 403, 'nor does it sign anybody in');
  }
  assert.equal((await post({ cookie, 'sec-fetch-site': 'same-origin', origin: world.http })).status, 400);
  assert.equal((await post({ cookie })).status, 400, 'no browser');
});

test('a Digest answer is good once: the same count again, and a nonce that is not ours, are stale and name a new one', async () => {
  const challenge = await ask(addresses.digest);
  const answer = (count: number, more = {}): string =>
    digestAnswer(challenge, { username: 'anna', password: PASSWORD, uri: '/rest/v2/gateway', algorithm: 'SHA-256', count, ...more });
  const get = (authorization: string): Promise<Answer> => gateway({ headers: { authorization } });
  assert.equal((await get(answer(1))).status, 200);
  assert.equal((await get(answer(3))).status, 200);
  assert.equal((await get(answer(2))).status, 200, 'overtaken on its way');
  for (const replay of [answer(1), answer(3), answer(4, { nonce: 'x'.repeat(44) })]) {
    const refused = await get(replay);
    assert.equal(refused.status, 401);
    assert.match(refused.distinct['www-authenticate']?.join() ?? '', /stale=true/);
  }
  const wrong = await get(answer(5, { password: 'wrong password' }));
  assert.equal(wrong.status, 401);
  assert.doesNotMatch(wrong.distinct['www-authenticate']?.join() ?? '', /stale=true/);
  assert.equal((await get(answer(6, { uri: '/rest/v2/account' }))).status, 401, 'made for another address');
  assert.equal((await gateway({ method: 'HEAD', headers: { authorization: answer(7) } })).status, 401, 'made for another method');
});

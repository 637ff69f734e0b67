// Requests that nobody means well with, or that few clients send: each gets a clear answer, and the service lives on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { ask, type Client } from '../http.ts';
import { PASSWORD, World } from '../world.ts';

let world: World;
let anna: Client;

before(async () => {
  world = await World.open('--registration', 'open');
  anna = await world.newClient('anna');
});
after(() => world.close());
afterEach(async () => assert.equal((await anna.go('account_url')).status, 200, 'the service lives on'));

/** What comes back for these very bytes, until the server ends the connection. */
async function raw(request: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(world.http);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  socket.end(request);
  await once(socket, 'close');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
}

const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: waypost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

test('an address that is no UTF-8 is 400 or 404, in every format', async () => {
  for (const path of [
    '/rest/v2/%zz',
    '/rest/v2/%ff',
    '/rest/v2/trackers/%zz',
    '/%zz',
    '/rest/v2/trackers/%00',
    '/rest/v2/%E0%A4%A',
    'http://waypost/rest/v2/%zz',
  ])
    for (const accept of ['application/json', 'application/xml', 'text/html']) {
      const { status, text } = await raw(head(`GET ${path} HTTP/1.1`, `Accept: ${accept}`, `Authorization: X-Token ${anna.token}`));
      assert.ok([400, 404].includes(status), `${path}: ${text}`);
    }
});

test('what cannot be read as a request is refused in our own words', async () => {
  for (const [request, expected] of [
    ['NONSENSE\r\n\r\n', 400],
    [head('GET /rest/v2/gateway HTTP/1.1', 'Content-Length: 3', 'Content-Length: 4'), 400],
    [head('POST /rest/v2/token HTTP/1.1', 'Content-Length: 3', 'Transfer-Encoding: chunked'), 400],
    [head('GET /rest/v2/gateway HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`), 431],
  ] as const) {
    const { status, text } = await raw(request);
    assert.equal(status, expected);
    assert.equal((JSON.parse(text.slice(text.indexOf('{'))) as Record<string, unknown>)['_status'], expected);
  }
});

test('a request line may hold the whole address: links stay relative, and never only a query', async () => {
  const { text } = await raw(head('GET http://waypost/rest/v2/live?_tz=UTC HTTP/1.1', `Authorization: X-Token ${anna.token}`));
  const { url } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as { url: string };
  assert.equal(url, 'live?_tz=UTC');
});

test('a method that hardly anybody uses is 405 with Allow, as any other', async () => {
  for (const method of ['PROPFIND', 'PATCH', 'TRACE', 'LINK']) {
    const answer = await anna.ask(anna.gateway.link('zones_url'), { method });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.allow, 'GET, HEAD, POST, OPTIONS');
  }
});

test('a compressed body is 415, one that is too large 413, where nobody is known already above 16 KiB', async () => {
  const sample = anna.gateway.link('sample_url');
  assert.equal(
    (await anna.ask(sample, { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }))
      .status,
    415,
  );
  assert.equal((await anna.ask(sample, { method: 'PUT', json: { a: 'x'.repeat(1_100_000) } })).status, 413);
  assert.equal((await ask(anna.gateway.link('token_url'), { json: { username: 'x'.repeat(20_000), password: 'y' } })).status, 413);
});

test('persistent parameters are bounded, because every link repeats them', async () => {
  const long = await anna.ask(`${anna.gateway.link('timezones_url')}?_x=${'x'.repeat(1000)}`);
  assert.equal(long.status, 400);
  assert.ok(long.bytes.length < 1000);
  assert.equal((await anna.ask(`${anna.gateway.link('timezones_url')}?_x=${'x'.repeat(900)}`)).status, 200);
});

test('links keep the token of the address unless the cookie is the same one: whose data is shown never changes on the way', async () => {
  const carol = await world.newClient('carol');
  const gateway = `${anna.gateway.link('url')}?_token=${anna.token}`;
  for (const cookie of [carol.token, 'stale', '']) {
    const answer = await ask(gateway, { headers: { cookie: `token=${cookie}` } });
    assert.equal((await ask(answer.link('account_url'), { headers: { cookie: `token=${cookie}` } })).object['username'], 'anna', cookie);
  }
  const own = await ask(gateway, { headers: { cookie: `token=${anna.token}` } });
  assert.equal(own.object['account_url'], 'account');
});

test('the ways in do not carry the token that was refused', async () => {
  const refused = await ask(`${anna.gateway.link('url')}?_token=${'x'.repeat(43)}&_tz=UTC`);
  assert.equal(refused.status, 401);
  assert.equal(refused.object['auth_basic_url'], 'auth-basic?_tz=UTC');
});

test('a password that could not be presented is refused when it is set, and half a change is none', async () => {
  const account = anna.gateway.link('account_url');
  const answer = await anna.ask(account, { method: 'PUT', json: { name: 'half', password: 'abc\tdefghij', current_password: PASSWORD } });
  assert.deepEqual([answer.status, answer.object], [400, { password: 'invalid' }]);
  assert.notEqual((await anna.ask(account)).object['name'], 'half');
});

test('user names cannot be listed through registration', async () => {
  const registration = new URL('registration', anna.gateway.link('url')).href;
  const statuses: number[] = [];
  for (let i = 0; i < 25; i++) statuses.push((await ask(registration, { json: { username: 'anna', password: PASSWORD } })).status);
  assert.equal(statuses[0], 409);
  assert.equal(statuses.at(-1), 429);
});

test('a tracker that was read can be saved while it drives on: only a new reading is a calibration', async () => {
  const imei = '490154203237518';
  const tracker = await anna.addTracker(imei);
  const now = Math.floor(Date.now() / 1000);
  const report = (ts: number, odometer_dist: number) =>
    anna.ask(tracker.link('positions_url'), { json: { ts, latitude: 1, longitude: 2, odometer_dist } });
  await report(now - 20, 100.5);
  const read = await anna.ask(tracker.url);
  await report(now - 10, 101.5);
  const saved = await anna.ask(tracker.url, {
    method: 'PUT',
    json: { ...read.object, name: 'renamed' },
    headers: { 'if-match': read.headers.etag ?? '' },
  });
  assert.deepEqual([saved.status, saved.object['name'], saved.object['odometer_dist']], [200, 'renamed', 101.5]);
  const calibrated = await anna.ask(tracker.url, { method: 'PUT', json: { odometer_dist: 50 } });
  assert.equal(calibrated.object['odometer_dist'], 50);
  await report(now - 5, 102.5);
  assert.equal((await anna.ask(tracker.url)).object['odometer_dist'], 51);
  // A device that was replaced counts from 0 again: what is shown stays a distance, and can be saved as it is.
  await report(now, 0);
  const replaced = await anna.ask(tracker.url);
  assert.equal(replaced.object['odometer_dist'], 0);
  assert.equal((await anna.ask(tracker.url, { method: 'PUT', json: replaced.object })).status, 200);
});

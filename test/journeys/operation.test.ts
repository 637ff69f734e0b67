// What an operator relies on: metrics, health, logs without secrets, retention, and limits that hold.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { encodeLogin, encodeTcp } from '../../src/protocols/teltonika/encode.ts';
import { Device, record } from '../devices.ts';
import { ask, Client, type Thing } from '../http.ts';
import { PASSWORD, until, World } from '../world.ts';
import { basic, digestAnswer, xToken } from './credentials.ts';

const flags = [
  '--log-level',
  'debug',
  '--retention-interval',
  '1',
  '--login-timeout',
  '1',
  '--body-limit',
  '4096',
  '--max-connections-per-address',
  '4',
];
const world = await World.open(...flags);
after(() => world.close());
const key = await world.addAccount('anna');
const anna = await Client.signIn(world.http, { key });
const imei = '356307042441013';
const day = 86_400_000;
const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const monitor = (path: string) => ask(`${world.listening.metrics ?? ''}${path}`);

const connections = (count: number): Promise<true> =>
  until(`${count} devices are connected`, async () =>
    (await world.metric('waypost_device_connections', { transport: 'tcp' })) === count ? true : null,
  );

/** The log as objects; every line must be one. */
const logged = (): Thing[] =>
  world.log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Thing);

test('metrics are Prometheus text, on a port of their own', async () => {
  await anna.addTracker(imei);
  const device = await Device.login(world.place('teltonika', 'tcp'), imei);
  await device.send([record(hour), record(hour + 1000)]);
  await device.send([record(hour)]);
  const { headers, text } = await monitor('/metrics');
  assert.match(headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  for (const line of text.split('\n').filter(Boolean))
    assert.match(line, /^(# (HELP|TYPE) [a-z_:0-9]+ .+|[a-z_:][a-z_:0-9]*(\{[^}]*\})? \S+)$/);
  assert.equal(await world.metric('waypost_positions_stored_total'), 2);
  assert.equal(await world.metric('waypost_positions_repeated_total'), 1);
  assert.equal(await world.metric('waypost_reports_acknowledged_total', { protocol: 'teltonika', transport: 'tcp' }), 3);
  assert.equal(await world.metric('waypost_frames_total', { transport: 'tcp' }), 3);
  assert.equal(await world.metric('waypost_device_connections', { transport: 'tcp' }), 1);
  assert.ok((await world.metric('waypost_received_bytes_total')) > 100);
  assert.ok((await world.metric('waypost_commit_seconds_count')) >= 2);
  assert.ok((await world.metric('waypost_http_request_seconds_count', { route: '/rest/v2/trackers', status: '303' })) === 1);
  assert.ok(!text.includes(imei), 'no values of addresses');
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'waypost_frames_refused_total',
    'waypost_connections_cut_total',
    'waypost_unknown_devices_total',
    'waypost_reports_failed_total',
    'waypost_requests_dropped_total',
    'waypost_live_watchers',
  ])
    assert.match(text, new RegExp(`^# TYPE ${name} `, 'm'));
  device.close();
});

test('health and readiness are answered there and beside the interface, without a password', async () => {
  for (const path of ['/health', '/ready']) {
    assert.deepEqual([(await monitor(path)).status, (await ask(world.http + path)).status], [200, 200]);
  }
  assert.equal((await monitor('/nothing')).status, 404);
  assert.equal((await ask(`${world.http}/metrics`)).status, 404, 'metrics are not for everybody');
});

test('retention deletes what is older than a tracker keeps, and nothing else', async () => {
  const keeping = await anna.addTracker('356307042441021', {});
  const forgetting = await anna.addTracker('356307042441039', {});
  const positions = (from: number): unknown => ({
    positions: Array.from({ length: 20 }, (_, i) => ({ ts: Math.floor(from / 1000) + i, latitude: 1, longitude: 2 })),
  });
  for (const tracker of [keeping, forgetting])
    for (const from of [hour - 30 * day, hour - 2 * day, hour - 60_000])
      assert.equal((await anna.ask(tracker.link('positions_url'), { json: positions(from) })).status, 303);
  assert.equal((await anna.ask(forgetting.url, { method: 'PUT', json: { data_retention: 1 } })).status, 200);
  await until('old positions are gone', async () => ((await anna.positions(forgetting)).length === 20 ? true : null));
  const left = await anna.positions(forgetting);
  assert.ok(left.every(({ ts }) => Number(ts) * 1000 > hour - day));
  assert.equal((await anna.positions(keeping)).length, 60);
  assert.equal((await anna.ask(forgetting.url)).object['pos_ts'], left.at(-1)?.['ts']);
});

test('the positions of a removed tracker are out of reach at once and deleted soon; its IMEI can be registered anew, empty', async () => {
  const removed = '356307042441047';
  const tracker = await anna.addTracker(removed);
  const device = await Device.login(world.place('teltonika', 'tcp'), removed);
  await device.send(Array.from({ length: 30 }, (_, i) => record(hour + i)));
  assert.equal((await anna.ask(tracker.url, { method: 'DELETE' })).status, 200);
  assert.equal(await device.send([record(hour + 5000)]), null, 'what it sends goes nowhere and is not acknowledged');
  assert.equal((await anna.ask(tracker.link('positions_url'))).status, 404);
  assert.deepEqual(await anna.positions(await anna.addTracker(removed)), []);
  const database = new DatabaseSync(join(world.data, 'waypost.db'), { readOnly: true });
  const orphans = database.prepare('select count(*) as n from positions where tracker_id not in (select id from trackers)');
  await until('they are deleted', () => ((orphans.get() as { n: number }).n === 0 ? true : null));
  database.close();
});

test('a device that does not say who it is in time is cut off, and so is one connection too many from one address', async () => {
  const tcp = world.place('teltonika', 'tcp');
  await connections(0);
  const silent = await Promise.all([1, 2, 3, 4].map(() => Device.connect(tcp)));
  await connections(4);
  const fifth = await Device.connect(tcp);
  assert.equal(await fifth.exchange(encodeLogin(imei), 1), null);
  assert.equal(await world.metric('waypost_connections_cut_total', { reason: 'address_limit' }), 1);
  for (const device of silent) assert.equal(await device.read(1, 5000), null);
  assert.equal(await world.metric('waypost_connections_cut_total', { reason: 'login_timeout' }), 4);
});

test('a device that trickles its login in, or sends what no device sends, is cut off', async () => {
  await connections(0);
  const slow = await Device.connect(world.place('teltonika', 'tcp'));
  const trickle = setInterval(() => slow.socket.write(Uint8Array.of(0xff)), 100);
  assert.equal(await slow.read(1, 5000), null, 'pings do not buy time');
  clearInterval(trickle);
  const strange = await Device.connect(world.place('teltonika', 'tcp'));
  assert.equal(await strange.exchange(Buffer.from('GET / HTTP/1.1\r\n\r\n'), 1), null);
  const endless = await Device.login(world.place('teltonika', 'tcp'), imei);
  const header = Buffer.from(encodeTcp(0x08, [record(hour)]).subarray(0, 8));
  header.writeUInt32BE(0x7fff_ffff, 4);
  assert.equal(await endless.exchange(header, 1), null, 'no frame is that long');
});

test('a request with a body, a header or an address that is too large is refused, and the service lives on', async () => {
  const large = await anna.ask(anna.gateway.link('sample_url'), { method: 'PUT', json: { driver: { name: 'x'.repeat(5000) } } });
  assert.deepEqual([large.status, large.object['_status']], [413, 413]);
  const header = await ask(anna.gateway.url, { headers: { 'x-long': 'x'.repeat(20_000) } });
  assert.equal(header.status, 431);
  const chunked = await rawRequest(
    `PUT /rest/v2/sample HTTP/1.1\r\nHost: x\r\nAuthorization: X-Token ${anna.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2000\r\n${' '.repeat(0x2000)}\r\n0\r\n\r\n`,
  );
  assert.match(chunked, /^HTTP\/1\.1 413 /);
  assert.match(await rawRequest('GET /rest/v2/gateway HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400 /, 'no Host');
  assert.match(await rawRequest('nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.equal((await anna.ask(anna.gateway.url)).status, 200);
});

/** Sends the bytes as they are; what comes until the other end closes, or 500 ms of silence. */
function rawRequest(text: string): Promise<string> {
  const { hostname, port } = new URL(world.http);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text));
    socket.setTimeout(500, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

test('the log is JSON lines that tell requests and connections apart and hold no token, key or password, whatever is tried', async () => {
  const password = 'sekret passwörd';
  const bertKey = await world.addAccount('bert', password);
  const bert = await Client.signIn(world.http, { username: 'bert', password });
  const { url } = bert.gateway;
  const entrance = await ask(url);
  const cookie = `token=${bert.token}`;
  const digest = digestAnswer(entrance, { username: 'bert', password, uri: '/rest/v2/gateway', algorithm: 'SHA-256', count: 1 });
  const wrongKey = 'abcdef0123'.repeat(4);
  for (const headers of [
    { authorization: xToken(bert.token) },
    { authorization: basic('bert', password) },
    { authorization: basic('bert', 'wrong sekret') },
    { authorization: digest },
    { cookie },
  ])
    await ask(url, { headers });
  await ask(`${url}?_token=${bert.token}`);
  await ask(`${url}x?_token=${bert.token}`);
  await ask(`${world.http}/?_token=${bert.token}`);
  await ask(`${url}?_token=${'w'.repeat(43)}`);
  await ask(entrance.link('token_url'), { json: { key: bertKey } });
  await ask(entrance.link('token_url'), { json: { key: wrongKey } });
  await ask(entrance.link('token_url'), { form: { username: 'bert', password: 'wrong sekret' } });
  await ask(entrance.link('token_url'), { body: `{"password":"wrong sekret"`, headers: { 'content-type': 'application/json' } });
  const newKey = String((await bert.ask((await bert.go('account_url')).link('key_url'), { method: 'POST' })).object['key']);
  await rawRequest(`GET /rest/v2/gateway?_token=${bert.token} HTTP/9.9\r\n\r\n`);
  const last = await bert.ask(bert.gateway.link('account_url'), {
    method: 'PUT',
    json: { password: 'another sekret', current_password: password },
  });
  assert.equal(last.status, 200);

  const id = last.headers['x-request-id'];
  const line = await until('the last request is logged', () => logged().find((one) => one['request'] === id) ?? null);
  assert.deepEqual([line['method'], line['path'], line['status'], line['level']], ['PUT', '/rest/v2/account', 200, 'debug']);
  assert.ok(logged().every((one) => typeof one['time'] === 'string' && typeof one['level'] === 'string' && typeof one['msg'] === 'string'));
  const ids = logged()
    .filter((one) => one['msg'] === 'answered')
    .map((one) => one['request']);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(logged().some((one) => one['imei'] === imei && typeof one['connection'] === 'number' && one['msg'] === 'device logged in'));
  assert.ok(logged().some((one) => one['msg'] === 'sign-in failed' && one['account'] === 'bert'));
  const secrets = [
    bert.token,
    anna.token,
    key,
    bertKey,
    newKey,
    wrongKey,
    'sekret',
    PASSWORD,
    'w'.repeat(43),
    basic('bert', password).slice(6),
    /response="([0-9a-f]+)"/.exec(digest)?.[1] ?? '',
  ];
  for (const secret of secrets) assert.ok(secret.length > 5 && !world.log.includes(secret), secret);
  const stored = new DatabaseSync(join(world.data, 'waypost.db'), { readOnly: true });
  const rows = ['accounts', 'tokens'].map((table) => JSON.stringify(stored.prepare(`select * from ${table}`).all())).join('');
  stored.close();
  for (const secret of secrets) assert.ok(!rows.includes(secret), 'nor does the database');
});

test('while it drains it is not ready but healthy, and what a device had sent is committed and acknowledged before the end', async () => {
  const device = await Device.login(world.place('teltonika', 'tcp'), imei);
  const holder = new DatabaseSync(join(world.data, 'waypost.db'));
  holder.exec('begin immediate');
  const sent = device.send([record(hour + 77_000)]);
  await until('the frame is read', async () =>
    world.log.includes('device logged in') && (await world.metric('waypost_frames_total', { transport: 'tcp' })) > 0 ? true : null,
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  const ended = world.stop();
  await until('it is not ready', async () => ((await monitor('/ready')).status === 503 ? true : null), 3000);
  assert.equal((await monitor('/health')).status, 200);
  await assert.rejects(Device.login(world.place('teltonika', 'tcp'), imei), 'nobody new is let in');
  holder.exec('rollback');
  holder.close();
  assert.equal(await sent, 1);
  assert.equal(await ended, 0);
  const database = new DatabaseSync(join(world.data, 'waypost.db'), { readOnly: true });
  assert.deepEqual({ ...database.prepare('select count(*) as n from positions where time = ?').get(hour + 77_000) }, { n: 1 });
  database.close();
  assert.match(world.log, /"msg":"stopped"/);
});

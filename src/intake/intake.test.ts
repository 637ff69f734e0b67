import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { openLog } from '../basics/log.ts';
import type { Report } from '../kinds/report.ts';
import { osmand } from '../protocols/osmand/osmand.ts';
import { encodeLogin, encodeTcp, encodeUdp, encodeUdpAnswer, type AvlRecord } from '../protocols/teltonika/encode.ts';
import type { StreamProtocol } from '../protocols/protocol.ts';
import { teltonika } from '../protocols/teltonika/teltonika.ts';
import { listenHttp } from './http.ts';
import type { House, Limits, Listener, Tracker } from './intake.ts';
import { createIntakeMetrics } from './metrics.ts';
import { listenTcp } from './tcp.ts';
import { listenUdp } from './udp.ts';

const imei = '356307042441013';
const here = { host: '127.0.0.1', port: 0 };

/** A house of one tracker, whose commits the test lets through, holds or fails. */
class TestHouse implements House {
  known = new Set([imei]);
  accepted: Report[] = [];
  calls = 0;
  strangers: string[] = [];
  /** What `accept` waits for. */
  gate: Promise<void> = Promise.resolve();
  outcome: 'committed' | 'gone' = 'committed';

  async find(asked: string): Promise<Tracker | null> {
    return this.known.has(asked) ? { id: 1, imei: asked } : null;
  }

  async accept(_tracker: Tracker, reports: Report[]): Promise<'committed' | 'gone'> {
    this.calls++;
    await this.gate;
    if (this.outcome === 'committed') this.accepted.push(...reports);
    return this.outcome;
  }

  unknown(asked: string, protocol: string, address: string): void {
    this.strangers.push(`${asked} ${protocol} ${address}`);
  }
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

interface Place {
  house: TestHouse;
  listener: Listener;
  port: number;
  registry: Registry;
}

async function open(transport: 'tcp' | 'udp' | 'http', limits: Partial<Limits> = {}): Promise<Place> {
  const house = new TestHouse();
  const registry = new Registry();
  const options = { log: openLog('silent'), metrics: createIntakeMetrics(registry), limits };
  const { tcp, udp } = teltonika;
  const { http } = osmand;
  assert.ok(tcp && udp && http);
  const listener =
    transport === 'tcp'
      ? await listenTcp({ name: 'teltonika', tcp }, here, house, options)
      : transport === 'udp'
        ? await listenUdp({ name: 'teltonika', udp }, here, house, options)
        : await listenHttp({ name: 'osmand', http }, here, house, options);
  cleanups.push(() => listener.stop());
  const port = Number(listener.address.split(':').at(-1));
  assert.match(listener.address, /^127\.0\.0\.1:\d+$/);
  return { house, listener, port, registry };
}

/** The value of a metric, summed over the label sets that `labels` fits. */
async function metric(registry: Registry, name: string, labels: Record<string, string> = {}): Promise<number> {
  const found = await registry.getSingleMetric(name)?.get();
  assert.ok(found, name);
  const wanted = Object.entries(labels);
  const fits = (set: object): boolean => wanted.every(([key, value]) => Object.entries(set).some(([k, v]) => k === key && v === value));
  return found.values.filter((each) => fits(each.labels)).reduce((sum, { value }) => sum + value, 0);
}

/** A device on TCP that collects what it is told. */
class Device {
  readonly socket: Socket;
  heard = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false });
    this.socket.on('data', (bytes) => (this.heard += bytes.toString('hex')));
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.on('error', () => {});
    cleanups.push(() => this.socket.destroy());
  }

  say(...bytes: Uint8Array[]): this {
    this.socket.write(Buffer.concat(bytes));
    return this;
  }

  async hears(hex: string): Promise<void> {
    await until(() => this.heard.length >= hex.length || this.isClosed, `to hear ${hex}, heard ${this.heard}`);
    assert.equal(this.heard, hex);
  }

  async isHungUp(): Promise<void> {
    await until(() => this.isClosed, 'to be hung up');
  }
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 3000; !(await isSo()); await sleep(2)) assert.ok(Date.now() < end, `waited too long ${what}`);
}

function hold(house: TestHouse): { release(): void; fail(): void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  house.gate = promise;
  return { release: resolve, fail: () => reject(new Error('disk full')) };
}

let clock = 1.7e12;
const records = (count: number): AvlRecord[] =>
  Array.from({ length: count }, () => ({
    time: (clock += 1000),
    longitude: 25,
    latitude: 54,
    satellites: 8,
    elements: [[239, 1, 1]] as const,
  }));
const frame = (count: number): Uint8Array => encodeTcp(8, records(count));
const login = encodeLogin(imei);

test('tcp: login and frames in single bytes are acknowledged once committed', async () => {
  const { house, port, registry } = await open('tcp');
  const device = new Device(port);
  device.socket.setNoDelay(true);
  for (const byte of Buffer.concat([login, frame(2)])) {
    device.socket.write(Uint8Array.of(byte));
    await sleep(0);
  }
  await device.hears('0100000002');
  assert.equal(house.accepted.length, 2);
  assert.equal(await metric(registry, 'waypost_reports_acknowledged_total', { protocol: 'teltonika', transport: 'tcp' }), 2);
  assert.equal(await metric(registry, 'waypost_frames_total'), 2);
  assert.equal(await metric(registry, 'waypost_device_connections'), 1);
  assert.equal(await metric(registry, 'waypost_received_bytes_total'), login.length + frame(2).length);
});

test('tcp: nothing is acknowledged before the commit; frames that came together are acknowledged in order', async () => {
  const { house, port } = await open('tcp');
  const { release } = hold(house);
  const device = new Device(port).say(login, frame(1), frame(2), Uint8Array.of(0xff), frame(3));
  await until(() => house.calls === 1, 'for the commit to begin');
  device.say(frame(4), frame(5).subarray(0, 30));
  await sleep(30);
  assert.equal(device.heard, '01');
  release();
  await device.hears('0100000001000000020000000300000004');
  assert.equal(house.calls, 2);
  assert.equal(house.accepted.length, 10);
  const times = house.accepted.map((report) => report.time ?? 0);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('tcp: a sound frame with a value that cannot be is acknowledged, so that its device goes on', async () => {
  const { house, port, registry } = await open('tcp');
  const [record] = records(1);
  assert.ok(record);
  const device = new Device(port).say(login, encodeTcp(8, [{ ...record, angle: 400 }, { ...record, time: 4e14 }]), frame(1)); // prettier-ignore
  await device.hears('010000000200000001');
  assert.deepEqual(
    house.accepted.map(({ attributes }) => attributes),
    [{ angle: 400 }, { time: '400000000000000' }, undefined],
  );
  assert.equal(await metric(registry, 'waypost_frames_refused_total'), 0);
});

test('tcp: an unknown device is refused and listed', async () => {
  const { house, port, registry } = await open('tcp');
  const device = new Device(port).say(encodeLogin('356307042441021'), frame(1));
  await device.isHungUp();
  assert.equal(device.heard, '00');
  assert.deepEqual(house.strangers, ['356307042441021 teltonika 127.0.0.1']);
  assert.equal(await metric(registry, 'waypost_unknown_devices_total'), 1);
  assert.equal(house.calls, 0);
});

test('tcp: a failed commit is not acknowledged and ends the connection', async () => {
  const { house, port, registry } = await open('tcp');
  const { fail } = hold(house);
  const device = new Device(port).say(login, frame(3));
  await until(() => house.calls === 1, 'for the commit');
  fail();
  await device.isHungUp();
  assert.equal(device.heard, '01');
  assert.equal(await metric(registry, 'waypost_reports_failed_total'), 3);
  assert.equal(await metric(registry, 'waypost_device_connections'), 0);
});

test('tcp: a device whose tracker was removed is hung up without an acknowledgement', async () => {
  const { house, port } = await open('tcp');
  house.outcome = 'gone';
  const device = new Device(port).say(login, frame(1));
  await device.isHungUp();
  assert.equal(device.heard, '01');
});

test('tcp: a bad frame is skipped, a broken stream ends after the good frames before it are acknowledged', async () => {
  const { port, registry } = await open('tcp');
  const device = new Device(port).say(login, frame(1).with(15, 9), frame(2), Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await device.isHungUp();
  assert.equal(device.heard, '0100000002');
  assert.equal(await metric(registry, 'waypost_frames_refused_total', { reason: 'checksum' }), 1);
  assert.equal(await metric(registry, 'waypost_frames_refused_total', { reason: 'syntax' }), 1);
});

test('tcp: endless bad frames, too long ones and strangers are hung up', async () => {
  const { port, registry } = await open('tcp');
  const bad = frame(1).with(15, 9);
  await new Device(port).say(login, ...Array.from({ length: 20 }, () => bad)).isHungUp();
  assert.equal(await metric(registry, 'waypost_connections_cut_total', { reason: 'bad_frames' }), 1);
  await new Device(port).say(login, Uint8Array.of(0, 0, 0, 0, 0, 0, 0xff, 0xff)).isHungUp();
  await new Device(port).say(Buffer.from('\x16\x03\x01 something else')).isHungUp();
  assert.equal(await metric(registry, 'waypost_frames_refused_total', { reason: 'length' }), 1);
  assert.equal(await metric(registry, 'waypost_frames_refused_total', { reason: 'identity' }), 1);
});

test('tcp: a device that says that it is done is still acknowledged', async () => {
  const { house, port, registry } = await open('tcp');
  const { release } = hold(house);
  const device = new Device(port);
  device.socket.end(Buffer.concat([login, frame(2), frame(1).subarray(0, 9)]));
  await until(() => house.calls === 1, 'for the commit');
  await sleep(20);
  release();
  await device.isHungUp();
  assert.equal(device.heard, '0100000002');
  assert.equal(await metric(registry, 'waypost_frames_refused_total', { reason: 'truncated' }), 1);
});

test('tcp: slow logins and silent devices are cut off, trickling or not', async () => {
  const { port, registry } = await open('tcp', { loginTimeout: 80, idleTimeout: 400 });
  const mute = new Device(port);
  const trickling = new Device(port);
  const drip = setInterval(() => trickling.socket.write(Uint8Array.of(0xff)), 10);
  const idle = new Device(port).say(login);
  await Promise.all([mute.isHungUp(), trickling.isHungUp()]);
  clearInterval(drip);
  assert.equal(await metric(registry, 'waypost_connections_cut_total', { reason: 'login_timeout' }), 2);
  assert.equal(idle.isClosed, false);
  await idle.isHungUp();
  assert.equal(await metric(registry, 'waypost_connections_cut_total', { reason: 'idle' }), 1);
});

test('tcp: no more connections than allowed, in all and for one address', async () => {
  const byAddress = await open('tcp', { maxConnectionsPerAddress: 1 });
  const first = new Device(byAddress.port).say(login);
  await first.hears('01');
  await new Device(byAddress.port).isHungUp();
  first.socket.end();
  await first.isHungUp();
  await until(async () => (await metric(byAddress.registry, 'waypost_device_connections')) === 0, 'to be forgotten');
  await new Device(byAddress.port).say(login).hears('01');
  const inAll = await open('tcp', { maxConnections: 1 });
  await new Device(inAll.port).say(login).hears('01');
  await new Device(inAll.port).isHungUp();
  assert.equal(await metric(inAll.registry, 'waypost_connections_cut_total', { reason: 'limit' }), 1);
});

test('tcp: a device that floods while a commit waits is held back, and loses nothing', async () => {
  const { house, port, registry } = await open('tcp');
  const { release } = hold(house);
  const one = frame(25);
  const count = 8000;
  const device = new Device(port).say(login, one);
  await until(() => house.calls === 1, 'for the commit');
  for (let i = 1; i < count; i++) device.socket.write(one);
  await sleep(100);
  const taken = await metric(registry, 'waypost_received_bytes_total');
  assert.ok(taken < 300_000, `took ${taken} bytes while it was busy`);
  release();
  await until(() => device.heard.length === 2 + 8 * count || device.isClosed, 'for all acknowledgements');
  assert.equal(house.accepted.length, 25 * count);
});

test('tcp: a device that does not read is cut off', async () => {
  // A protocol of large replies, because the systems on both sides hold megabytes of small ones.
  const large = new Uint8Array(15_000);
  const loud: StreamProtocol = {
    maxFrame: 1,
    read: (bytes) => (bytes.length === 0 ? null : { consumed: 1, message: { kind: 'login', imei, accept: large, refuse: large } }),
  };
  const registry = new Registry();
  const listener = await listenTcp({ name: 'loud', tcp: loud }, here, new TestHouse(), {
    log: openLog('silent'),
    metrics: createIntakeMetrics(registry),
  });
  cleanups.push(() => listener.stop());
  const device = new Device(Number(listener.address.split(':').at(-1)));
  device.socket.pause();
  device.say(new Uint8Array(2000));
  await until(async () => (await metric(registry, 'waypost_connections_cut_total', { reason: 'unread_replies' })) === 1, 'to be cut off');
  assert.equal(await metric(registry, 'waypost_device_connections'), 0);
});

test('tcp: stopping finishes what is under way, acknowledges it, and closes', async () => {
  const { house, port, listener } = await open('tcp');
  const idle = new Device(port).say(login);
  await idle.hears('01');
  const { release } = hold(house);
  const busy = new Device(port).say(login, frame(2));
  await until(() => house.calls === 1, 'for the commit');
  const stopped = listener.stop();
  await idle.isHungUp();
  busy.say(frame(3));
  await sleep(20);
  assert.equal(busy.isClosed, false);
  release();
  await stopped;
  await busy.isHungUp();
  assert.equal(busy.heard, '0100000002');
  assert.equal(house.accepted.length, 2);
  const late = new Device(port);
  await late.isHungUp();
});

test('tcp: stopping does not wait for ever', async () => {
  const { house, port, listener } = await open('tcp', { stopTimeout: 60 });
  hold(house);
  const device = new Device(port).say(login, frame(2));
  await until(() => house.calls === 1, 'for the commit');
  await listener.stop();
  await device.isHungUp();
  assert.equal(device.heard, '01');
});

test('a port that is taken is an error of the caller', async () => {
  const { port } = await open('tcp');
  const { tcp } = teltonika;
  assert.ok(tcp);
  const options = { log: openLog('silent'), metrics: createIntakeMetrics(new Registry()) };
  await assert.rejects(listenTcp({ name: 'teltonika', tcp }, { host: '127.0.0.1', port }, new TestHouse(), options), {
    code: 'EADDRINUSE',
  });
});

test('udp: a datagram is answered once committed, and only then', async () => {
  const { house, port, registry, listener } = await open('udp', { maxPending: 2 });
  const socket = createSocket('udp4');
  cleanups.push(() => socket.close());
  const heard: string[] = [];
  socket.on('message', (bytes) => heard.push(bytes.toString('hex')));
  const say = (bytes: Uint8Array) => socket.send(bytes, port, '127.0.0.1');
  const ids = { packet: 0xcafe, avl: 0x33 };
  say(encodeUdp(0x8e, imei, ids, records(3)));
  await until(() => heard.length === 1, 'for the answer');
  assert.deepEqual(heard, [Buffer.from(encodeUdpAnswer(ids, 3)).toString('hex')]);
  assert.equal(heard[0], '0005cafe013303');

  say(Buffer.from('nonsense'));
  say(encodeUdp(8, '356307042441021', ids, records(1)));
  await until(() => house.strangers.length === 1, 'for the stranger');
  await until(async () => (await metric(registry, 'waypost_frames_refused_total')) === 1, 'for the refusal');

  const failing = hold(house);
  say(encodeUdp(8, imei, ids, records(1)));
  await until(() => house.calls === 2, 'for the commit');
  failing.fail();
  await until(async () => (await metric(registry, 'waypost_reports_failed_total')) === 1, 'for the failure');

  const held = hold(house);
  for (let avl = 0; avl < 3; avl++) say(encodeUdp(8, imei, { packet: 1, avl }, records(1)));
  await until(async () => (await metric(registry, 'waypost_requests_dropped_total')) === 1, 'for the drop');
  assert.equal(heard.length, 1);
  const stopped = listener.stop();
  held.release();
  await stopped;
  await until(() => heard.length === 3, 'for the answers');
});

interface Reply {
  status: number;
  body: string;
}

function ask(port: number, method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

test('http: the forms and their statuses', async () => {
  const { house, port, registry } = await open('http');
  const status = async (...request: Parameters<typeof ask> extends [number, ...infer R] ? R : never) =>
    (await ask(port, ...request)).status;
  const json = { 'Content-Type': 'application/json; charset=utf-8' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = (id: string) => JSON.stringify({ device_id: id, location: { coords: { latitude: 1, longitude: 2 } } });
  assert.deepEqual(await ask(port, 'GET', `/?id=${imei}&lat=1&lon=2`), { status: 200, body: '' });
  assert.equal(await status('POST', `/?id=${imei}&lat=1&lon=2`), 200);
  assert.equal(await status('POST', '/', `id=${imei}&lat=1&lon=2`, form), 200);
  assert.equal(await status('POST', '/', body(imei), json), 200);
  assert.equal(house.accepted.length, 4);
  assert.deepEqual(await ask(port, 'GET', '/?id=123456&lat=1&lon=2'), { status: 400, body: 'the device is not registered\n' });
  assert.equal(await status('POST', '/', body('123456'), json), 404);
  assert.deepEqual(house.strangers, ['123456 osmand 127.0.0.1', '123456 osmand 127.0.0.1']);
  assert.deepEqual(await ask(port, 'GET', `/?id=${imei}&lat=x`), { status: 400, body: 'lat must be a number\n' });
  assert.equal(await status('GET', `/?id=${imei}&lat=1e300&lon=2&speed=1e305&batt=500&timestamp=-1`), 200);
  assert.equal(house.accepted.length, 5);
  assert.equal(await status('GET', '/'), 400);
  assert.equal(await status('GET', `/?${'a&'.repeat(300)}`), 400);
  assert.equal(await status('POST', '/', '{', json), 400);
  assert.equal(await status('DELETE', `/?id=${imei}`), 405);
  assert.equal(await status('GET', `/?id=${imei}&x=${'v'.repeat(20_000)}`), 431);
  assert.equal(await status('POST', '/', Buffer.alloc(300_000, 0x20), json), 413);
  house.outcome = 'gone';
  assert.equal(await status('POST', '/', body(imei), json), 404);
  house.outcome = 'committed';
  const { fail } = hold(house);
  const waiting = status('GET', `/?id=${imei}&lat=1&lon=2`);
  await until(() => house.calls === 7, 'for the commit');
  fail();
  assert.equal(await waiting, 503);
  assert.equal(house.accepted.length, 5);
  assert.equal(await metric(registry, 'waypost_reports_acknowledged_total', { protocol: 'osmand', transport: 'http' }), 5);
  assert.equal(await metric(registry, 'waypost_reports_failed_total'), 1);
});

test('http: stopping answers what is under way and drops what has not been said', async () => {
  const { house, port, listener } = await open('http');
  const { release } = hold(house);
  const waiting = ask(port, 'GET', `/?id=${imei}&lat=1&lon=2`);
  const slow = new Device(port).say(Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nid='));
  await until(() => house.calls === 1, 'for the commit');
  const stopped = listener.stop();
  await sleep(20);
  release();
  assert.equal((await waiting).status, 200);
  await stopped;
  await slow.isHungUp();
  assert.equal(slow.heard, '');
});

test('http: slow and broken requests are cut off', async () => {
  const { port } = await open('http', { requestTimeout: 100 });
  const slow = new Device(port).say(Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nid='));
  const broken = new Device(port).say(Buffer.from('\x00\x0f356307042441013'));
  await Promise.all([slow.isHungUp(), broken.isHungUp()]);
  assert.match(Buffer.from(broken.heard, 'hex').toString(), /^HTTP\/1\.1 400 /);
});

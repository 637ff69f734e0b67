// The courier with a real storage, real receivers and a clock of our own: order, repeats, the end after a day, what is held up.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { HttpReceiver, status } from '../../test/receivers/http.ts';
import { MailReceiver } from '../../test/receivers/mail.ts';
import { until } from '../../test/world.ts';
import { EVENT } from '../kinds/event-type.ts';
import type { Message } from '../kinds/message.ts';
import { openStorage } from '../storage/open.ts';
import { write } from '../storage/operation.ts';
import { addDelivery, type DeliveryRow, type NewDelivery, type TargetRow } from '../storage/storage.ts';
import { tables } from '../storage/tables/tables.ts';
import { afterFailure } from './attempt.ts';
import { createChannels } from './channels/channels.ts';
import { createCourier, type Courier } from './courier.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const operations = { ...tables, outbox: { add: write((sql, delivery: NewDelivery) => addDelivery(sql, delivery)) } };

class Post {
  now = Date.UTC(2026, 10, 21, 12);
  readonly lines: Record<string, unknown>[] = [];
  readonly registry = new Registry();
  readonly #folder = mkdtempSync(join(tmpdir(), 'waypost-notify-'));
  #opened!: Awaited<ReturnType<typeof openStorage<typeof operations>>>; // set by `open`, the only way to make one
  courier!: Courier; // as above
  #couriers: Courier[] = [];
  #names = 0;

  static async open(t: TestContext): Promise<Post> {
    const post = new Post();
    post.#opened = await openStorage(post.#folder, operations);
    post.engage();
    t.after(async () => {
      await Promise.all(post.#couriers.map((courier) => courier.stop()));
      await post.#opened.close();
      rmSync(post.#folder, { recursive: true });
    });
    return post;
  }

  get storage() {
    return this.#opened.storage;
  }

  /** A courier, in place of the one there is; that one goes on if it was started. */
  engage(mail: MailReceiver | null = null): void {
    const log = pino({ level: 'info' }, { write: (line: string) => void this.lines.push(JSON.parse(line) as Record<string, unknown>) });
    const clock = (): number => this.now;
    const mailbox = { host: '127.0.0.1', security: 'none', user: null, password: null, from: 'waypost@fleet.example' } as const;
    const channels = createChannels({
      settings: { mail: mail === null ? null : { ...mailbox, port: mail.port }, sms: null, targetNetworks: ['127.0.0.1'] },
      secretOf: () => Promise.resolve(new Uint8Array(32)),
      clock,
      version: '0',
    });
    this.registry.clear();
    this.courier = createCourier({ storage: this.storage, channels, clock, log, registry: this.registry });
    this.#couriers.push(this.courier);
  }

  async addAccount(): Promise<number> {
    const username = `name ${++this.#names}`;
    const secrets = { password_hash: '', digest_secret: new Uint8Array(1), key_hash: null, key_hint: null };
    const row = { username, name: username, email: null, timezone: 'Europe/Vienna', created_time: 0, ...secrets };
    return (await this.storage.accounts.create(row)) ?? 0;
  }

  async addTarget(address: string, type: TargetRow['type'] = 'http', accountId?: number): Promise<Target> {
    const owner = accountId ?? (await this.addAccount());
    return new Target(this, owner, await this.storage.targets.create(owner, { name: 'x', type, address, active: 1 }, this.now));
  }

  async metric(name: string, labels = {}): Promise<number | undefined> {
    const { values = [] } = (await this.registry.getSingleMetric(name)?.get()) ?? {};
    return values.find((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))?.value;
  }
}

class Target {
  readonly #post: Post;
  readonly accountId: number;
  readonly id: number;

  constructor(post: Post, accountId: number, id: number) {
    this.#post = post;
    this.accountId = accountId;
    this.id = id;
  }

  /** Puts messages with these names into the outbox; says nothing to the courier. */
  async add(...names: string[]): Promise<void> {
    for (const name of names) {
      const place = { latitude: null, longitude: null, zone_name: null, cross_type: null, value: null };
      const message: Message = { imei: '356307042441013', name, event_id: EVENT.panic, time: this.#post.now, ...place, late: false };
      const about = { eventId: null, notificationId: null, eventTime: null, crossType: null, skipped: null };
      await this.#post.storage.outbox.add({ accountId: this.accountId, targetId: this.id, ...about, message, now: this.#post.now });
    }
  }

  /** Oldest first. */
  async rows(): Promise<DeliveryRow[]> {
    return (await this.#post.storage.deliveries.list(this.accountId, this.id, null, 1000)).toReversed();
  }

  async states(): Promise<string> {
    return (await this.rows()).map(({ state }) => state).join(' ');
  }

  /** Wakes the courier and waits until the states of the messages are these. */
  async become(states: string): Promise<void> {
    this.wake();
    await until(`${states}, not ${await this.states()}`, async () => ((await this.states()) === states ? true : null));
  }

  wake(): void {
    this.#post.courier.wake([this.id]);
  }

  /** Waits until the first message has been tried this often. */
  async tried(attempts: number): Promise<DeliveryRow> {
    return until(`${attempts} attempts`, async () => (await this.rows()).find((row) => row.attempts >= attempts) ?? null);
  }

  async setActive(active: number, address: string): Promise<void> {
    await this.#post.storage.targets.alter(this.accountId, this.id, { name: 'x', type: 'http', address, active });
  }
}

async function receiverFor(t: TestContext): Promise<HttpReceiver> {
  const receiver = await HttpReceiver.open();
  t.after(() => receiver.close());
  return receiver;
}

const namesAt = (receiver: HttpReceiver): string[] => receiver.messages.map(({ pairs }) => new Map(pairs).get('name') ?? '');
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `m${i}`);

test('messages of a target arrive in order, beside targets that hang and fail; what waited before the start too', async (t) => {
  const [post, quick, hung, broken] = [await Post.open(t), await receiverFor(t), await receiverFor(t), await receiverFor(t)];
  hung.answer = () => undefined;
  broken.answer = status(500);
  const [a, b, c] = [await post.addTarget(quick.url), await post.addTarget(hung.url), await post.addTarget(broken.url)];
  for (const target of [b, c, a]) await target.add(...names(20));
  post.courier.start();
  await until('the first twenty', () => (quick.messages.length === 20 ? true : null));
  await a.add('later');
  await a.become(Array.from({ length: 21 }, () => 'delivered').join(' '));
  assert.deepEqual(namesAt(quick), [...names(20), 'later']);
  assert.equal(new Set(quick.messages.map(({ headers }) => headers['webhook-id'])).size, 21);
  await c.tried(1);
  assert.deepEqual([namesAt(hung), namesAt(broken)], [['m0'], ['m0']]);
  assert.deepEqual((await c.rows()).map(({ attempts }) => attempts).slice(0, 3), [1, 0, 0]);
  assert.equal(await post.metric('waypost_deliveries_total', { type: 'http', result: 'delivered' }), 21);
  assert.equal(await post.metric('waypost_deliveries_total', { type: 'http', result: 'failed' }), 1);
  post.now += 60_000;
  assert.equal(await post.metric('waypost_deliveries_waiting'), 40);
  assert.equal(await post.metric('waypost_deliveries_oldest_seconds'), 60);
  await hung.close();
  await b.tried(1);
});

test('a target that fails and comes back gets what waited, in order and with the same id', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  receiver.answer = (response, _, count) => response.writeHead(count < 3 ? 503 : 200).end();
  const target = await post.addTarget(receiver.url);
  await target.add('a', 'b');
  post.courier.start();
  for (let attempts = 1; attempts <= 3; attempts++) {
    const { next_time: next, status: answered, error } = await target.tried(attempts);
    assert.deepEqual([answered, error], [503, 'the target answered 503']);
    assert.ok(next !== null && next > post.now);
    target.wake();
    post.now = next - 1;
    target.wake();
    await post.storage.deliveries.head(target.id);
    assert.equal(receiver.messages.length, attempts, 'a wake does not end the pause');
    post.now = next;
    target.wake();
  }
  await target.become('delivered delivered');
  assert.deepEqual(namesAt(receiver), ['a', 'a', 'a', 'a', 'b']);
  const ids = receiver.messages.map(({ headers }) => headers['webhook-id']);
  const [first, second] = await target.rows();
  assert.deepEqual(ids, [first?.uid, first?.uid, first?.uid, first?.uid, second?.uid]);
  assert.match(first?.uid ?? '', /^msg_[\w-]{22}$/);
  assert.deepEqual([first?.attempts, first?.status, first?.error, first?.next_time], [4, 200, null, null]);
  const attempts = await post.storage.deliveries.attempts(first?.id ?? 0);
  assert.deepEqual(attempts.map(({ number, status: answered, error }) => [number, answered, error !== null]), [[1, 503, true], [2, 503, true], [3, 503, true], [4, 200, false]]); // prettier-ignore
  assert.equal(post.lines.length, 3);
  assert.ok(!JSON.stringify(post.lines).includes(receiver.url) && !JSON.stringify(post.lines).includes('356307042441013'));
});

test('after a day a message is given up, visibly; the next goes on, and can be had again', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  receiver.answer = (response, { pairs }) => response.writeHead(new Map(pairs).get('name') === 'bad' ? 500 : 200).end();
  const target = await post.addTarget(receiver.url);
  await target.add('bad', 'good');
  const begun = post.now;
  post.courier.start();
  let row = await target.tried(1);
  while (row.state === 'waiting') {
    assert.ok(row.next_time !== null && row.next_time <= begun + DAY);
    post.now = row.next_time;
    target.wake();
    row = await target.tried(row.attempts + 1);
  }
  assert.equal(post.now, begun + DAY, 'the last attempt is at the end of the day');
  assert.ok(row.attempts > 25 && row.attempts < 45, `${row.attempts} attempts`);
  await target.become('given_up delivered');
  assert.deepEqual([row.status, row.error], [500, 'the target answered 500']);
  const warned = post.lines.filter(({ level }) => level === 40);
  assert.deepEqual(warned.map(({ msg, delivery }) => [msg, delivery]), [['a message was given up', row.id]]); // prettier-ignore
  assert.equal(await post.metric('waypost_deliveries_total', { result: 'given_up' }), 1);

  receiver.answer = status(200);
  const { deliveries } = post.storage;
  assert.equal(await deliveries.resend(target.accountId + 1, target.id, row.id, post.now), false, 'of another account');
  assert.equal(await deliveries.resend(target.accountId, target.id, row.id, post.now), true);
  await target.become('delivered delivered');
  assert.equal(await deliveries.resend(target.accountId, target.id, row.id, post.now), false);
  assert.equal(receiver.messages.at(-1)?.headers['webhook-id'], row.uid);
  assert.equal((await deliveries.attempts(row.id)).length, row.attempts + 1);
});

test('a message that is sent again by hand has a day of its own', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  receiver.answer = status(500);
  const target = await post.addTarget(receiver.url);
  await target.add('a');
  post.courier.start();
  await target.tried(1);
  post.now += 2 * DAY;
  await target.become('given_up');
  const [row] = await target.rows();
  await post.storage.deliveries.resend(target.accountId, target.id, row?.id ?? 0, post.now);
  target.wake();
  const again = await target.tried(3);
  assert.equal(again.state, 'waiting');
  assert.ok((again.next_time ?? 0) - post.now < 10_000, 'its pauses begin anew');
});

test('what a dead target held up for a day goes with it, after one try; what came later has its own day', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  receiver.answer = status(500);
  const target = await post.addTarget(receiver.url);
  await target.add('a', 'b', 'c', 'd');
  post.courier.start();
  await target.tried(1);
  post.now += 12 * HOUR;
  await target.add('e');
  target.wake();
  await target.tried(2);
  post.now += 12 * HOUR;
  await target.become('given_up given_up given_up given_up waiting');
  await until('its turn', async () => ((await target.rows())[4]?.attempts === 1 ? true : null));
  assert.deepEqual(namesAt(receiver), ['a', 'a', 'a', 'b', 'e']);
  const rows = await target.rows();
  assert.deepEqual(rows.map(({ attempts }) => attempts), [3, 1, 0, 0, 1]); // prettier-ignore
  assert.match(rows[2]?.error ?? '', /^not tried: the target took none of the messages before it/);
  assert.equal(await post.metric('waypost_deliveries_total', { result: 'given_up' }), 4);
});

test('however long the service itself was away, what waits is tried', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  const target = await post.addTarget(receiver.url);
  await target.add('a', 'b');
  post.now += 10 * DAY;
  post.courier.start();
  await target.become('delivered delivered');
});

test('an inactive target holds its messages until it is active again, or for a day', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  const target = await post.addTarget(receiver.url);
  await target.setActive(0, receiver.url);
  await target.add('a');
  post.now += 12 * HOUR;
  await target.add('b');
  post.courier.start();
  post.now += 12 * HOUR;
  await target.become('given_up waiting');
  assert.match((await target.rows())[0]?.error ?? '', /^not tried: the target was not active/);
  await target.setActive(1, receiver.url);
  await target.become('given_up delivered');
  assert.deepEqual(namesAt(receiver), ['b']);
});

test('a new address is tried at once', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  const target = await post.addTarget('http://127.0.0.1:1/');
  await target.add('a');
  post.courier.start();
  await target.tried(1);
  await target.setActive(1, receiver.url);
  await post.storage.deliveries.hurry(target.id);
  await target.become('delivered');
});

test('what was cut off by a crash is sent again with the same id', async (t) => {
  const [post, receiver] = [await Post.open(t), await receiverFor(t)];
  receiver.answer = () => undefined;
  const target = await post.addTarget(receiver.url);
  await target.add('a', 'b');
  post.courier.start();
  await until('the first message', () => receiver.messages[0] ?? null);
  receiver.answer = status(200);
  // As another process after the end of the first: all that it knows is in the storage.
  post.engage();
  post.courier.start();
  await target.become('delivered delivered');
  assert.deepEqual(namesAt(receiver), ['a', 'a', 'b']);
  assert.equal(receiver.messages[0]?.headers['webhook-id'], receiver.messages[1]?.headers['webhook-id']);
  const { deliveries } = post.storage;
  const [{ id } = { id: 0 }] = await target.rows();
  const failed = { deliveryId: id, targetId: target.id, time: post.now, seconds: 30, status: null, error: 'too late' };
  await deliveries.record([{ ...failed, outcome: { retry: post.now } }]);
  assert.equal(await target.states(), 'delivered delivered', 'what has arrived is not undone');
  await receiver.close();
});

test('one account’s many that hang leave room for others; a stop cuts off what hangs, and it goes on later', async (t) => {
  const [post, hung, quick] = [await Post.open(t), await receiverFor(t), await receiverFor(t)];
  hung.answer = () => undefined;
  const many = await post.addAccount();
  const targets: Target[] = [];
  for (let i = 0; i < 250; i++) targets.push(await post.addTarget(hung.url, 'http', many));
  for (const target of targets) await target.add('a');
  const other = await post.addTarget(quick.url);
  await other.add('b');
  post.courier.start();
  await other.become('delivered');
  await until('two hundred at once', () => (hung.messages.length === 200 ? true : null));

  const start = performance.now();
  await post.courier.stop();
  assert.ok(performance.now() - start < 8000);
  assert.equal(hung.messages.length, 200);
  const rows = (await Promise.all(targets.map((target) => target.rows()))).flat();
  assert.equal(rows.filter(({ attempts, error }) => attempts === 1 && error?.startsWith('the service stopped')).length, 200);
  assert.equal(rows.filter(({ state, attempts }) => state === 'waiting' && attempts === 0).length, 50);
  hung.answer = status(200);
  post.engage();
  post.courier.start();
  await until('all of them', () => (hung.messages.length === 450 ? true : null));
});

test('mail goes out; what has no way out says why; removed targets are forgotten', async (t) => {
  const [post, mail] = [await Post.open(t), await MailReceiver.open()];
  t.after(() => mail.close());
  post.engage(mail);
  const [box, phone] = [await post.addTarget('anna@example.org', 'email'), await post.addTarget('+431234567', 'sms')];
  await box.add('Van 3');
  await phone.add('Van 3');
  assert.equal(await post.storage.deliveries.create(box.accountId + 1, box.id, post.now), null, 'of another account');
  assert.ok((await post.storage.deliveries.create(box.accountId, box.id, post.now)) !== null);
  post.courier.start();
  await box.become('delivered delivered');
  assert.deepEqual(mail.mails.map(({ parsed }) => parsed.subject), ['Van 3: panic button pressed at 13:00 on 21 Nov', 'This is a test message from Waypost.']); // prettier-ignore
  assert.match(mail.mails[1]?.parsed.text ?? '', /^event_id:0\r?$/m);
  assert.equal((await box.rows())[0]?.status, 250);
  const { error } = await phone.tried(1);
  assert.match(error ?? '', /sends no text messages/);
  await post.storage.targets.remove(phone.accountId, phone.id);
  post.now += DAY;
  phone.wake();
  assert.equal(await post.metric('waypost_deliveries_waiting'), 0);
});

test('pauses grow from seconds to an hour and end with the day', () => {
  const pauses: number[] = [];
  let now = 0;
  for (let next = afterFailure(0, now); next !== 'given_up'; next = afterFailure(0, now)) {
    pauses.push(next.retry - now);
    now = next.retry;
  }
  assert.equal(now, DAY);
  assert.ok((pauses[0] ?? 0) >= 4500 && (pauses[0] ?? 0) <= 5500);
  assert.ok(pauses.every((pause) => pause <= 1.1 * HOUR));
  assert.ok(pauses.slice(0, -1).filter((pause) => pause >= 0.9 * HOUR).length > 18, 'hourly at last');
});

test('what is old and done is deleted, what waits is kept', async (t) => {
  const post = await Post.open(t);
  const target = await post.addTarget('http://127.0.0.1:1/');
  await target.add('a', 'b', 'c');
  const { deliveries } = post.storage;
  const [a, b] = await target.rows();
  for (const { id } of [a, b].filter((row) => row !== undefined))
    await deliveries.record([{ deliveryId: id, targetId: target.id, time: 1, seconds: 1, status: 200, error: null, outcome: 'delivered' }]);
  assert.equal(await deliveries.expire(post.now, 10), 0);
  assert.deepEqual([await deliveries.expire(post.now + 1, 1), await deliveries.expire(post.now + 1, 10)], [1, 1]);
  assert.equal(await target.states(), 'waiting');
  assert.deepEqual(await deliveries.attempts(a?.id ?? 0), []);
});

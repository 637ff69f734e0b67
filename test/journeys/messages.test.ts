// Messages, from a report to what arrives: none is lost and none is told twice but with the same id, though the service is killed,
// the target fails, hangs, redirects and comes back.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { ask, Client, type Answer, type Thing } from '../http.ts';
import { until, World } from '../world.ts';

const imei = '356307042441013';

interface Received {
  id: string;
  pairs: Record<string, string>;
}

/** A receiver of messages whose mood can be changed. */
class Hook {
  readonly received: Received[] = [];
  requests = 0;
  /** What it does with a message: take it, or something else. */
  mood: (response: ServerResponse, received: Received) => void = (response) => response.end();
  readonly #server = createServer((request, response) => void this.#take(request, response));

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece as string;
    const received = { id: String(request.headers['webhook-id']), pairs: Object.fromEntries(new URLSearchParams(body)) };
    if (this.mood === take) this.received.push(received);
    this.mood(response, received);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The message counts as received: this is its only mood in which it does. */
const take = (response: ServerResponse): void => void response.end();

const newHook = (): Hook => Object.assign(new Hook(), { mood: take });

async function make(client: Client, factory: string, json: Thing): Promise<Answer> {
  const made = await client.ask(factory, { json });
  assert.equal(made.status, 303, made.text);
  return client.ask(made.location);
}

/** Tells of every ignition on and off. */
async function tellOfIgnition(anna: Client, tracker: Answer, target: Answer): Promise<void> {
  for (const event_id of [4, 5]) await make(anna, tracker.link('event_notifications_url'), { event_id, target_url: target.link('url') });
}

const deliveries = async (anna: Client, target: Answer): Promise<Thing[]> => {
  const all: Thing[] = [];
  for (let page = await anna.ask(target.link('deliveries_url')); ; page = await anna.ask(page.link('next_url'))) {
    all.push(...page.list('deliveries'));
    if (page.object['next_url'] === null) return all;
  }
};

/** When the ignition was turned, as the service knows it. */
async function eventTimes(anna: Client): Promise<number[]> {
  const times: number[] = [];
  for (let page = await anna.go('events_url'); ; page = await anna.ask(page.link('next_url'))) {
    times.push(
      ...page
        .list('events')
        .filter(({ event_id: id }) => id === 4 || id === 5)
        .map(({ ts }) => Number(ts)),
    );
    if (page.object['next_url'] === null) return times;
  }
}

const allowed = ['--target-networks', '127.0.0.0/8'];

/** Sends reports that turn the ignition on and off in turns; each that is answered 200 must be told of. */
async function toggle(world: World, from: number, count: number): Promise<number[]> {
  const acknowledged: number[] = [];
  for (let i = 0; i < count; i++) {
    const time = from + i;
    const on = time % 2 === 0 ? 'true' : 'false';
    const answer = await ask(`${world.place('osmand', 'http')}/?id=${imei}&timestamp=${time}&lat=48&lon=16&ignition=${on}`).catch(
      () => null,
    );
    if (answer === null) break;
    if (answer.status === 200) acknowledged.push(time);
  }
  return acknowledged;
}

suite('messages', { concurrency: true }, () => {
  test('killed at any moment, the service loses no message, repeats only with the same id, and keeps the order', async () => {
    const hook = newHook();
    const address = await hook.listen();
    const world = await World.open(...allowed);
    const key = await world.addAccount('anna');
    const anna = await Client.signIn(world.http, { key });
    const tracker = await anna.addTracker(imei, { name: 'Van' });
    await tellOfIgnition(anna, tracker, await make(anna, anna.gateway.link('targets_url'), { name: 'Hook', type: 'http', address }));
    const base = Math.floor(Date.now() / 1000 / 2) * 2 - 1800;
    const acknowledged: number[] = [];
    for (const [round, milliseconds] of [120, 260, 410, 90].entries()) {
      if (round > 0) await world.start(...allowed);
      const sending = toggle(world, base + round * 400, 400);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      assert.equal(await world.stop('SIGKILL'), 'SIGKILL');
      acknowledged.push(...(await sending));
    }
    await world.start(...allowed);
    const again = await Client.signIn(world.http, { key });
    const told = (): Set<number> => new Set(hook.received.map(({ pairs }) => Number(pairs['unix_ts'])));
    assert.ok(acknowledged.length > 40, `${acknowledged.length} were acknowledged`);
    const stored = new Set((await again.positions(await again.tracker(imei), '?limit=10000')).map(({ ts }) => Number(ts)));
    assert.deepEqual(
      acknowledged.filter((time) => !stored.has(time)),
      [],
    );
    const wanted = await eventTimes(again);
    assert.ok(wanted.length > acknowledged.length / 2, `${wanted.length} changes`);
    await until('all messages', () => (wanted.every((time) => told().has(time)) ? true : null), 20_000);
    // One event is one id, however often it came.
    const ids = new Map(hook.received.map(({ id, pairs }) => [id, `${pairs['unix_ts']} ${pairs['event_id']}`]));
    assert.equal(ids.size, new Set(ids.values()).size);
    const seen = new Set<string>();
    const firsts = hook.received.filter(({ id }) => !seen.has(id) && seen.add(id)).map(({ pairs }) => Number(pairs['unix_ts']));
    assert.deepEqual(
      firsts,
      firsts.toSorted((a, b) => a - b),
      'in order',
    );
    await world.close();
    hook.close();
  });

  test('a target that fails, hangs and redirects gets its messages once it is back, and holds up no other', async () => {
    const [bad, good] = [newHook(), newHook()];
    const world = await World.open(...allowed);
    const anna = await world.newClient('anna');
    const tracker = await anna.addTracker(imei, { name: 'Van' });
    const targets = await Promise.all(
      [bad, good].map(async (hook, i) =>
        make(anna, anna.gateway.link('targets_url'), { name: `Hook ${i}`, type: 'http', address: await hook.listen() }),
      ),
    );
    for (const target of targets) await tellOfIgnition(anna, tracker, target);
    const moods = [
      (response: ServerResponse) => response.writeHead(500).end(),
      (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ];
    bad.mood = (response) => moods[bad.requests % 2]?.(response);
    const now = Math.floor(Date.now() / 1000 / 2) * 2 - 100;
    await toggle(world, now, 5);
    await until('the good target has all', () => (good.received.length === 4 ? true : null));
    const [target] = targets;
    assert.ok(target !== undefined);
    await until('a failed attempt is shown', async () => {
      const list = await deliveries(anna, target);
      return list.some(({ state, error, attempts }) => state === 'waiting' && Number(attempts) > 0 && typeof error === 'string')
        ? true
        : null;
    });
    bad.mood = take;
    await until('the bad one has all', () => (bad.received.length >= 4 ? true : null), 20_000);
    assert.deepEqual(
      bad.received.map(({ pairs }) => Number(pairs['unix_ts'])),
      [1, 2, 3, 4].map((i) => now + i),
    );
    await until('all are shown as delivered', async () =>
      (await deliveries(anna, target)).every(({ state }) => state === 'delivered') ? true : null,
    );
    await world.close();
    for (const hook of [bad, good]) hook.close();
  });

  test("a target in the operator's own network is refused unless it is allowed", async () => {
    const hook = newHook();
    const address = await hook.listen();
    const world = await World.open();
    const anna = await world.newClient('anna');
    const target = await make(anna, anna.gateway.link('targets_url'), { name: 'Hook', type: 'http', address });
    const sent = await anna.ask(target.link('test_url'), { method: 'POST' });
    assert.equal(sent.status, 303, sent.text);
    const failed = await until('the attempt', async () => {
      const { object } = await anna.ask(sent.location);
      return object['attempts'] === 0 ? null : object;
    });
    assert.equal(failed['state'], 'waiting');
    assert.equal(hook.requests, 0);
    await world.close();
    hook.close();
  });

  test('a mail arrives with a sentence and the data of the event; a late routine event is not sent, a late alarm is, marked', async () => {
    const mails: string[] = [];
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData(stream, _session, done) {
        let text = '';
        stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        stream.on('end', () => {
          mails.push(text);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.server.address() as AddressInfo;
    const flags = ['--smtp-host', '127.0.0.1', '--smtp-port', String(port), '--smtp-security', 'none', '--mail-from', 'gps@example.org'];
    const world = await World.open(...flags);
    const anna = await world.newClient('anna');
    const tracker = await anna.addTracker(imei, { name: 'Van' });
    const target = await make(anna, anna.gateway.link('targets_url'), { name: 'Anna', type: 'email', address: 'anna@example.org' });
    for (const event_id of [1, 4]) await make(anna, tracker.link('event_notifications_url'), { event_id, target_url: target.link('url') });
    const now = Math.floor(Date.now() / 1000);
    const report = (time: number, more: string) =>
      ask(`${world.place('osmand', 'http')}/?id=${imei}&timestamp=${time}&lat=48.2&lon=16.4&${more}`);
    await report(now - 20_001, 'ignition=false');
    await report(now - 20_000, 'ignition=true');
    await report(now - 19_000, 'alarm=sos');
    await report(now - 5, 'alarm=sos');
    await until('two mails', () => (mails.length === 2 ? true : null));
    const [late, fresh] = await Promise.all(mails.map((mail) => PostalMime.parse(mail)));
    assert.match(late?.text ?? '', /late/i);
    assert.match(fresh?.subject ?? '', /Van/);
    assert.doesNotMatch(fresh?.text ?? '', /late/i);
    const data = /-----BEGIN EVENT DATA-----\n([\s\S]*)\n-----END EVENT DATA-----/.exec((fresh?.text ?? '').replaceAll('\r\n', '\n'))?.[1];
    const pairs = Object.fromEntries((data ?? '').split('\n').map((line) => line.split(/:(.*)/s).slice(0, 2)) as [string, string][]);
    assert.deepEqual(
      { imei: pairs['imei'], name: pairs['name'], event_id: pairs['event_id'], unix_ts: pairs['unix_ts'], latitude: pairs['latitude'] },
      { imei, name: 'Van', event_id: '1', unix_ts: String(now - 5), latitude: '48.2' },
    );
    const skipped = (await deliveries(anna, target)).filter(({ state }) => state === 'skipped');
    assert.equal(skipped.length, 1);
    await world.close();
    await new Promise<void>((resolve) => smtp.close(resolve));
  });
});

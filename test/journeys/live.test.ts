// The live view: nothing is ever skipped, whoever asks however often, also after a restart; and the same as server-sent events.
import assert from 'node:assert/strict';
import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { benchImeis } from '../../bench/imeis.ts';
import { Device, record } from '../devices.ts';
import { Client, type Answer, type Thing } from '../http.ts';
import { until, World } from '../world.ts';

const world = await World.open();
after(() => world.close());
const key = await world.addAccount('anna');
let anna = await Client.signIn(world.http, { key });
const imeis = benchImeis(8);
for (const imei of imeis) await anna.addTracker(imei);
const start = Math.floor(Date.now() / 1000) * 1000 - 86_400_000;
let moment = 0;
/** A later time than any before, so that a report always moves its tracker. */
const nextTime = (): number => start + ++moment * 1000;
const imeisOf = (answer: Answer): unknown[] => answer.list('updates').map(({ imei }) => imei);

async function report(imei: string, records = 1): Promise<void> {
  const device = await Device.login(world.place('teltonika', 'tcp'), imei);
  for (let i = 0; i < records; i++) assert.equal(await device.send([record(nextTime())]), 1);
  device.close();
}

test('the first call returns every tracker, following live_url what changed since, and an empty list when nothing did', async () => {
  const first = await anna.go('live_url');
  assert.deepEqual(new Set(imeisOf(first)), new Set(imeis));
  assert.ok(Number(first.object['refresh']) > 0);
  const nothing = await anna.ask(first.link('live_url'));
  assert.deepEqual(nothing.list('updates'), []);
  await report(String(imeis[3]), 3);
  const tracker = await anna.tracker(String(imeis[5]));
  await anna.ask(tracker.url, { method: 'PUT', json: { name: 'renamed' } });
  const changed = await anna.ask(nothing.link('live_url'));
  assert.deepEqual(imeisOf(changed), [imeis[3], imeis[5]]);
  const [update] = changed.list('updates');
  const { name, pos_ts, latitude, speed, heading, ignition } = update ?? {};
  assert.deepEqual(
    { name, pos_ts, latitude, speed, heading, ignition },
    { name: imeis[3], pos_ts: (start + moment * 1000) / 1000, latitude: 48.20849, speed: 36, heading: 90, ignition: true },
  );
  assert.equal((await anna.ask(changed.link('url', update))).object['imei'], imeis[3]);
  assert.deepEqual(imeisOf(await anna.ask(nothing.link('live_url'))), imeisOf(changed), 'asked again, it tells again');
  assert.deepEqual((await anna.ask(changed.link('live_url'))).list('updates'), []);
  assert.equal((await anna.ask(`${anna.gateway.link('live_url')}?since=x`)).status, 400);
});

test('whoever follows live_url while devices report, at whatever pace, has seen the last state of each at the end', async () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(pauses, { minLength: 1, maxLength: 3 }), async (paces) => {
      let isOver = false;
      const follow = async (pace: number[]): Promise<Map<unknown, Thing>> => {
        const known = new Map<unknown, Thing>();
        let next = anna.gateway.link('live_url');
        for (let i = 0, last = false; !last; i++) {
          last = isOver;
          const answer = await anna.ask(next);
          for (const update of answer.list('updates')) {
            const before = known.get(update['imei']);
            assert.ok(Number(update['pos_ts'] ?? 0) >= Number(before?.['pos_ts'] ?? 0), 'time does not run back');
            known.set(update['imei'], update);
          }
          next = answer.link('live_url');
          await new Promise((resolve) => setTimeout(resolve, pace[i % pace.length]));
        }
        return known;
      };
      const followers = Promise.all(paces.map(follow));
      await Promise.all(imeis.map((imei) => report(imei, 12)));
      isOver = true;
      const now = new Map((await anna.go('live_url')).list('updates').map((update) => [update['imei'], update]));
      for (const known of await followers) assert.deepEqual(known, now);
    }),
    { numRuns: 5 },
  );
});

test('after a restart a client goes on from its live_url, and has what came meanwhile', async () => {
  const before = await anna.go('live_url');
  await report(String(imeis[1]));
  assert.equal(await world.stop(), 0);
  await world.start();
  await report(String(imeis[2]));
  anna = await Client.signIn(world.http, { key });
  const { pathname, search } = new URL(before.link('live_url'));
  assert.deepEqual(imeisOf(await anna.ask(world.http + pathname + search)), [imeis[1], imeis[2]]);
});

/** Server-sent events, read by their own rules (WHATWG HTML, section 9.2). */
class Stream {
  readonly events: { event: string; id: string; data: Thing }[] = [];
  status = 0;
  isOpen = true;
  readonly #request: ClientRequest;

  constructor(url: string, token: string, lastId?: string) {
    const headers = { authorization: `X-Token ${token}`, ...(lastId !== undefined && { 'last-event-id': lastId }) };
    this.#request = get(url, { headers }, (response) => this.#listen(response));
    this.#request.on('error', () => (this.isOpen = false));
  }

  #listen(response: IncomingMessage): void {
    this.status = response.statusCode ?? 0;
    let [text, id] = ['', ''];
    response.on('close', () => (this.isOpen = false));
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
        );
        text = text.slice(end + 2);
        id = fields.get('id') ?? id;
        const data = fields.get('data');
        if (data !== undefined) this.events.push({ event: fields.get('event') ?? 'message', id, data: JSON.parse(data) as Thing });
      }
    });
  }

  close(): void {
    this.#request.destroy();
  }
}

test('the stream tells the same as it happens, and goes on from Last-Event-ID', async () => {
  const live = await anna.go('live_url');
  const stream = new Stream(live.link('stream_url'), anna.token);
  await until('the stream answers', () => (stream.status === 200 ? true : null));
  assert.equal(stream.events.length, 0);
  await report(String(imeis[0]));
  await until('an update is told', () => (stream.events.length > 0 ? true : null), 3000);
  const told = stream.events.at(0);
  const [polled] = (await anna.ask(live.link('live_url'))).list('updates');
  assert.deepEqual([told?.event, told?.data['imei'], told?.data['pos_ts']], ['update', imeis[0], polled?.['pos_ts']]);
  assert.equal((await anna.ask(new URL(String(told?.data['url']), live.link('stream_url')).href)).object['imei'], imeis[0]);
  stream.close();

  await report(String(imeis[6]));
  const resumed = new Stream(live.link('stream_url'), anna.token, told?.id);
  await until('what was missed is told', () => (resumed.events.length > 0 ? true : null), 3000);
  assert.deepEqual(
    resumed.events.map(({ data }) => data['imei']),
    [imeis[6]],
  );
  resumed.close();

  const whole = new Stream(new URL(live.link('stream_url')).href.replace(/\?.*/, ''), anna.token);
  await until('every tracker is told', () => (whole.events.length === imeis.length ? true : null), 3000);
  whole.close();
});

test('a stream ends with its token, and is 401 without one', async () => {
  const own = await Client.signIn(world.http, { key });
  const live = await own.go('live_url');
  const stranger = new Stream(live.link('stream_url'), 'x'.repeat(43));
  await until('the stranger is answered', () => (stranger.status > 0 ? true : null));
  assert.equal(stranger.status, 401);
  const stream = new Stream(live.link('stream_url'), own.token);
  await until('the stream answers', () => (stream.status === 200 ? true : null));
  await own.ask(own.gateway.link('token_url'), { method: 'DELETE' });
  await report(String(imeis[0]));
  await until('the stream ends', () => (stream.isOpen ? null : true), 8000);
  assert.deepEqual(stream.events, []);
});

// Events and deliveries as they are read: in the order of time, page by page, only by the account whose they are.
import assert from 'node:assert/strict';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EVENT } from '../../src/kinds/event-type.ts';
import type { Answer, Client, Thing } from '../http.ts';
import { World } from '../world.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const bert = await world.newClient('bert');
const [van, car] = [await anna.addTracker('356307042441013', { name: 'Van' }), await anna.addTracker('356307042441021')];
const stranger = await bert.addTracker('490154203237518');
const point = { latitude: 48, longitude: 16 };
const made = await anna.ask(anna.gateway.link('zones_url'), { json: { name: 'Depot', type: 'circle', points: [point], radius: 100 } });
const depot = await anna.ask(made.location);
const start = 1_700_000_000;

/** Rows as the path of a position leaves them, put in by hand. */
function insert(table: string, row: Record<string, SQLInputValue>): number {
  const database = new DatabaseSync(join(world.data, 'waypost.db'), { timeout: 5000 });
  try {
    const names = Object.keys(row);
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`;
    return Number(database.prepare(text).run(...Object.values(row)).lastInsertRowid);
  } finally {
    database.close();
  }
}

/** Trackers and accounts are numbered in the order in which they were made. */
const happen = (trackerId: number, second: number, type: number, more: Record<string, SQLInputValue> = {}): number =>
  insert('events', { account_id: trackerId < 3 ? 1 : 2, tracker_id: trackerId, time: (start + second) * 1000 + 250, type, ...more });

const zoneId = Number(depot.url.slice(depot.url.lastIndexOf('/') + 1));
const crossing = { zone_id: zoneId, zone_name: 'Depot, as it was', cross_type: 'entry', discriminator: zoneId * 2, ...point };
happen(1, 5, EVENT.tripStart, point);
happen(2, 3, EVENT.panic);
happen(1, 3, EVENT.zoneCrossing, crossing);
happen(1, 3, EVENT.overspeed, { ...point, value: 123.4 });
const theirs = happen(3, 4, EVENT.panic);
for (let i = 0; i < 6; i++) happen(1, 10 + i, EVENT.ignitionOn, point);

/** Of an event that no list of the asker's leads to. */
const addressOf = (id: number | string): string => new URL(`events/${id}`, anna.gateway.url).href;

/** Every event, by following `next_url`. */
async function walk(client: Client, address: string): Promise<Thing[]> {
  const all: Thing[] = [];
  for (let page = await client.ask(address); ; page = await client.ask(page.link('next_url'))) {
    assert.equal(page.status, 200, page.text);
    all.push(...page.list('events').map((one) => ({ ...one, url: page.link('url', one) })));
    if (page.object['next_url'] === null) return all;
  }
}

test('the types of events are listed with their words', async () => {
  const types = (await anna.go('event_types_url')).list('event_types');
  assert.deepEqual(
    types.map(({ event_id }) => event_id),
    Object.values(EVENT),
  );
  for (const { name, description, alarm } of types) assert.ok(name !== '' && description !== '' && typeof alarm === 'boolean');
});

test('events stand in the order of time, each with its tracker and place, and have an address of their own', async () => {
  const all = await walk(anna, anna.gateway.link('events_url'));
  assert.deepEqual(
    all.map(({ ts }) => Number(ts) - start),
    [3, 3, 3, 5, 10, 11, 12, 13, 14, 15],
  );
  const events = await anna.go('events_url');
  const [, zone, speed] = events.list('events');
  assert.deepEqual(
    { ...zone, url: '' },
    {
      url: '',
      ts: start + 3,
      imei: '356307042441013',
      tracker_url: 'trackers/356307042441013',
      event_id: EVENT.zoneCrossing,
      event_name: 'zone crossing',
      ...point,
      address: null,
      zone_name: 'Depot, as it was',
      zone_url: `zones/${zoneId}`,
      cross_type: 'entry',
      value: null,
    },
  );
  assert.equal(speed?.['value'], 123.4);
  const one = await anna.ask(events.link('url', zone));
  assert.deepEqual([one.object['event_name'], one.link('zone_url'), one.link('tracker_url')], ['zone crossing', depot.url, van.url]);
  assert.equal((await bert.ask(one.url)).status, 404);
});

test('whatever the size of the pages, every event of the range comes once; a tracker shows its own', async () => {
  for (const [address, wanted] of [
    [anna.gateway.link('events_url'), 10],
    [van.link('events_url'), 9],
    [car.link('events_url'), 1],
  ] as const) {
    const whole = await walk(anna, address);
    assert.equal(whole.length, wanted);
    for (const limit of [1, 2, 3, 7]) assert.deepEqual(await walk(anna, `${address}?limit=${limit}`), whole);
    const within = whole.filter(({ ts }) => Number(ts) >= start + 5 && Number(ts) <= start + 12);
    assert.deepEqual(await walk(anna, `${address}?limit=2&from_ts=${start + 5}&to_ts=${start + 12}`), within);
  }
  for (const wrong of ['limit=0', 'limit=x', 'from_ts=-1', 'to_ts=', 'after=1', 'after=a-b'])
    assert.equal((await anna.ask(`${anna.gateway.link('events_url')}?${wrong}`)).status, 400, wrong);
});

test('exports hold all events, however many a page has', async () => {
  const address = anna.gateway.link('events_url');
  const csv = await anna.ask(`${address}?_format=csv`);
  assert.equal(csv.text.trim().split('\r\n').length, 11);
  const geojson = JSON.parse((await anna.ask(`${van.link('events_url')}?_format=geojson`)).text) as { features: unknown[] };
  assert.equal(geojson.features.length, 9);
  assert.equal((await anna.ask(`${address}?_format=csv&limit=5`)).status, 400);
});

test('other accounts have their own events, and none of these', async () => {
  const [only, ...rest] = await walk(bert, bert.gateway.link('events_url'));
  assert.deepEqual([only?.['imei'], rest], ['490154203237518', []]);
  assert.equal(only?.['url'], new URL(`events/${theirs}`, bert.gateway.url).href);
  assert.equal((await anna.ask(addressOf(theirs))).status, 404);
  assert.equal((await anna.ask(stranger.link('events_url'))).status, 404);
  for (const id of ['0', '-1', 'x', '99999999999999999999']) assert.equal((await anna.ask(addressOf(id))).status, 404, id);
});

test('a removed zone leaves its name; a removed tracker takes its events along', async () => {
  const second = await anna.addTracker('490154203237526');
  const id = happen(4, 100, EVENT.zoneCrossing, { ...crossing, zone_id: 4711, account_id: 1 });
  const [event] = await walk(anna, second.link('events_url'));
  assert.deepEqual([event?.['zone_name'], event?.['zone_url']], ['Depot, as it was', null]);
  await anna.ask(second.url, { method: 'DELETE' });
  assert.equal((await anna.ask(addressOf(id))).status, 404);
  assert.equal((await walk(anna, anna.gateway.link('events_url'))).length, 10);
});

test('what a device raises is shown with its position; a client may raise it too', async () => {
  const address = car.link('positions_url');
  for (const [i, event_id] of [1, 9, undefined].entries())
    assert.equal((await anna.ask(address, { json: { ts: start + i, ...point, ...(event_id !== undefined && { event_id }) } })).status, 303);
  assert.deepEqual(
    (await anna.positions(car)).map(({ event_id }) => event_id),
    [1, 9, undefined],
  );
  const faults = await anna.ask(address, { json: { positions: [{ ts: start, ...point, event_id: 4 }] } });
  assert.deepEqual([faults.status, faults.object], [400, { positions: [{ event_id: 'invalid' }] }]);
});

async function newTarget(active = true): Promise<Answer> {
  const target = { name: 'Hook', type: 'http', address: 'http://127.0.0.1:9/', active };
  return anna.ask((await anna.ask(anna.gateway.link('targets_url'), { json: target })).location);
}

const idOf = ({ url }: Answer): number => Number(url.slice(url.lastIndexOf('/') + 1));

const message = (late: boolean): string => JSON.stringify({ imei: '', name: '', event_id: 1, time: start * 1000, late });
const deliver = (target: Answer, state: string, more: Record<string, SQLInputValue> = {}): number =>
  insert('deliveries', {
    account_id: 1,
    target_id: idOf(target),
    uid: `msg_${Math.random()}`,
    message: message(more['error'] === 'late'),
    created_time: start * 1000,
    state,
    ...more,
  });

test('a test message leads to its delivery; a target that is not active is sent none', async () => {
  const target = await newTarget();
  assert.equal((await anna.ask(target.link('test_url'))).link('target_url'), target.url);
  const sent = await anna.ask(target.link('test_url'), { method: 'POST', form: {} });
  assert.equal(sent.status, 303, sent.text);
  const { url, message_id, ts, ...rest } = (await anna.ask(sent.location)).object;
  assert.equal(new URL(String(url), sent.location).href, sent.location);
  assert.match(String(message_id), /^msg_[\w-]{22}$/);
  assert.ok(Math.abs(Number(ts) - Date.now() / 1000) < 60);
  assert.deepEqual([rest['event_url'], rest['late'], rest['resend_url']], [null, false, null]);
  const list = await anna.ask(target.link('deliveries_url'));
  assert.deepEqual(
    list.list('deliveries').map((one) => list.link('url', one)),
    [sent.location],
  );
  const idle = await newTarget(false);
  assert.equal((await anna.ask(idle.link('test_url'), { method: 'POST' })).status, 400);
  assert.deepEqual((await anna.ask(idle.link('deliveries_url'))).list('deliveries'), []);
});

test('deliveries stand newest first, page by page, with every attempt', async () => {
  const target = await newTarget(false);
  const event = await walk(anna, van.link('events_url')).then(([first]) => String(first?.['url']));
  const eventId = Number(event.slice(event.lastIndexOf('/') + 1));
  const ids = Array.from({ length: 5 }, () => deliver(target, 'delivered', { event_id: eventId, attempts: 1, status: 200 }));
  const failed = deliver(target, 'waiting', { event_id: 4711, attempts: 2, status: 503, error: 'late', next_time: start * 1000 + 5000 });
  for (const number of [1, 2])
    insert('delivery_attempts', { delivery_id: failed, number, time: (start + number) * 1000, seconds: 0.25, status: 503, error: 'busy' });
  const order = [failed, ...ids.toReversed()].map((id) => `${target.url}/deliveries/${id}`);
  for (const limit of [1, 2, 5, 100]) {
    const seen: string[] = [];
    for (let page = await anna.ask(`${target.link('deliveries_url')}?limit=${limit}`); ; page = await anna.ask(page.link('next_url'))) {
      seen.push(...page.list('deliveries').map((one) => page.link('url', one)));
      if (page.object['next_url'] === null) break;
    }
    assert.deepEqual(seen, order, String(limit));
  }
  const csv = await anna.ask(`${target.link('deliveries_url')}?_format=csv`);
  assert.equal(csv.text.trim().split('\r\n').length, 7);

  const waiting = await anna.ask(order[0] ?? '');
  const { url: _, message_id: __, ...rest } = waiting.object;
  const attempt = { duration: 0.25, status: 503, error: 'busy' };
  assert.deepEqual(rest, {
    ts: start,
    event_url: null,
    late: true,
    state: 'waiting',
    attempts: 2,
    next_ts: start + 5,
    status: 503,
    error: 'late',
    resend_url: null,
    tries: [1, 2].map((number) => ({ ts: start + number, ...attempt })),
  });
  const delivered = await anna.ask(order[1] ?? '');
  assert.deepEqual([delivered.link('event_url'), delivered.object['tries'], delivered.object['resend_url']], [event, [], null]);
  assert.equal((await anna.ask(`${order[1]}/resend`, { method: 'POST' })).status, 400, 'it was delivered');
  assert.equal((await bert.ask(order[0] ?? '')).status, 404);
  assert.equal((await anna.ask((order[0] ?? '').replace(`targets/${idOf(target)}`, 'targets/1'))).status, 404, 'it is of another target');
});

test('what was given up or skipped waits again when it is asked for', async () => {
  const target = await newTarget(false);
  for (const state of ['given_up', 'skipped']) {
    const id = deliver(target, state, { error: 'no luck' });
    const delivery = await anna.ask(`${target.url}/deliveries/${id}`);
    const resend = await anna.ask(delivery.link('resend_url'));
    assert.equal(resend.link('delivery_url'), delivery.url);
    assert.equal((await bert.ask(resend.url, { method: 'POST' })).status, 404);
    for (let i = 0; i < 2; i++) {
      const answer = await anna.ask(resend.url, { method: 'POST' });
      assert.deepEqual([answer.status, answer.location], [303, delivery.url], 'asking twice is asking once');
    }
    const resent = await anna.ask(delivery.url);
    assert.deepEqual(
      [resent.object['state'], resent.object['error'], resent.object['resend_url'], resent.object['message_id']],
      ['waiting', null, null, delivery.object['message_id']],
    );
  }
});

test('from a position to the events that it shows, and to the deliveries of the rules that ask for them', async () => {
  const tracker = await anna.addTracker('490154203237534', { name: 'Truck' });
  const target = await newTarget();
  const zone = { zone_url: depot.url, target_url: target.url, cross_type: 'entry' };
  for (const [factory, json] of [
    [tracker.link('event_notifications_url'), { event_id: EVENT.panic, target_url: target.url }],
    [tracker.link('zone_notifications_url'), zone],
  ] as const)
    assert.equal((await anna.ask(factory, { json })).status, 303);
  const now = Math.floor(Date.now() / 1000) - 600;
  // From 3 km in the south through the depot, 20 m each second, to 3 km in the north.
  const positions = Array.from({ length: 300 }, (_, i) => ({
    ts: now + i,
    latitude: 48 + ((i - 150) * 20) / 111_195,
    longitude: 16,
    speed: 72,
    ...(i === 290 && { event_id: EVENT.panic }),
  }));
  assert.equal((await anna.ask(tracker.link('positions_url'), { json: { positions } })).status, 303);
  const events = await walk(anna, tracker.link('events_url'));
  const found = events.filter(({ event_id }) => event_id === EVENT.zoneCrossing || event_id === EVENT.panic);
  assert.deepEqual(
    found.map(({ event_name, cross_type, zone_name }) => [event_name, cross_type, zone_name]),
    [
      ['zone crossing', 'entry', 'Depot'],
      ['zone crossing', 'exit', 'Depot'],
      ['panic button', null, null],
    ],
  );
  assert.ok(found.every(({ ts }) => Number(ts) >= now && Number(ts) < now + 300));
  const list = await anna.ask(target.link('deliveries_url'));
  assert.deepEqual(
    list.list('deliveries').map((one) => list.link('event_url', one)),
    [found[2]?.['url'], found[0]?.['url']],
    'the newest first; of the exit nobody wants to be told',
  );
  await anna.ask(tracker.url, { method: 'DELETE' });
  const left = (await anna.ask(list.url)).list('deliveries');
  assert.deepEqual(
    left.map(({ event_url }) => event_url),
    [null, null],
    'no link leads to what is gone with its tracker',
  );
});

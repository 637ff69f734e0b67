// Targets and notifications: where messages go, and the rules that say which. Every kind in every format, every fault at once.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { without, type Answer, type Client, type Sending, type Thing } from '../http.ts';
import { World } from '../world.ts';
import { asTexts, fromXml, toXml } from '../xml.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const bert = await world.newClient('bert');

/** Makes an object and reads it where the answer leads. */
async function make(client: Client, factory: string, sending: Sending): Promise<Answer> {
  const made = await client.ask(factory, { method: 'POST', ...sending });
  assert.equal(made.status, 303, made.text);
  const object = await client.ask(made.location);
  assert.equal(object.status, 200, object.text);
  return object;
}

const mailbox = { name: 'Office', type: 'email', address: 'office@example.org' };
const circle = { type: 'circle', points: [{ latitude: 48, longitude: 16 }], radius: 100 };
const van = await anna.addTracker('356307042441013', { name: 'Van' });
const car = await anna.addTracker('356307042441021', { name: 'Car' });
const depot = await make(anna, anna.gateway.link('zones_url'), { json: { ...circle, name: 'Depot' } });
const office = await make(anna, anna.gateway.link('targets_url'), { json: mailbox });
const phone = await make(anna, anna.gateway.link('targets_url'), { json: { name: 'Phone', type: 'sms', address: '+491701234567' } });
const other = {
  tracker: await bert.addTracker('490154203237518'),
  zone: await make(bert, bert.gateway.link('zones_url'), { json: { ...circle, name: 'Other' } }),
  target: await make(bert, bert.gateway.link('targets_url'), { json: mailbox }),
};

/** How a browser or an author of a client would write the link from one address to another. */
function linkFrom(base: string, to: string): string {
  const [from, steps] = [new URL(base).pathname.split('/').slice(0, -1), new URL(to).pathname.split('/')];
  const shared = from.findIndex((step, i) => step !== steps[i]);
  const depth = shared < 0 ? from.length : shared;
  return '../'.repeat(from.length - depth) + steps.slice(depth).join('/');
}

const speedLimits = (imei: string): [number, number, number | null][] => {
  const database = new DatabaseSync(join(world.data, 'waypost.db'), { readOnly: true });
  try {
    const row = database
      .prepare('select speed_limits from tracker_states s join trackers t on t.id = s.tracker_id where t.imei = ?')
      .get(imei) as { speed_limits: string };
    return JSON.parse(row.speed_limits) as [number, number, number | null][];
  } finally {
    database.close();
  }
};

test('a target of each type is made as JSON, XML and form, and is the same', async () => {
  for (const target of [
    mailbox,
    { name: 'Hook', type: 'http', address: 'https://example.org/hook?a=b&c=d' },
    { name: 'Telephone', type: 'sms', address: '+15551234567' },
  ]) {
    const shown = await Promise.all(
      [{ json: target }, { xml: toXml(target) }, { form: target }].map((sending) => make(anna, anna.gateway.link('targets_url'), sending)),
    );
    for (const { object } of shown) {
      const { created_ts, ...rest } = without(object, ['url', 'test_url', 'deliveries_url']);
      assert.deepEqual(rest, { ...target, active: true });
      assert.ok(Math.abs(Number(created_ts) - Date.now() / 1000) < 60);
    }
    for (const { url } of shown) {
      assert.equal((await anna.ask(url, { method: 'DELETE' })).status, 200);
      assert.equal((await anna.ask(url)).status, 404);
    }
  }
});

test('an address must fit its type; all faults come at once; PUT weighs the object as it would be', async () => {
  const factory = anna.gateway.link('targets_url');
  for (const [sent, wanted] of [
    [{}, { name: 'empty', type: 'empty', address: 'empty' }],
    [
      { name: ' ', type: 'fax', address: 'x'.repeat(2001), active: 'yes' },
      { name: 'empty', type: 'invalid', address: 'invalid', active: 'invalid' },
    ],
    [
      { name: 'x'.repeat(101), type: 'email', address: 'nobody' },
      { name: 'invalid', address: 'invalid' },
    ],
    ...['a b@example.org', 'a@b', 'a@example.org\r\nBcc: b@example.org', '+491701234567'].map((address) => [
      { ...mailbox, address },
      { address: 'invalid' },
    ]),
    ...[
      'example.org',
      'ftp://example.org',
      'https://',
      'http:example.org',
      'http://u:p@example.org',
      'http://a b/',
      'javascript:alert(1)',
    ].map((address) => [{ ...mailbox, type: 'http', address }, { address: 'invalid' }]),
    ...['01701234567', '+0123456789', '+49 170 1234567', '+49', `+${'1'.repeat(16)}`].map((address) => [
      { ...mailbox, type: 'sms', address },
      { address: 'invalid' },
    ]),
  ] as [Thing, Thing][]) {
    const answers = await Promise.all(
      [{ json: sent }, { xml: toXml(sent) }].map((sending) => anna.ask(factory, { method: 'POST', ...sending })),
    );
    for (const answer of answers) assert.deepEqual([answer.status, answer.object], [400, wanted], JSON.stringify(sent));
  }
  const change = await anna.ask(office.url, { method: 'PUT', json: { type: 'sms' } });
  assert.deepEqual([change.status, change.object], [400, { address: 'invalid' }], 'the address that it has is no number');
});

test('an event notification is made as JSON, XML and form; what is left out has its default', async () => {
  const factory = van.link('event_notifications_url');
  const rule = { event_id: 8, target_url: linkFrom(factory, office.url), speed: 80.5, days_wd: 62, from_t: '22:00:00', to_t: '06:00:00', cooldown_t: '30:00:00', active: false }; // prettier-ignore
  const texts = Object.fromEntries(Object.entries(rule).map(([name, value]) => [name, String(value)]));
  for (const sending of [{ json: rule }, { xml: toXml(rule) }, { form: texts }]) {
    const made = await make(anna, factory, sending);
    const { url, target_url: target, created_ts: _, ...rest } = made.object;
    assert.deepEqual({ ...rest, target_url: rule.target_url }, rule);
    assert.equal(new URL(String(url), made.url).href, made.url);
    assert.equal(new URL(String(target), made.url).href, office.url);
  }
  const plain = await make(anna, factory, { json: { event_id: 1, target_url: office.url, speed: 50 } });
  assert.deepEqual(without(plain.object, ['url', 'target_url', 'created_ts']), {
    event_id: 1,
    active: true,
    days_wd: 254,
    from_t: '00:00:00',
    to_t: '24:00:00',
    cooldown_t: '00:00:00',
    speed: null,
  });
  const list = await anna.ask(factory);
  assert.equal(list.list('event_notifications').length, 4);
  for (const one of list.list('event_notifications')) {
    const url = list.link('url', one);
    assert.equal((await bert.ask(url)).status, 404);
    assert.equal((await anna.ask(url.replace('356307042441013', '356307042441021'))).status, 404, 'it is of another tracker');
    assert.equal((await anna.ask(url, { method: 'DELETE' })).status, 200);
    assert.equal((await anna.ask(url)).status, 404);
  }
});

test('all that is wrong with a rule is told at once', async () => {
  const factory = van.link('event_notifications_url');
  const target_url = office.url;
  for (const [sent, wanted] of [
    [{}, { event_id: 'empty', target_url: 'empty' }],
    [{ event_id: 8, target_url }, { speed: 'empty' }],
    [
      { event_id: 8, target_url: null, speed: 'fast' },
      { target_url: 'empty', speed: 'invalid' },
    ],
    [{ event_id: 12, target_url }, { event_id: 'invalid' }],
    [
      { event_id: 99, target_url: 'nonsense' },
      { event_id: 'invalid', target_url: 'invalid' },
    ],
    [{ event_id: 1.5, target_url }, { event_id: 'invalid' }],
    ...[1, 3, 255, 256, -2, 2.5].map((days_wd) => [{ event_id: 1, target_url, days_wd }, { days_wd: 'invalid' }]),
    ...['24:00:00', '24:00:01', '7:00:00', '07:60:00', '07:00', '25:00:00'].map((from_t) => [
      { event_id: 1, target_url, from_t },
      { from_t: 'invalid' },
    ]),
    [
      { event_id: 1, target_url, to_t: '24:00:01', cooldown_t: '1 h', active: 'yes', from_t: '' },
      { to_t: 'invalid', cooldown_t: 'invalid', active: 'invalid', from_t: 'invalid' },
    ],
    [{ event_id: 8, target_url, speed: 0 }, { speed: 'invalid' }],
  ] as [Thing, Thing][]) {
    const answers = await Promise.all(
      [{ json: sent }, { xml: toXml(sent) }].map((sending) => anna.ask(factory, { method: 'POST', ...sending })),
    );
    for (const answer of answers) assert.deepEqual([answer.status, answer.object], [400, wanted], JSON.stringify(sent));
  }
  assert.deepEqual((await anna.ask(factory)).list('event_notifications'), []);
  assert.equal((await anna.ask(other.tracker.link('event_notifications_url'), { json: { event_id: 1, target_url } })).status, 404);
});

test('a zone notification is made under its tracker and under its zone, which then need not be named', async () => {
  const [ofVan, ofDepot] = [van.link('zone_notifications_url'), depot.link('zone_notifications_url')];
  const common = { active: true, days_wd: 254, from_t: '00:00:00', to_t: '24:00:00', cooldown_t: '00:00:00' };
  const [first, second, third] = [
    await make(anna, ofVan, { json: { zone_url: linkFrom(ofVan, depot.url), target_url: linkFrom(ofVan, office.url) } }),
    await make(anna, ofDepot, { form: { tracker_url: linkFrom(ofDepot, van.url), target_url: office.url, cross_type: 'entry' } }),
    await make(anna, ofDepot, { xml: toXml({ tracker_url: car.url, zone_url: depot.url, target_url: phone.url, cross_type: 'exit' }) }),
  ];
  for (const [made, crossType, tracker, target] of [
    [first, 'both', van, office],
    [second, 'entry', van, office],
    [third, 'exit', car, phone],
  ] as const) {
    assert.deepEqual(without(made.object, ['url', 'zone_url', 'tracker_url', 'target_url', 'created_ts']), {
      ...common,
      cross_type: crossType,
    });
    assert.deepEqual(
      ['zone_url', 'tracker_url', 'target_url'].map((name) => made.link(name)),
      [depot.url, tracker.url, target.url],
    );
    assert.ok(made.url.startsWith(`${tracker.url}/zone_notifications/`));
  }
  const idsOf = async (address: string): Promise<string[]> => {
    const list = await anna.ask(address);
    return list.list('zone_notifications').map((one) => list.link('url', one));
  };
  assert.deepEqual(await idsOf(ofDepot), [first.url, second.url, third.url]);
  assert.deepEqual(await idsOf(ofVan), [first.url, second.url]);
  assert.deepEqual((await anna.ask(van.link('event_notifications_url'))).list('event_notifications'), []);

  for (const [factory, sent, wanted] of [
    [ofVan, {}, { zone_url: 'empty', target_url: 'empty' }],
    [ofDepot, { tracker_url: '', target_url: '' }, { tracker_url: 'empty', target_url: 'empty' }],
    [ofVan, { zone_url: depot.url, target_url: office.url, tracker_url: car.url }, { tracker_url: 'invalid' }],
    [ofVan, { zone_url: depot.url, target_url: office.url, tracker_url: null }, { tracker_url: 'empty' }],
    [
      ofVan,
      { zone_url: other.zone.url, target_url: other.target.url, cross_type: 'through' },
      { zone_url: 'invalid', target_url: 'invalid', cross_type: 'invalid' },
    ],
    [ofDepot, { tracker_url: other.tracker.url, target_url: office.url }, { tracker_url: 'invalid' }],
    [ofDepot, { tracker_url: office.url, target_url: van.url }, { tracker_url: 'invalid', target_url: 'invalid' }],
  ] as [string, Thing, Thing][]) {
    const answer = await anna.ask(factory, { json: sent });
    assert.deepEqual([answer.status, answer.object], [400, wanted], JSON.stringify(sent));
  }

  const moved = await anna.ask(first.url, { method: 'PUT', json: { tracker_url: car.url, cross_type: 'exit' } });
  assert.deepEqual([moved.status, moved.link('tracker_url'), moved.object['cross_type']], [200, car.url, 'exit']);
  assert.equal((await anna.ask(moved.link('url'))).status, 200, 'it now stands under the other tracker');
  assert.deepEqual(await idsOf(ofVan), [second.url]);

  const gone = await make(anna, anna.gateway.link('zones_url'), { json: { ...circle, name: 'Gone' } });
  const rule = await make(anna, gone.link('zone_notifications_url'), { json: { tracker_url: van.url, target_url: office.url } });
  await anna.ask(gone.url, { method: 'DELETE' });
  assert.equal((await anna.ask(rule.url)).status, 404, 'it goes with its zone');
});

test('a link is taken as it was read, from wherever it was read, and nothing else is', async () => {
  const factory = van.link('event_notifications_url');
  const id = office.url.slice(office.url.lastIndexOf('/') + 1);
  const { pathname } = new URL(office.url);
  const links = [
    office.url,
    `${office.url}?_token=abc&_tz=Asia/Tokyo#here`,
    pathname,
    `../../targets/${id}`,
    `../../targets/${id}?_format=json&_tz=Asia%2FTokyo`,
    // As the list of targets, the target itself and its deliveries have it.
    `targets/${id}`,
    id,
    `../${id}`,
    `../../../targets/${id}`,
  ];
  for (const link of links) {
    const made = await make(anna, factory, { json: { event_id: 1, target_url: link } });
    assert.equal(made.link('target_url'), office.url, link);
    await anna.ask(made.url, { method: 'DELETE' });
  }
  const port = new URL(office.url).port;
  for (const link of [
    `http://example.org${pathname}`,
    `//example.org${pathname}`,
    `ftp://127.0.0.1:${port}${pathname}`,
    `http://127.0.0.1:${port}/other/targets/${id}`,
    '../../targets/999999',
    `../../targets/${id}/deliveries`,
    '../../targets',
    `../../zones/${id}`,
    `zones/${id}`,
    `/targets/${id}`,
    `targets/${id}/`,
    '..',
    '?targets',
    '0x1',
    '-1',
    'http://[',
    '\\\\targets\\1',
    linkFrom(factory, other.target.url),
  ]) {
    const answer = await anna.ask(factory, { json: { event_id: 1, target_url: link } });
    assert.deepEqual([answer.status, answer.object], [400, { target_url: 'invalid' }], link);
  }
});

test('rules and targets sent back exactly as they were read, in every format, change nothing', async () => {
  const rules = [
    await make(anna, van.link('event_notifications_url'), { json: { event_id: 8, target_url: office.url, speed: 100.1234567 } }),
    await make(anna, van.link('zone_notifications_url'), { json: { zone_url: depot.url, target_url: office.url } }),
  ];
  const limits = speedLimits('356307042441013');
  for (const { url } of [...rules, office, phone])
    for (const format of ['json', 'xml', 'form']) {
      const query = `?_tz=Asia/Tokyo&_format=${format === 'xml' ? 'xml' : 'json'}`;
      const read = await anna.ask(url + query);
      // A form cannot say null, and means it by no text.
      const texts = format === 'form' ? (asTexts(read.object) as Record<string, string | null>) : {};
      const form = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value ?? '']));
      const sending = format === 'form' ? { form } : { body: read.bytes, headers: { 'content-type': `application/${format}` } };
      const written = await anna.ask(read.url, { method: 'PUT', ...sending });
      assert.deepEqual([written.status, written.text], [200, read.text], `${url} ${format}`);
      assert.equal((await anna.ask(read.url)).headers.etag, read.headers.etag);
    }
  assert.deepEqual(speedLimits('356307042441013'), limits);
  const xml = await anna.ask(`${rules[0]?.url}?_format=xml`);
  assert.deepEqual(fromXml(xml.text)['event_id'], '8');
  assert.deepEqual(Object.keys(fromXml(xml.text)), Object.keys(rules[0]?.object ?? {}));
  for (const { url } of rules) await anna.ask(url, { method: 'DELETE' });
});

test("the limits of a tracker's overspeed notifications follow them, and what ended is kept", async () => {
  const imei = '490154203237526';
  const tracker = await anna.addTracker(imei);
  const factory = tracker.link('event_notifications_url');
  const limitsOf = (): [number, boolean][] =>
    speedLimits(imei).map(([speed, since, until]) => {
      assert.ok(Math.abs(since - Date.now()) < 60_000 && (until === null || until >= since));
      return [Math.round(speed * 3.6 * 1000) / 1000, until === null];
    });
  const target = await make(anna, anna.gateway.link('targets_url'), { json: mailbox });
  const first = await make(anna, factory, { json: { event_id: 8, speed: 50, target_url: office.url } });
  const second = await make(anna, factory, { json: { event_id: 8, speed: 50, target_url: target.url, active: false } });
  assert.deepEqual(limitsOf(), [[50, true]], 'two rules of one limit are one limit');
  await anna.ask(first.url, { method: 'PUT', json: { speed: 130 } });
  assert.deepEqual(limitsOf(), [
    [50, true],
    [130, true],
  ]);
  await anna.ask(target.url, { method: 'DELETE' });
  assert.equal((await anna.ask(second.url)).status, 404, 'it goes with its target');
  assert.deepEqual(limitsOf(), [
    [50, false],
    [130, true],
  ]);
  const changed = await anna.ask(first.url, { method: 'PUT', json: { event_id: 9 } });
  assert.deepEqual([changed.status, changed.object['speed']], [200, null]);
  assert.deepEqual((await anna.ask(first.url, { method: 'PUT', json: { event_id: 8 } })).object, { speed: 'empty' });
  await anna.ask(first.url, { method: 'PUT', json: { event_id: 8, speed: 130 } });
  await anna.ask(first.url, { method: 'DELETE' });
  assert.deepEqual(limitsOf(), [
    [50, false],
    [130, false],
    [130, false],
  ]);
});

test('rules that one event can match are bounded, so that none makes messages without end', async () => {
  const tracker = await anna.addTracker('356307042441096');
  const factory = tracker.link('event_notifications_url');
  const rule = { event_id: 8, target_url: office.url };
  const made = await Promise.all(Array.from({ length: 103 }, (_, i) => anna.ask(factory, { json: { ...rule, speed: 50 + i } })));
  assert.deepEqual(
    [200, 303, 400].map((status) => made.filter((answer) => answer.status === status).length),
    [0, 100, 3],
  );
  const refused = made.find(({ status }) => status === 400)?.object;
  assert.equal(refused?.['_detail'], 'A tracker can have 100 notifications of one type of event, and as many of one zone.');
  // Those that are there can be altered, and another type has room.
  const [first] = (await anna.ask(factory)).list('event_notifications');
  const url = new URL(String(first?.['url']), factory).href;
  assert.equal((await anna.ask(url, { method: 'PUT', json: { active: false } })).status, 200);
  const towing = await make(anna, factory, { json: { ...rule, event_id: 9 } });
  assert.equal((await anna.ask(towing.url, { method: 'PUT', json: { event_id: 8, speed: 200 } })).status, 400);
  assert.equal((await anna.ask(tracker.url, { method: 'DELETE' })).status, 200);
});

test('targets and rules can be read by people, with links to what they lead to', async () => {
  const rule = await make(anna, van.link('event_notifications_url'), { json: { event_id: 1, target_url: office.url } });
  for (const address of [van.link('event_notifications_url'), rule.url, anna.gateway.link('targets_url'), office.url]) {
    const page = await anna.ask(`${address}?_format=html`);
    assert.equal(page.status, 200);
    const hrefs = [...page.text.matchAll(/href="([^"]*)"/g)].map(
      ([, href = '']) => new URL(href.replaceAll('&amp;', '&'), page.url).href.split('?')[0],
    );
    assert.ok(hrefs.includes(office.url), address);
  }
  await anna.ask(rule.url, { method: 'DELETE' });
});

test('another account sees none of it', async () => {
  for (const { url } of [office, van, depot]) {
    for (const method of ['GET', 'PUT', 'DELETE']) assert.equal((await bert.ask(url, { method, json: {} })).status, 404);
  }
  for (const address of [van.link('event_notifications_url'), van.link('zone_notifications_url'), depot.link('zone_notifications_url')])
    for (const method of ['GET', 'POST']) assert.equal((await bert.ask(address, { method, json: {} })).status, 404, address);
  for (const name of ['test_url', 'deliveries_url']) assert.equal((await bert.ask(office.link(name))).status, 404);
  assert.equal((await bert.ask(office.link('test_url'), { method: 'POST' })).status, 404);
});

test('the signing secret is made at first need, stays, and is replaced on demand', async () => {
  const address = (await anna.go('account_url')).link('signing_secret_url');
  const first = await anna.ask(address);
  assert.match(String(first.object['secret']), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual((await anna.ask(address)).object, first.object);
  const made = await anna.ask(address, { method: 'POST' });
  assert.deepEqual([made.status, made.location], [303, address]);
  const second = await anna.ask(made.location);
  assert.notEqual(second.object['secret'], first.object['secret']);
  const others = await bert.ask((await bert.go('account_url')).link('signing_secret_url'));
  assert.notEqual(others.object['secret'], second.object['secret']);
});

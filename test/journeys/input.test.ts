// Sections 3 and 4 of the interface: what is sent, in whatever format, has the same effect, and all that is wrong is told at once.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { ask, Client, type Answer, type Sending, type Thing } from '../http.ts';
import { World } from '../world.ts';
import { asTexts, fromXml, toXml } from '../xml.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const bert = await world.newClient('bert');
const sample = anna.gateway.link('sample_url');
const zones = anna.gateway.link('zones_url');

const put = (sending: Sending, client = anna): Promise<Answer> => client.ask(sample, { method: 'PUT', ...sending });
const sound = { trips: [{ drive_t: '01:00:00', drive_dist: 1.5 }], driver: { name: 'Ford', occupation: 'Researcher', speed: '1' } };

test('every offending property is named at once, with its one word, in the structure that was sent', async () => {
  for (const [sent, status, wanted] of [
    [{ driver: { name: '' } }, 400, { driver: { name: 'empty' } }],
    [{ driver: { name: '  ' } }, 400, { driver: { name: 'empty' } }],
    [{ driver: { name: null } }, 400, { driver: { name: 'empty' } }],
    [{ driver: { name: 123 } }, 400, { driver: { name: 'invalid' } }],
    [{ driver: { name: 'Marvin' } }, 409, { driver: { name: 'taken' } }],
    [{ driver: 'Marvin' }, 400, { driver: 'invalid' }],
    [{ driver: ['Marvin'] }, 400, { driver: 'invalid' }],
    [{ trips: 'none' }, 400, { trips: 'invalid' }],
    [{ trips: {} }, 400, { trips: 'invalid' }],
    [
      {
        trips: [
          { drive_t: '01:00:00', drive_dist: 1 },
          { drive_t: '1:00', drive_dist: 'x' },
        ],
      },
      400,
      { trips: [{}, { drive_t: 'invalid', drive_dist: 'invalid' }] },
    ],
    [
      { trips: [{ drive_t: '01:00:00' }, 7, {}] },
      400,
      { trips: [{ drive_dist: 'empty' }, 'invalid', { drive_t: 'empty', drive_dist: 'empty' }] },
    ],
    [
      { trips: [{ drive_t: '01:00:00', drive_dist: -1 }], driver: { name: 'Marvin' } },
      400,
      { trips: [{ drive_dist: 'invalid' }], driver: { name: 'taken' } },
    ],
    [{ driver: { name: 'a\u0000b' } }, 400, { driver: { name: 'invalid' } }],
    [{ driver: { name: '\ud800' } }, 400, { driver: { name: 'invalid' } }],
    [{ driver: { name: 'x'.repeat(101) } }, 400, { driver: { name: 'invalid' } }],
  ] as const) {
    const answer = await put({ json: sent });
    assert.deepEqual([answer.status, answer.object], [status, wanted], JSON.stringify(sent));
  }
});

test('read-only properties, and such as the kind does not have, are ignored; what is left out keeps its value', async () => {
  await put({ json: sound });
  const before = await anna.ask(sample);
  const answer = await put({
    json: { ts: 1, url: 'http://evil.example', nonsense: { a: [1] }, driver: { name: sound.driver.name, nothing: true, __proto__: 5 } },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.object, before.object);
  const changed = await put({ json: { driver: { name: 'Zoe', speed: '2' } } });
  assert.deepEqual(changed.object['driver'], { ...sound.driver, name: 'Zoe', speed: '2' });
  assert.deepEqual(changed.object['trips'], sound.trips);
  const nameless = await put({ json: { driver: { speed: '3' } } });
  assert.deepEqual([nameless.status, nameless.object], [400, { driver: { name: 'empty' } }]);
});

test('an object sent back exactly as it was read, in either format, succeeds and changes nothing', async () => {
  const tracker = await anna.addTracker('356307042441013', { name: '<Van> & "3"', model: 'FMB920' });
  await anna.ask(tracker.link('positions_url'), { json: { ts: 1_700_000_000, latitude: 1, longitude: 2, odometer_dist: 12.345678 } });
  const circle = { name: ' round ', type: 'circle', points: [{ latitude: 1.5, longitude: -179.25 }], radius: 100 };
  const zone = (await anna.ask(zones, { json: circle })).location;
  const account = anna.gateway.link('account_url');
  await anna.ask(account, { method: 'PUT', json: { name: 'Anna  Ünïcödé 🚐', email: 'anna@example.org' } });
  for (const address of [tracker.url, zone, account, sample])
    for (const format of ['json', 'xml']) {
      const read = await anna.ask(`${address}?_format=${format}&_tz=Asia/Tokyo`);
      const type = `application/${format}; charset=UTF-8`;
      const written = await anna.ask(read.url, { method: 'PUT', body: read.bytes, headers: { 'content-type': type } });
      assert.deepEqual([written.status, written.text], [200, read.text], `${address} ${format}`);
      assert.equal((await anna.ask(read.url)).headers.etag, read.headers.etag, `${address} ${format}`);
    }
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', ' ', 'Marvin', '123', 'true', 'null', ' a\r\n\tb ', '<&>\'"', ']]>', 'x'.repeat(101)),
);
const objects = fc.record(
  {
    trips: fc.array(
      fc.record(
        {
          drive_t: fc.oneof(fc.constantFrom('00:00:00', '99:59:59', '1:00', '', '00:60:00'), text),
          drive_dist: fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(-1, 1e10, 0, 0.1)),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    driver: fc.record({ name: text, occupation: text, speed: text, unknown: text }, { requiredKeys: [] }),
    ts: fc.integer(),
    stray: fc.constantFrom(1, 'a', null, [1, { a: 'b' }]),
  },
  { requiredKeys: [] },
);

test('the same object sent as JSON and as XML has exactly the same effect, sound or not', async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(objects, async (object) => {
      for (const client of [anna, bert]) assert.equal((await put({ json: sound }, client)).status, 200);
      const [json, xml] = [await put({ json: object }, anna), await put({ xml: toXml(object) }, bert)];
      const { ts: _, ...left } = json.object;
      const { ts: __, ...right } = xml.object;
      assert.deepEqual([xml.status, right], [json.status, left]);
      seen.add(json.status);
    }),
    { numRuns: 150 },
  );
  assert.ok(seen.has(200) && seen.has(400), 'both sound and faulty objects were tried');
});

test('in XML the kind says what a text is, and null and the empty string differ', async () => {
  const driver = (inside: string): Promise<Answer> => put({ xml: `<root type="object"><driver type="object">${inside}</driver></root>` });
  const shown = async (inside: string): Promise<unknown> => ((await driver(inside)).object['driver'] as Thing)['name'];
  assert.equal(await shown('<name>123</name>'), '123');
  assert.equal(await shown('<name>true</name>'), 'true');
  assert.equal(await shown('<name><![CDATA[<Ford>]]> &amp; &#x41;&#66;</name>'), '<Ford> & AB');
  assert.deepEqual((await driver('<name type="null"/>')).object, { driver: { name: 'empty' } });
  assert.equal(((await driver('<name>x</name><occupation/>')).object['driver'] as Thing)['occupation'], '');
  const named = await put({ xml: '<root type="object"><!-- note --><driver type="object"><name> Ford </name></driver></root>' });
  assert.equal((named.object['driver'] as Thing)['name'], ' Ford ');
});

test('a malformed body is 400 with a sentence, and changes nothing', async () => {
  const before = await anna.ask(sample);
  const bodies: [type: string, body: string | Uint8Array][] = [
    ['application/json', '{"driver":'],
    ['application/json', '[]'],
    ['application/json', 'null'],
    ['application/json', '"text"'],
    ['application/json', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['application/json', '['.repeat(100_000)],
    ['application/xml', '<root type="object"><driver></root>'],
    ['application/xml', '<root type="object">&unknown;</root>'],
    ['application/xml', '<other type="object"/>'],
    ['application/xml', '<root type="array"/>'],
    ['application/xml', '<root>text</root>'],
    ['application/xml', '<root type="object"/><root type="object"/>'],
    ['application/xml', '<!DOCTYPE root><root type="object"/>'],
    [
      'text/xml',
      '<?xml version="1.0"?>\n<!-- a --><!DOCTYPE root [<!ENTITY a "b">]><root type="object"><driver type="object"><name>&a;</name></driver></root>',
    ],
    ['application/xml', '<root type="object"><driver type="object"><name>\u0001</name></driver></root>'],
    ['application/xml', '<a>'.repeat(50_000)],
    ['application/xml', `<root type="object">${'<driver type="object">'.repeat(100)}</root>`],
  ];
  for (const [type, body] of bodies) {
    const answer = await put({ body, headers: { 'content-type': type } });
    assert.deepEqual(
      [answer.status, answer.object['_status'], typeof answer.object['_detail']],
      [400, 400, 'string'],
      `${type} ${body.slice(0, 80).toString()}`,
    );
  }
  assert.equal((await anna.ask(sample)).headers.etag, before.headers.etag);
});

test('an empty body is an object without properties, whatever its type', async () => {
  const before = await anna.ask(sample);
  for (const type of ['application/json', 'application/xml', 'text/plain']) {
    const answer = await put({ body: '', headers: { 'content-type': type } });
    assert.deepEqual([answer.status, answer.object], [200, before.object], type);
  }
  assert.deepEqual((await anna.ask(zones, { method: 'POST' })).object, { name: 'empty', type: 'empty', points: 'empty' });
});

test('a type that is not understood, another charset, and a form for a complex kind are 415', async () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
  ];
  for (const type of [...types, 'application/xml;charset="utf-16"', 'nonsense', ''])
    assert.equal((await put({ body: '{"driver":{"name":"X"}}', headers: { 'content-type': type } })).status, 415, type);
  assert.equal((await anna.ask(zones, { form: { name: 'A', type: 'circle' } })).status, 415);
  assert.equal(
    (
      await put({
        body: '<?xml version="1.0" encoding="ISO-8859-1"?><root type="object"/>',
        headers: { 'content-type': 'application/xml' },
      })
    ).status,
    415,
  );
  assert.equal((await put({ json: {} })).status, 200);
  assert.equal((await put({ body: '{}', headers: { 'content-type': 'APPLICATION/JSON; Charset="UTF-8"; x=y' } })).status, 200);
});

test('a simple kind is also had as a form, with the same effect and the same faults', async () => {
  const trackers = anna.gateway.link('trackers_url');
  const form = await anna.ask(trackers, { form: { imei: '356307042441039', name: 'Übung & <Co>', model: '' } });
  assert.equal(form.status, 303, form.text);
  const { name, model } = (await anna.ask(form.location)).object;
  assert.deepEqual({ name, model }, { name: 'Übung & <Co>', model: '' });
  assert.deepEqual((await anna.ask(trackers, { form: { name: 'x' } })).object, { imei: 'empty' });
  assert.equal(
    (await anna.ask(trackers, { body: 'imei=%zz', headers: { 'content-type': 'application/x-www-form-urlencoded' } })).status,
    400,
  );
});

test('what must be unique and is in use is taken, 409; with other faults beside it, 400', async () => {
  const trackers = anna.gateway.link('trackers_url');
  await anna.addTracker('356307042441047');
  for (const client of [anna, bert]) {
    const taken = await client.ask(trackers, { json: { imei: '356307042441047' } });
    assert.deepEqual([taken.status, taken.object], [409, { imei: 'taken' }]);
  }
  const both = await anna.ask(trackers, { json: { imei: '356307042441047', name: 7 } });
  assert.deepEqual([both.status, both.object], [400, { imei: 'taken', name: 'invalid' }]);
  for (const imei of ['356307042441048', '35630704244104', 'x', 356307042441047])
    assert.deepEqual((await anna.ask(trackers, { json: { imei } })).object, { imei: 'invalid' });
});

test('a body that is too large is 413, before it is read', async () => {
  const answer = await put({ body: ' '.repeat(1_048_577), headers: { 'content-type': 'application/json' } });
  assert.deepEqual([answer.status, answer.object['_status']], [413, 413]);
});

test('zones: the faults of a shape, with list places kept; across the 180th meridian is sound', async () => {
  const post = (zone: unknown): Promise<Answer> => anna.ask(zones, { json: zone });
  const point = (latitude: unknown, longitude: unknown): Thing => ({ latitude, longitude });
  const square = [point(-17, 179), point(-17, -179), point(-18, -179), point(-18, 179)];
  const fiji = await post({ name: 'Fiji', type: 'polygon', points: square, color: '#3366cc' });
  assert.equal(fiji.status, 303, fiji.text);
  const read = await anna.ask(fiji.location);
  assert.deepEqual([read.object['points'], read.object['color'], read.object['radius']], [square, '#3366cc', null]);
  for (const [zone, status, wanted] of [
    [{ name: 'Fiji', type: 'polygon', points: square }, 409, { name: 'taken' }],
    [{ name: 'Bow', type: 'polygon', points: [point(0, 0), point(1, 1), point(0, 1), point(1, 0)] }, 400, { points: 'invalid' }],
    [{ name: 'Bow', type: 'polygon', points: [point(0, 179), point(1, -179), point(0, -179), point(1, 179)] }, 400, { points: 'invalid' }],
    [{ name: 'Line', type: 'polygon', points: [point(0, 0), point(1, 1), point(0, 0)] }, 400, { points: 'invalid' }],
    [{ name: 'None', type: 'polygon', points: [] }, 400, { points: 'empty' }],
    [
      { name: 'Out', type: 'polygon', points: [point(0, 0), point(91, 0), point(0, '1')] },
      400,
      { points: [{}, { latitude: 'invalid' }, { longitude: 'invalid' }] },
    ],
    [{ name: 'Out', type: 'square', points: square }, 400, { type: 'invalid' }],
    [{ name: 'Round', type: 'circle', points: [point(0, 0)] }, 400, { radius: 'empty' }],
    [{ name: 'Round', type: 'circle', points: square, radius: 5 }, 400, { points: 'invalid' }],
    [{ name: 'Way', type: 'corridor', points: [point(0, 0)], radius: 5 }, 400, { points: 'invalid' }],
    [{ name: 'Way', type: 'corridor', points: [point(0, 0), point(1, 1)], radius: 5, color: 'red' }, 400, { color: 'invalid' }],
    [{}, 400, { name: 'empty', type: 'empty', points: 'empty' }],
  ] as const) {
    const answer = await post(zone);
    assert.deepEqual([answer.status, answer.object], [status, wanted], JSON.stringify(zone));
  }
  assert.equal((await bert.ask(zones, { json: { name: 'Fiji', type: 'polygon', points: square } })).status, 303, 'unique in the account');
  const xml = await anna.ask(zones, { xml: toXml({ name: 'In XML', type: 'corridor', points: square, radius: 12.5 }) });
  assert.equal(xml.status, 303, xml.text);
  const asXml = await anna.ask(`${xml.location}?_format=xml`);
  assert.deepEqual(fromXml(asXml.text)['points'], asTexts(square));
});

test('where registration is closed it is not there; where it is open it makes an account and answers as a token does', async () => {
  const closed = await ask(anna.gateway.url);
  assert.equal(closed.object['registration_url'], undefined);
  const open = await World.open('--registration', 'open');
  try {
    const entrance = await ask((await ask(open.http)).location);
    const address = entrance.link('registration_url');
    assert.equal((await ask(new URL(new URL(address).pathname, world.http).href, { json: { username: 'x' } })).status, 401);
    const made = await ask(address, { json: { username: 'dora', password: 'long enough', timezone: 'Europe/Vienna' } });
    assert.equal(made.status, 303, made.text);
    assert.match(made.headers['set-cookie']?.[0] ?? '', /^token=[\w-]+; expires=/);
    assert.equal((await ask(made.location)).object['timezone'], 'Europe/Vienna');
    await Client.signIn(open.http, { username: 'dora', password: 'long enough' });
    const taken = await ask(address, { form: { username: 'dora', password: 'long enough' } });
    assert.deepEqual([taken.status, taken.object], [409, { username: 'taken' }]);
    const faults = await ask(address, { json: { username: 'a:b', password: 'short', timezone: 'Mars', email: 'x' } });
    assert.deepEqual(
      [faults.status, faults.object],
      [400, { username: 'invalid', password: 'invalid', timezone: 'invalid', email: 'invalid' }],
    );
    assert.deepEqual((await ask(address, { json: {} })).object, { username: 'empty', password: 'empty' });
  } finally {
    await open.close();
  }
});

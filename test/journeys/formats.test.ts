// Sections 2 and 3 of the interface: methods, formats, and the headers by which a client saves work and avoids lost changes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, type Answer } from '../http.ts';
import { World } from '../world.ts';
import { asTexts, fromXml } from '../xml.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const bert = await world.newClient('bert');
const imei = '356307042441013';
const tracker = await anna.addTracker(imei, { name: 'Van' });
await anna.ask(tracker.link('positions_url'), { json: { ts: 1_700_000_000, latitude: 48.2, longitude: 16.4 } });
const zones = anna.gateway.link('zones_url');
const corners = [
  { latitude: 48, longitude: 16 },
  { latitude: 48, longitude: 17 },
  { latitude: 49, longitude: 16.5 },
];
const zone = await anna.ask((await anna.ask(zones, { json: { name: 'Depot', type: 'polygon', points: corners } })).location);

const typeOf = ({ headers }: Answer): string => headers['content-type']?.split(';')[0] ?? '';
const get = (accept: string | null, query = ''): Promise<Answer> =>
  anna.ask(anna.gateway.url + query, { headers: accept === null ? {} : { accept } });

test('Accept is weighed with its q values; without it, or with */*, the answer is JSON', async () => {
  for (const [accept, type] of [
    [null, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/xml', 'application/xml'],
    ['text/xml', 'application/xml'],
    ['text/html', 'text/html'],
    ['application/json;q=0.5, application/xml', 'application/xml'],
    ['application/json;q=0.5,application/xml;q=0.6,text/html;q=0.7', 'text/html'],
    ['application/json;q=0, */*', 'application/xml'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['image/png, */*;q=0.1', 'application/json'],
    ['APPLICATION/XML', 'application/xml'],
  ] as const) {
    const answer = await get(accept);
    assert.deepEqual([answer.status, typeOf(answer)], [200, type], accept ?? 'none');
    assert.match(answer.headers['content-type'] ?? '', /charset=utf-8/i);
    assert.match(answer.headers.vary ?? '', /\bAccept\b/i);
  }
});

test('nothing acceptable is 406; an unknown _format is 400; with _format, Accept is ignored', async () => {
  for (const accept of ['image/png', 'application/json;q=0', 'text/plain;q=0.5, image/*'])
    assert.equal((await get(accept)).status, 406, accept);
  for (const name of ['jsn', 'JSON', '', 'csv', 'geojson']) assert.equal((await get(null, `?_format=${name}`)).status, 400, name);
  for (const [name, type] of [
    ['json', 'application/json'],
    ['xml', 'application/xml'],
    ['html', 'text/html'],
  ] as const)
    for (const accept of ['image/png', 'text/html', 'application/json'])
      assert.deepEqual(typeOf(await get(accept, `?_format=${name}`)), type);
});

test('failures come in the requested format, as an object whose names begin with an underscore', async () => {
  const missing = (query: string, accept = '*/*'): Promise<Answer> => anna.ask(`${tracker.url}0${query}`, { headers: { accept } });
  const json = await missing('');
  assert.deepEqual([json.status, typeOf(json), json.object['_status'], json.object['_error']], [404, 'application/json', 404, 'not found']);
  const xml = await missing('?_format=xml');
  assert.deepEqual([xml.status, typeOf(xml), fromXml(xml.text)], [404, 'application/xml', asTexts(json.object)]);
  const html = await missing('', 'text/html');
  assert.deepEqual([html.status, typeOf(html), html.text.includes('not found')], [404, 'text/html', true]);
  const faults = await anna.ask(`${zones}?_format=xml`, { json: {} });
  assert.deepEqual([faults.status, fromXml(faults.text)], [400, { name: 'empty', type: 'empty', points: 'empty' }]);
});

test('XML and JSON hold the same object, whatever the kind', async () => {
  for (const address of [
    anna.gateway.url,
    tracker.url,
    tracker.link('positions_url'),
    zone.url,
    zones,
    anna.gateway.link('sample_url'),
    anna.gateway.link('account_url'),
  ]) {
    const json = await anna.ask(address);
    const xml = await anna.ask(`${address}?_format=xml`);
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/[?&](amp;)?_format=xml/g, ''));
    assert.deepEqual(plain(fromXml(xml.text)), plain(asTexts(json.object)), address);
  }
});

test('HEAD answers what GET does, without a body', async () => {
  for (const address of [anna.gateway.url, tracker.url, `${tracker.link('positions_url')}?_format=csv`]) {
    const [head, whole] = [await anna.ask(address, { method: 'HEAD' }), await anna.ask(address)];
    assert.deepEqual([head.status, head.text, head.headers.etag, typeOf(head)], [200, '', whole.headers.etag, typeOf(whole)]);
    assert.equal(head.headers['content-length'], whole.headers['content-length'], address);
  }
});

test('OPTIONS says what an address takes; all else is 405 with the same Allow', async () => {
  for (const [address, allow] of [
    [anna.gateway.url, 'GET, HEAD, OPTIONS'],
    [anna.gateway.link('trackers_url'), 'GET, HEAD, POST, OPTIONS'],
    [tracker.url, 'GET, HEAD, PUT, DELETE, OPTIONS'],
    [tracker.link('positions_url'), 'GET, HEAD, POST, OPTIONS'],
    [zones, 'GET, HEAD, POST, OPTIONS'],
    [zone.url, 'GET, HEAD, PUT, DELETE, OPTIONS'],
    [anna.gateway.link('account_url'), 'GET, HEAD, PUT, OPTIONS'],
    [anna.gateway.link('sample_url'), 'GET, HEAD, PUT, OPTIONS'],
    [anna.gateway.link('live_url'), 'GET, HEAD, OPTIONS'],
    [anna.gateway.link('timezones_url'), 'GET, HEAD, OPTIONS'],
    [anna.gateway.link('tokens_url'), 'GET, HEAD, OPTIONS'],
  ] as const) {
    const options = await anna.ask(address, { method: 'OPTIONS' });
    assert.deepEqual([options.status, options.headers.allow], [200, allow], address);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'].filter((candidate) => !allow.includes(candidate))) {
      const refused = await anna.ask(address, { method, json: {} });
      assert.deepEqual([refused.status, refused.headers.allow], [405, allow], `${method} ${address}`);
    }
  }
});

test('an object read before is 304 while it is the same, and 200 with another ETag once it changed', async () => {
  for (const format of ['', '?_format=xml', '?_format=html']) {
    const first = await anna.ask(tracker.url + format);
    const conditional = (etag: string): Promise<Answer> => anna.ask(tracker.url + format, { headers: { 'if-none-match': etag } });
    const etag = first.headers.etag ?? '';
    assert.match(etag, /^(W\/)?"[^"]+"$/);
    for (const same of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const answer = await conditional(same);
      assert.deepEqual([answer.status, answer.text, answer.headers.etag], [304, '', etag], same);
    }
    assert.equal((await conditional('"other"')).status, 200);
    await anna.ask(tracker.url, { method: 'PUT', json: { name: `Van ${format}` } });
    const changed = await conditional(etag);
    assert.deepEqual([changed.status, changed.headers.etag === etag], [200, false]);
  }
  assert.notEqual((await anna.ask(tracker.url)).headers.etag, (await anna.ask(`${tracker.url}?_format=xml`)).headers.etag);
});

test('If-Match on PUT and DELETE is 412 when the object has changed in between, but not because its tracker has moved', async () => {
  const read = await anna.ask(tracker.url);
  const put = (name: string, etag: string): Promise<Answer> =>
    anna.ask(tracker.url, { method: 'PUT', json: { name }, headers: { 'if-match': etag } });
  await anna.ask(tracker.link('positions_url'), { json: { ts: 1_700_000_060, latitude: 48.3, longitude: 16.4 } });
  const mine = await put('mine', read.headers.etag ?? '');
  assert.equal(mine.status, 200);
  const lost = await put('theirs', read.headers.etag ?? '');
  assert.deepEqual([lost.status, lost.object['_status']], [412, 412]);
  assert.equal((await anna.ask(tracker.url)).object['name'], 'mine');
  assert.equal((await anna.ask(zone.url, { method: 'DELETE', headers: { 'if-match': '"other"' } })).status, 412);
  assert.equal((await put('once more', mine.headers.etag ?? '')).status, 200);
  assert.equal((await put('again', '*')).status, 200);
});

test('a POST answers 303 and its relative Location resolves, a PUT 200 with the object as it now stands, a DELETE 200 and nothing', async () => {
  for (const [address, json] of [
    [zones, { name: 'Made', type: 'polygon', points: corners }],
    [anna.gateway.link('trackers_url'), { imei: '356307042441021' }],
  ] as const) {
    const posted = await anna.ask(`${address}?_tz=Asia/Tokyo&_foo=1`, { json });
    assert.deepEqual([posted.status, posted.text], [303, '']);
    assert.match(posted.headers.location ?? '', /^(?![/?])[^:]*$/);
    const made = await anna.ask(posted.location);
    assert.equal(made.status, 200);
    assert.equal(new URL(made.link('url')).search, '?_tz=Asia%2FTokyo&_foo=1');
    const put = await anna.ask(made.link('url'), { method: 'PUT', json: { name: 'Changed' } });
    assert.deepEqual([put.status, put.object], [200, { ...made.object, name: 'Changed' }]);
    assert.equal((await anna.ask(made.link('url'))).headers.etag, put.headers.etag);
    const gone = await anna.ask(made.link('url'), { method: 'DELETE' });
    assert.deepEqual([gone.status, gone.text], [200, '']);
    assert.equal((await anna.ask(made.link('url'))).status, 404);
  }
});

test("another account's object is as unknown as one that does not exist, by every method", async () => {
  for (const address of [tracker.url, tracker.link('positions_url'), zone.url])
    for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
      const mine = await bert.ask(address, { method, ...(method === 'GET' || method === 'HEAD' ? {} : { json: {} }) });
      const nobodys = address.replace(/(\d+)(\/positions)?$/, '999999999999999$2');
      const missing = await bert.ask(nobodys, { method, ...(method === 'GET' || method === 'HEAD' ? {} : { json: {} }) });
      assert.deepEqual([mine.status, mine.text], [missing.status, missing.text], `${method} ${address}`);
      assert.ok([404, 405].includes(mine.status) || (method === 'POST' && mine.status === 400), `${method} ${address} ${mine.status}`);
    }
  assert.equal((await anna.ask(tracker.url)).status, 200);
});

test('an address that is none is 404 for those who are signed in, and 401 for all others', async () => {
  const nowhere = `${anna.gateway.url}x`;
  assert.deepEqual([(await anna.ask(nowhere)).status, (await ask(nowhere)).status], [404, 401]);
});

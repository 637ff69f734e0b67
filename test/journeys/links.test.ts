// Section 1 of the interface: a client that follows links only gets everywhere, and takes its persistent parameters along.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, type Answer, type Thing } from '../http.ts';
import { World } from '../world.ts';
import { fromXml } from '../xml.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const imei = '356307042441013';
const tracker = await anna.addTracker(imei);
for (let i = 0; i < 5; i++)
  await anna.ask(tracker.link('positions_url'), { json: { ts: 1_700_000_000 + i, latitude: 48.2, longitude: 16.4 } });
const { location: zone } = await anna.ask(anna.gateway.link('zones_url'), {
  json: { name: 'A', type: 'circle', points: [{ latitude: 1, longitude: 2 }], radius: 50 },
});
const { location: target } = await anna.ask(anna.gateway.link('targets_url'), {
  json: { name: 'A', type: 'email', address: 'a@example.org' },
});
await anna.ask((await anna.ask(target)).link('test_url'), { method: 'POST' });
await anna.ask(tracker.link('event_notifications_url'), { json: { event_id: 1, target_url: target } });
await anna.ask(tracker.link('zone_notifications_url'), { json: { zone_url: zone, target_url: target } });

interface Link {
  name: string;
  /** As it stands in the answer. */
  href: string;
}

/** Every property named url or ending in _url, at any depth. */
function linksOf(value: unknown): Link[] {
  if (Array.isArray(value)) return value.flatMap(linksOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Thing).flatMap(([name, inner]) =>
    typeof inner === 'string' && (name === 'url' || name.endsWith('_url')) ? [{ name, href: inner }] : linksOf(inner),
  );
}

const unescape = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
const hrefsOf = (answer: Answer): Link[] =>
  [...answer.text.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)/g)].map(([, href = '', name = '']) => ({ name, href: unescape(href) }));

/** The parameters that persist, as one text. */
const persistentOf = (url: string): string =>
  JSON.stringify(
    [...new URL(url).searchParams]
      .filter(([name]) => name.startsWith('_'))
      .map((pair) => pair.join('='))
      .toSorted((a, b) => a.localeCompare(b)),
  );

/**
 * Follows every link from `start` on. What a link leads to that changes a persistent parameter (another time zone, another format) is
 * asked, and not gone on from. Returns how many addresses were asked.
 */
async function crawl(start: string, read: (answer: Answer) => Link[]): Promise<Set<string>> {
  const seen = new Set([start]);
  const queue = [start];
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const answer = await ask(url, { headers: { cookie: `token=${anna.token}` } });
    assert.equal(answer.status, 200, url);
    for (const { name, href } of read(answer)) {
      assert.match(href, /^[^/?#]/, `${name} at ${url}`);
      assert.doesNotMatch(href, /^[a-z]+:/, `${name} at ${url}`);
      const to: string = new URL(href, url).href;
      const own = new Set<string>(new URL(to).searchParams.keys());
      for (const parameter of new URL(start).searchParams.keys()) assert.ok(own.has(parameter), `${name} at ${url} lost ${parameter}`);
      if (seen.has(to)) continue;
      seen.add(to);
      // A stream has no end, and the description for machines has no links of this interface.
      if (new URL(to).pathname.endsWith('/stream')) continue;
      if (persistentOf(to) === persistentOf(start) && !new URL(to).pathname.endsWith('.json')) {
        const first = await ask(to, { method: 'HEAD', headers: { cookie: `token=${anna.token}` } });
        if (first.status !== 303) queue.push(to);
        else assert.equal(new URL(first.location).pathname, '/rest/v2/gateway', to);
      } else assert.equal((await ask(to, { headers: { cookie: `token=${anna.token}` } })).status, 200, to);
    }
  }
  return new Set([...seen].map((url) => new URL(url).pathname.replace(/^\/rest\/v2\//, '')));
}

/** What there is for this account; reached whatever the format. */
const everything = [
  'gateway',
  'token',
  'auth-basic',
  'auth-digest',
  'tokens',
  'tokens/1',
  'account',
  'account/key',
  'trackers',
  `trackers/${imei}`,
  `trackers/${imei}/positions`,
  `trackers/${imei}/days`,
  `trackers/${imei}/trips`,
  'live',
  'live/stream',
  `trackers/${imei}/events`,
  `trackers/${imei}/event_notifications`,
  `trackers/${imei}/event_notifications/1`,
  `trackers/${imei}/zone_notifications`,
  `trackers/${imei}/zone_notifications/2`,
  'account/signing_secret',
  'zones',
  'zones/1',
  'zones/1/zone_notifications',
  'events',
  'event_types',
  'targets',
  'targets/1',
  'targets/1/test',
  'targets/1/deliveries',
  'targets/1/deliveries/1',
  'timezones',
  'sample',
  'openapi.json',
];

for (const [format, read] of [
  ['json', (answer: Answer) => linksOf(answer.object)],
  ['xml', (answer: Answer) => linksOf(fromXml(answer.text))],
  ['html', hrefsOf],
] as const)
  test(`every object is reached by links in ${format}; every link answers, and repeats the persistent parameters`, async () => {
    const reached = await crawl(`${anna.gateway.url}?_tz=Asia/Tokyo&_format=${format}&_foo=a%20b%26c`, read);
    assert.deepEqual(
      everything.filter((address) => !reached.has(address)),
      [],
    );
  });

test('without persistent parameters links carry none', async () => {
  for (const { href } of linksOf((await anna.ask(anna.gateway.url)).object)) assert.doesNotMatch(href, /\?/);
});

test('the pages of a list are linked, with the persistent parameters and its own bounds', async () => {
  const page = await anna.ask(`${tracker.link('positions_url')}?limit=2&from_ts=1700000001&_tz=Asia/Tokyo`);
  const next = new URL(page.link('next_url')).searchParams;
  assert.deepEqual([next.get('limit'), next.get('from_ts'), next.get('_tz')], ['2', '1700000001', 'Asia/Tokyo']);
  const all = await anna.positions(tracker, '?limit=2&from_ts=1700000001');
  assert.deepEqual(
    all.map(({ ts }) => ts),
    [1, 2, 3, 4].map((i) => 1_700_000_000 + i),
  );
});

test('the time zones lead to the gateway with _tz set; an unknown _tz is 400', async () => {
  const list = await anna.go('timezones_url');
  assert.equal(list.object['timezone'], 'UTC');
  const names = list.list('timezones').map(({ name }) => String(name));
  for (const name of ['UTC', 'Europe/Vienna', 'Europe/Kyiv', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires'])
    assert.ok(names.includes(name), name);
  const vienna = list.list('timezones').find(({ name }) => name === 'Europe/Vienna');
  assert.equal((await anna.ask(list.link('url', vienna))).object['timezone'], 'Europe/Vienna');
  for (const wrong of ['Mars/Base', '', '%2B02:00', 'Europe/Vienna%00'])
    assert.equal((await anna.ask(`${anna.gateway.url}?_tz=${wrong}`)).status, 400, wrong);
});

test('the service root and the address of the service lead to the gateway', async () => {
  for (const path of ['/', '/rest/v2', '/rest/v2/']) {
    const answer = await ask(world.http + path + '?_tz=Asia/Tokyo');
    assert.deepEqual([answer.status, answer.location], [303, `${anna.gateway.url}?_tz=Asia%2FTokyo`], path);
  }
});

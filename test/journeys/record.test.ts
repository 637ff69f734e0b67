// The record of a tracker over the interface: pages, exports and positions that a client posts itself.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { benchImeis } from '../../bench/imeis.ts';
import { Device, record } from '../devices.ts';
import { without, type Answer, type Thing } from '../http.ts';
import { World } from '../world.ts';
import { fromXml, toXml } from '../xml.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const imeis = benchImeis(50).values();
const nextImei = (): string => imeis.next().value ?? '';
const first = 1_700_000_000;

/** A tracker that drives north-west at 7 m/s, with `count` positions by device, five in each second, one in ten without a fix. */
async function drivenTracker(count: number): Promise<Answer> {
  const imei = nextImei();
  await anna.addTracker(imei);
  const device = await Device.login(world.place('teltonika', 'tcp'), imei);
  const records = Array.from({ length: count }, (_, i) =>
    record((first + Math.floor(i / 5)) * 1000 + (i % 2) * 500, {
      latitude: 48 + i / 100_000,
      longitude: 16 - i / 100_000,
      speedKmh: i % 130,
      angle: i % 360,
      satellites: i % 10,
      elements: [
        [239, 1, i % 2],
        [16, 4, 1000 + i * 7],
        [67, 2, 3900 + (i % 100)],
        [200, 1, i % 256],
      ],
    }),
  );
  for (let at = 0; at < count; at += 50) assert.ok((await device.send(records.slice(at, at + 50), 0x8e)) !== null);
  device.close();
  return anna.tracker(imei);
}

const driven = await drivenTracker(503);
const whole = await anna.positions(driven);
const withoutReceipt = (positions: Thing[]): Thing[] => positions.map((position) => without(position, ['recv_ts']));

test('following next_url reaches every position exactly once, in the order of time, whatever the limit', async () => {
  assert.equal(whole.length, 503);
  assert.equal(new Set(whole.map(({ latitude }) => latitude)).size, 503);
  const times = whole.map(({ ts }) => Number(ts));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  for (const limit of [7, 100, 502, 503, 504, 100_000]) assert.deepEqual(await anna.positions(driven, `?limit=${limit}`), whole);
});

test('positions that arrive while a client pages are neither skipped nor shown twice', async () => {
  const tracker = await drivenTracker(40);
  const seen: Thing[] = [];
  const positions = tracker.link('positions_url');
  let page = await anna.ask(`${positions}?limit=7`);
  for (let i = 0; ; i++) {
    seen.push(...page.list('positions'));
    // One that lies behind the page, and one far ahead. Nothing can be so soon so far away: what is doubted is listed as well.
    await anna.ask(positions, { json: { ts: first - 100 + i, latitude: -10, longitude: i } });
    await anna.ask(positions, { json: { ts: first + 1000 + i, latitude: -20, longitude: i } });
    if (page.object['next_url'] === null || i > 20) break;
    page = await anna.ask(page.link('next_url'));
  }
  const south = seen.filter(({ latitude }) => latitude === -20);
  assert.equal(seen.filter(({ latitude }) => Number(latitude) > 0).length, 40);
  assert.deepEqual(
    south.map(({ longitude }) => longitude),
    south.map((_, i) => i),
  );
  assert.ok(south.length > 5 && !seen.some(({ latitude }) => latitude === -10));
});

test('from_ts and to_ts bound the list, both included; bounds that are none are 400', async () => {
  const some = await anna.positions(driven, `?from_ts=${first + 10}&to_ts=${first + 12}&limit=4`);
  assert.deepEqual(
    some,
    whole.filter(({ ts }) => Number(ts) >= first + 10 && Number(ts) <= first + 12),
  );
  assert.equal(some.length, 15);
  assert.deepEqual(await anna.positions(driven, '?from_ts=5000000000'), []);
  for (const query of ['limit=0', 'limit=x', 'limit=-1', 'from_ts=now', 'to_ts=1e99', 'after=x', 'limit=']) {
    const answer = await anna.ask(`${driven.link('positions_url')}?${query}`);
    assert.deepEqual([answer.status, answer.object['_status']], [400, 400], query);
  }
});

test('the XML of a page holds the same positions', async () => {
  const xml = await anna.ask(`${driven.link('positions_url')}?limit=50&_format=xml`);
  const listed = fromXml(xml.text)['positions'] as Record<string, string>[];
  assert.deepEqual(
    listed.map(({ ts, latitude, speed }) => [ts, latitude, speed]),
    whole.slice(0, 50).map(({ ts, latitude, speed }) => [ts, latitude, speed].map(String)),
  );
});

test('a position is posted as form, JSON, XML and in a list; again, it changes nothing', async () => {
  const tracker = await anna.addTracker(nextImei());
  const address = tracker.link('positions_url');
  const at = (ts: number): Thing => ({
    ts,
    latitude: 48.25,
    longitude: 16.5,
    speed: 36,
    heading: 360,
    satellites: 7,
    ignition: true,
    odometer_dist: 12.5,
  });
  const form = Object.fromEntries(Object.entries(at(first)).map(([name, value]) => [name, String(value)]));
  for (const sending of [
    { form },
    { json: at(first + 1) },
    { xml: toXml(at(first + 2)) },
    { json: { positions: [at(first + 3), at(first + 4)] } },
    { xml: toXml({ positions: [at(first + 5), at(first + 6)] }) },
  ]) {
    const posted = await anna.ask(address, sending);
    assert.equal(posted.status, 303, posted.text);
    const count = (await anna.ask(posted.location)).list('positions').length;
    assert.equal((await anna.ask(address, sending)).status, 303);
    assert.equal((await anna.ask(posted.location)).list('positions').length, count);
  }
  const positions = withoutReceipt(await anna.positions(tracker));
  assert.deepEqual(
    positions,
    [0, 1, 2, 3, 4, 5, 6].map((i) => ({ ...at(first + i), heading: 0, valid: true })),
  );
  assert.equal((await anna.ask(tracker.url)).object['pos_ts'], first + 6);
});

test('faults of posted positions keep their places in the list, and none of the list is stored', async () => {
  const tracker = await anna.addTracker(nextImei());
  const address = tracker.link('positions_url');
  const good = { ts: first, latitude: 1, longitude: 2 };
  for (const [json, wanted] of [
    [{}, { ts: 'empty', latitude: 'empty', longitude: 'empty' }],
    [
      { ...good, latitude: 90.1, speed: -1, heading: 361 },
      { latitude: 'invalid', speed: 'invalid', heading: 'invalid' },
    ],
    [
      { positions: [good, { ...good, longitude: 181 }, {}] },
      { positions: [{}, { longitude: 'invalid' }, { ts: 'empty', latitude: 'empty', longitude: 'empty' }] },
    ],
    [{ positions: 5 }, { positions: 'invalid' }],
  ] as const) {
    const answer = await anna.ask(address, { json });
    assert.deepEqual([answer.status, answer.object], [400, wanted], JSON.stringify(json));
  }
  assert.deepEqual(await anna.positions(tracker), []);
});

test('exports hold every position that their format can: CSV and GeoJSON all, GPX and KML those that are valid', async () => {
  const exported = async (format: string, type: string): Promise<string> => {
    const answer = await anna.ask(`${driven.link('positions_url')}?_format=${format}`);
    assert.deepEqual([answer.status, answer.headers['content-type']?.split(';')[0]], [200, type]);
    assert.match(answer.headers['content-disposition'] ?? '', new RegExp(`^attachment; filename="[\\w.-]+\\.${format}"$`));
    return answer.text;
  };
  const valid = whole.filter((position) => position['valid'] === true);
  assert.ok(valid.length > 400 && valid.length < whole.length);
  const pairs = (positions: Thing[]): string[] => positions.map(({ latitude, longitude }) => `${String(latitude)} ${String(longitude)}`);

  const csv = (await exported('csv', 'text/csv')).trim().split('\r\n');
  const columns = (csv[0] ?? '').split(',');
  const rows = csv.slice(1).map((line) => line.split(','));
  assert.deepEqual(
    rows.map((row) => `${row[columns.indexOf('latitude')]} ${row[columns.indexOf('longitude')]}`),
    pairs(whole),
  );

  const geojson = JSON.parse(await exported('geojson', 'application/geo+json')) as { features: { geometry: { coordinates: number[] } }[] };
  assert.deepEqual(
    geojson.features.map(
      ({
        geometry: {
          coordinates: [longitude, latitude],
        },
      }) => `${latitude} ${longitude}`,
    ),
    pairs(whole),
  );

  const gpx = await exported('gpx', 'application/gpx+xml');
  assert.deepEqual(
    [...gpx.matchAll(/<trkpt lat="([^"]+)" lon="([^"]+)"/g)].map(([, latitude, longitude]) => `${latitude} ${longitude}`),
    pairs(valid),
  );

  const kml = await exported('kml', 'application/vnd.google-earth.kml+xml');
  const coordinates = [...kml.matchAll(/<gx:coord>(\S+) (\S+)/g)].map(([, longitude, latitude]) => `${latitude} ${longitude}`);
  assert.deepEqual(coordinates, pairs(valid));
});

test('a CSV export imported into another tracker gives equal positions; once more, nothing', async () => {
  const answer = await anna.ask(`${driven.link('positions_url')}?_format=csv`);
  const file = join(world.data, 'export.csv');
  writeFileSync(file, answer.bytes);
  const imei = nextImei();
  await anna.addTracker(imei);
  const imported = async (): Promise<Thing | undefined> => {
    const { code, stdout, stderr } = await world.run(['import', '--imei', imei, '--account', 'anna', '--json', file]);
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as Thing[])[0];
  };
  const before = await imported();
  const tracker = await anna.tracker(imei);
  const copies = withoutReceipt(await anna.positions(tracker));
  // Reports of the same second that differ in nothing else that is exported are one to whoever reads the export.
  const text = (position: Thing): string => JSON.stringify(position);
  assert.deepEqual(copies.map(text).toSorted(), withoutReceipt(whole).map(text).toSorted());
  assert.deepEqual(before, { file, format: 'csv', read: 503, stored: 503, known: 0, skipped: 0 });
  assert.deepEqual(await imported(), { file, format: 'csv', read: 503, stored: 0, known: 503, skipped: 0 });
});

test('what else a device sent is there on request, in both formats', async () => {
  const page = await anna.ask(`${driven.link('positions_url')}?limit=3&attributes=1`);
  const told = page.list('positions').map((position) => position['attributes'] as { name: string; value: string }[]);
  assert.ok(told.every((list) => list.some(({ name }) => name === 'io200')));
  assert.match(page.link('next_url'), /attributes=1/);
  const xml = await anna.ask(`${driven.link('positions_url')}?limit=3&attributes=1&_format=xml`);
  assert.deepEqual(
    (fromXml(xml.text)['positions'] as Thing[]).map(({ attributes }) => attributes),
    told,
  );
});

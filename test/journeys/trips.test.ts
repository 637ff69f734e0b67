// Trips and days over the interface, from posted positions on: what was driven, when, in whichever time zone; what people write on
// trips; and both in the formats of other programs.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SaxesParser } from 'saxes';
import { benchImeis } from '../../bench/imeis.ts';
import { without, type Answer, type Thing } from '../http.ts';
import { until, World } from '../world.ts';
import { asTexts, fromXml, toXml } from '../xml.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const bert = await world.newClient('bert');
const imeis = benchImeis(50).values();
const nextImei = (): string => imeis.next().value ?? '';
const ts = (iso: string): number => Date.parse(iso) / 1000;

/** Metres in a degree of longitude at 48° north, WGS 84. */
const DEGREE = 74_627;
const SPEED = 15;

/** Straight east from `from` to `to`, a position every 10 s, the ignition on all the way and off at the end. */
function drive(from: number, to: number, { latitude = 48, longitude = 16 } = {}): Thing[] {
  const positions: Thing[] = [];
  for (let at = from; at <= to; at += 10)
    positions.push({
      ts: at,
      latitude,
      longitude: Math.round((longitude + ((at - from) * SPEED) / DEGREE) * 1e7) / 1e7,
      speed: at === from || at === to ? 0 : SPEED * 3.6,
      ignition: at < to,
    });
  return positions;
}

/** Where such a drive leads. */
const behind = (from: number, to: number, longitude = 16): number => longitude + ((to - from) * SPEED) / DEGREE;

async function post(tracker: Answer, positions: readonly Thing[]): Promise<void> {
  const posted = await anna.ask(tracker.link('positions_url'), { json: { positions } });
  assert.equal(posted.status, 303, posted.text);
}

async function newTracker(...drives: readonly Thing[][]): Promise<Answer> {
  const tracker = await anna.addTracker(nextImei(), { name: 'Van' });
  for (const positions of drives) await post(tracker, positions);
  return tracker;
}

const tripsOf = async (tracker: Answer, query = ''): Promise<Answer> => anna.ask(tracker.link('trips_url') + query);
const daysOf = async (tracker: Answer, query: string): Promise<Thing[]> => (await anna.ask(tracker.link('days_url') + query)).list('days');
/** The trip's own address. */
async function only(tracker: Answer): Promise<Answer> {
  const page = await tripsOf(tracker);
  const [trip, ...others] = page.list('trips');
  assert.deepEqual([trip === undefined, others], [false, []]);
  return anna.ask(page.link('url', trip));
}
const seconds = (duration: unknown): number => {
  const [h = 0, m = 0, s = 0] = String(duration).split(':').map(Number);
  return h * 3600 + m * 60 + s;
};
const near = (value: unknown, wanted: number, share = 0.01): void =>
  assert.ok(Math.abs(Number(value) - wanted) <= wanted * share, `${String(value)} is not near ${wanted}`);

const morning = ts('2026-10-05T07:00:00Z');
const driven = await newTracker(
  drive(morning, morning + 1800),
  drive(morning + 7200, morning + 9000, { longitude: behind(morning, morning + 1800) }),
);

test('a trip tells when, where, how far and how fast, and leads to its positions', async () => {
  const page = await tripsOf(driven);
  const [first, second] = page.list('trips');
  assert.deepEqual([page.list('trips').length, page.object['next_url']], [2, null]);
  const { start, end } = first as { start: Thing; end: Thing };
  assert.deepEqual([first?.['start_ts'], first?.['end_ts'], second?.['start_ts']], [morning, morning + 1800, morning + 7200]);
  assert.deepEqual([start, end['address']], [{ latitude: 48, longitude: 16, address: null }, null]);
  near(end['longitude'], behind(morning, morning + 1800), 1e-5);
  near(first?.['drive_dist'], 27);
  near(first?.['avg_speed'], 54, 0.02);
  assert.equal(first?.['max_speed'], 54);
  assert.equal(seconds(first?.['drive_t']) + seconds(first?.['idle_t']), 1800);
  assert.deepEqual([first?.['purpose'], first?.['note'], first?.['driver']], [null, null, null]);
  const positions = await anna.ask(page.link('positions_url', first));
  assert.deepEqual([positions.list('positions').length, positions.list('positions')[0]?.['ts']], [181, morning]);
  const alone = (await anna.ask(page.link('url', first))).object;
  const links = ['url', 'positions_url'];
  assert.deepEqual(without(alone, links), without(first ?? {}, links));
  assert.equal(new URL(String(alone['positions_url']), page.link('url', first)).href, page.link('positions_url', first));
  const xml = fromXml((await tripsOf(driven, '?_format=xml')).text);
  assert.deepEqual(
    (xml['trips'] as Thing[]).map((trip) => without(trip, links)),
    asTexts(page.list('trips').map((trip) => without(trip, links))),
  );
});

test('trips come in pages, and bounded by what they have in common with a stretch', async () => {
  const tracker = await newTracker(...[0, 1, 2, 3, 4].map((i) => drive(morning + i * 3600, morning + i * 3600 + 600)));
  const starts: unknown[] = [];
  for (let page = await tripsOf(tracker, '?limit=2&_tz=Asia/Tokyo'); ; page = await anna.ask(page.link('next_url'))) {
    starts.push(...page.list('trips').map((trip) => trip['start_ts']));
    if (page.object['next_url'] === null) break;
    assert.match(page.link('next_url'), /_tz=Asia/);
  }
  const all = [0, 1, 2, 3, 4].map((i) => morning + i * 3600);
  assert.deepEqual(starts, all);
  for (const [from, to, found] of [
    [3600 + 300, 7200, [1, 2]],
    [3600 + 600, 7199, []],
    [3600 + 599, 7199, [1]],
    [4 * 3600, 9e6, [4]],
  ] as const) {
    const page = await tripsOf(tracker, `?from_ts=${morning + from}&to_ts=${morning + to}`);
    assert.deepEqual(
      page.list('trips').map((trip) => trip['start_ts']),
      found.map((i) => all[i]),
      `${from} ${to}`,
    );
  }
  for (const query of ['limit=0', 'from_ts=x', 'after=x', 'to_ts=-1'])
    assert.equal((await tripsOf(tracker, `?${query}`)).status, 400, query);
});

test('a trip under way has no end yet, and its day counts it as far as it has come', async () => {
  const from = Math.floor(Date.now() / 1000) - 1200;
  const tracker = await newTracker(drive(from, from + 900).slice(0, -1));
  const trip = await only(tracker);
  const { start_ts, end_ts, end, drive_dist } = trip.object;
  assert.deepEqual({ start_ts, end_ts, end }, { start_ts: from, end_ts: null, end: null });
  assert.ok(Number(drive_dist) > 10, String(drive_dist));
  assert.match(fromXml((await anna.ask(`${trip.url}?_format=xml`)).text)['start_ts'] as string, /^\d+$/);
  const days = await daysOf(tracker, '');
  assert.equal(days.length, 31);
  assert.ok(days.some((day) => Number(day['trip_count']) === 1));
  const sum = days.reduce((total, day) => total + Number(day['drive_dist']), 0);
  near(sum, Number(drive_dist), 1e-6);
  const geojson = JSON.parse((await anna.ask(`${trip.url}?_format=geojson`)).text) as {
    features: { geometry: { coordinates: unknown[] } }[];
  };
  assert.equal(geojson.features[0]?.geometry.coordinates.length, 90);
});

test('days of 23, 24 and 25 hours are cut at the midnights of _tz, and add up to the trips', async () => {
  // In Vienna the clock goes back in the night to the 25th of October, so that day has 25 hours, from 22:00 to 23:00 UTC.
  const [first, second] = [ts('2026-10-24T21:30:00Z'), ts('2026-10-25T22:45:00Z')];
  const tracker = await newTracker(drive(first, first + 3600), drive(second, second + 1800, { longitude: behind(first, first + 3600) }));
  const vienna = await daysOf(tracker, '?from_dt=2026-10-24&to_dt=2026-10-26&_tz=Europe/Vienna');
  assert.deepEqual(
    vienna.map(({ day_dt, trip_count, start_ts, end_ts }) => [day_dt, trip_count, start_ts, end_ts]),
    [
      ['2026-10-24', 1, first, ts('2026-10-24T22:00:00Z')],
      ['2026-10-25', 2, ts('2026-10-24T22:00:00Z'), ts('2026-10-25T23:00:00Z')],
      ['2026-10-26', 1, ts('2026-10-25T23:00:00Z'), second + 1800],
    ],
  );
  for (const [i, km] of [27, 40.5, 13.5].entries()) near(vienna[i]?.['drive_dist'], km, 0.02);
  const utc = await daysOf(tracker, '?from_dt=2026-10-24&to_dt=2026-10-26');
  assert.deepEqual(
    utc.map(({ trip_count, max_speed, start_ts }) => [trip_count, max_speed, start_ts]),
    [
      [1, 54, first],
      [1, 54, second],
      [0, null, null],
    ],
  );
  const trips = (await tripsOf(tracker)).list('trips');
  for (const days of [vienna, utc, await daysOf(tracker, '?from_dt=2026-10-23&to_dt=2026-10-27&_tz=Asia/Kathmandu')])
    for (const name of ['drive_dist', 'drive_t', 'idle_t']) {
      const sum = (list: readonly Thing[]): number =>
        Math.round(list.reduce((total, one) => total + (name === 'drive_dist' ? Number(one[name]) : seconds(one[name])), 0) * 1e6) / 1e6;
      assert.equal(sum(days), sum(trips), name);
    }
  // What a day leads to is what it counted, and the time zone goes along.
  const page = await anna.ask(`${tracker.link('days_url')}?from_dt=2026-10-25&to_dt=2026-10-25&_tz=Europe/Vienna`);
  const link = page.link('trips_url', page.list('days')[0]);
  assert.match(link, /_tz=Europe%2FVienna/);
  assert.equal((await anna.ask(link)).list('trips').length, 2);
  const spring = await daysOf(tracker, '?from_dt=2026-03-28&to_dt=2026-03-30&_tz=Europe/Vienna');
  assert.deepEqual(
    spring
      .map((day) => new URLSearchParams(String(day['trips_url']).split('?')[1]))
      .map((query) => Number(query.get('to_ts')) + 1 - Number(query.get('from_ts'))),
    [86_400, 82_800, 86_400],
  );
});

test("without _tz the account's own time zone counts", async () => {
  const tracker = await newTracker(drive(ts('2026-10-09T23:00:00Z'), ts('2026-10-09T23:10:00Z')));
  const account = anna.gateway.link('account_url');
  const day = async (): Promise<unknown> =>
    (await daysOf(tracker, '?from_dt=2026-10-09&to_dt=2026-10-11')).find(({ trip_count }) => trip_count !== 0)?.['day_dt'];
  assert.equal(await day(), '2026-10-09');
  await anna.ask(account, { method: 'PUT', json: { timezone: 'Asia/Tokyo' } });
  assert.equal(await day(), '2026-10-10');
  await anna.ask(account, { method: 'PUT', json: { timezone: 'UTC' } });
});

test('every day of the range is there; a range that is none, or is too long, is 400', async () => {
  const dates = async (query: string): Promise<unknown[]> => (await daysOf(driven, query)).map(({ day_dt }) => day_dt);
  const today = new Date().toISOString().slice(0, 10);
  const usual = await dates('');
  assert.deepEqual([usual.length, usual.at(-1)], [31, today]);
  assert.deepEqual(await dates('?from_dt=2026-10-04&to_dt=2026-10-06'), ['2026-10-04', '2026-10-05', '2026-10-06']);
  assert.equal((await dates('?to_dt=2024-12-31&from_dt=2024-01-01')).length, 366);
  assert.deepEqual(await dates('?from_dt=2100-01-01'), ['2100-01-01']);
  const [empty] = await daysOf(driven, '?from_dt=2026-10-04&to_dt=2026-10-04');
  assert.deepEqual(without(empty ?? {}, ['trips_url']), {
    day_dt: '2026-10-04',
    drive_t: '00:00:00',
    drive_dist: 0,
    idle_t: '00:00:00',
    trip_count: 0,
    max_speed: null,
    start_ts: null,
    end_ts: null,
  });
  for (const query of [
    'from_dt=2026-10-06&to_dt=2026-10-05',
    'from_dt=2024-01-01&to_dt=2025-01-01',
    'from_dt=2026-02-30',
    'from_dt=yesterday',
    'to_dt=2026-1-1',
    'to_dt=',
    'to_dt=1969-12-31',
    'from_dt=%2B012026-01-01',
  ]) {
    const answer = await anna.ask(`${driven.link('days_url')}?${query}`);
    assert.deepEqual([answer.status, answer.object['_status']], [400, 400], query);
  }
  const csv = (await anna.ask(`${driven.link('days_url')}?from_dt=2026-10-04&to_dt=2026-10-06&_format=csv`)).text.trim().split('\r\n');
  assert.deepEqual([csv.length, csv[2]?.startsWith('2026-10-05,')], [4, true]);
});

test('what is written on a trip stays; faults are told all at once', async () => {
  const tracker = await newTracker(drive(morning, morning + 600));
  const trip = await only(tracker);
  const put = (sending: object): Promise<Answer> => anna.ask(trip.url, { method: 'PUT', ...sending });
  const words = { purpose: 'business', note: 'To <Vienna>\n& back', driver: { name: 'Ännä' } };
  const changed = await put({ json: { ...words, drive_dist: 1, start_ts: 5 } });
  assert.deepEqual([changed.status, changed.object], [200, { ...trip.object, ...words }]);
  const [xml, other] = [await anna.ask(`${trip.url}?_format=xml`), await put({ xml: toXml(changed.object) })];
  assert.deepEqual([fromXml(xml.text)['driver'], other.status, other.object], [words.driver, 200, changed.object]);
  assert.deepEqual((await put({ json: changed.object })).object, changed.object);
  assert.deepEqual((await put({ json: { note: 'Only the note' } })).object, { ...changed.object, note: 'Only the note' });
  const faults = await put({ json: { purpose: 'holiday', note: 5, driver: {} } });
  assert.deepEqual([faults.status, faults.object], [400, { purpose: 'invalid', note: 'invalid', driver: { name: 'empty' } }]);
  assert.equal((await put({ form: { purpose: 'private' } })).status, 415);
  const stale = await put({ json: { note: 'x' }, headers: { 'if-match': changed.headers.etag ?? '' } });
  assert.equal(stale.status, 412);
  const cleared = await put({ json: { purpose: null, note: '', driver: null } });
  assert.deepEqual([cleared.status, cleared.object], [200, trip.object]);
  assert.deepEqual((await put({ xml: '<root><purpose></purpose><driver type="null"/></root>' })).object, trip.object);
  const options = await anna.ask(trip.url, { method: 'OPTIONS' });
  assert.equal(options.headers.allow, 'GET, HEAD, PUT, OPTIONS');
});

test("another account's trips and days are as unknown as those that do not exist", async () => {
  const page = await tripsOf(driven);
  const trip = page.link('url', page.list('trips')[0]);
  for (const address of [driven.link('trips_url'), driven.link('days_url'), trip])
    for (const method of ['GET', 'HEAD', 'PUT'])
      for (const format of ['', '?_format=gpx', '?_format=csv']) {
        const answer = await bert.ask(address + format, { method, ...(method === 'PUT' && { json: {} }) });
        // That days are no track and take no PUT, nor lists, is no secret.
        const open = (address.endsWith('days') && format.endsWith('gpx')) || method === 'PUT';
        assert.ok(answer.status === 404 || (open && [400, 405].includes(answer.status)), `${method} ${address}${format} ${answer.status}`);
      }
  for (const wrong of ['0', 'x', '1e3', '99999999999999999999', '-1'])
    assert.equal((await anna.ask(trip.replace(/\d+$/, wrong))).status, 404, wrong);
  // A trip is found under its own tracker alone.
  const other = await newTracker();
  assert.equal((await anna.ask(trip.replace(String(driven.object['imei']), String(other.object['imei'])))).status, 404);
});

test('exports: tracks of every trip with its valid positions, rows without them', async () => {
  const jump = { ts: morning + 905, latitude: -48, longitude: -16, ignition: true };
  const tracker = await newTracker(
    drive(morning, morning + 1800),
    [jump, { ts: morning + 906, latitude: 48, longitude: 16, satellites: 0 }],
    drive(morning + 7200, morning + 9000, { longitude: behind(morning, morning + 1800) }),
  );
  const exported = async (address: string, format: string): Promise<string> => {
    const answer = await anna.ask(`${address}?_format=${format}`);
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.headers['content-disposition'] ?? '', new RegExp(`^attachment; filename="[\\w.-]+\\.${format}"$`));
    if (format === 'gpx' || format === 'kml') {
      const parser = new SaxesParser({ xmlns: true });
      parser.on('error', (error) => {
        throw error;
      });
      parser.write(answer.text).close();
    }
    return answer.text;
  };
  const trips = tracker.link('trips_url');
  const page = await tripsOf(tracker);
  const one = page.link('url', page.list('trips')[1]);
  assert.deepEqual([page.list('trips').length, page.list('trips')[0]?.['end_ts']], [2, morning + 1800]);
  const count = (text: string, part: string): number => text.split(part).length - 1;
  const [gpx, kml, csv] = [await exported(trips, 'gpx'), await exported(trips, 'kml'), await exported(trips, 'csv')];
  assert.deepEqual([count(gpx, '<trk>'), count(gpx, '<trkpt')], [2, 362]);
  assert.deepEqual([count(kml, '<Placemark>'), count(kml, '<gx:coord>')], [2, 362]);
  assert.equal(count(csv, '\r\n'), 3);
  const geojson = JSON.parse(await exported(trips, 'geojson')) as { features: { geometry: { type: string; coordinates: number[][] } }[] };
  assert.deepEqual(
    geojson.features.map(({ geometry: { type, coordinates } }) => [type, coordinates.length]),
    [
      ['LineString', 181],
      ['LineString', 181],
    ],
  );
  assert.deepEqual([count(await exported(one, 'gpx'), '<trkpt'), count(await exported(one, 'kml'), '<gx:coord>')], [181, 181]);
  assert.equal(count(await exported(one, 'csv'), '\r\n'), 2);
  assert.equal((JSON.parse(await exported(one, 'geojson')) as { features: unknown[] }).features.length, 1);
  for (const [query, status] of [
    ['?_format=gpx&limit=5', 400],
    [`?_format=gpx&from_ts=${morning + 7200}`, 200],
  ] as const)
    assert.equal((await tripsOf(tracker, query)).status, status);
  const html = await anna.ask(one, { headers: { accept: 'text/html' } });
  assert.ok(html.text.includes('drive_dist') && html.text.includes('_format=gpx'));
});

test('a way across the 180th meridian is cut there', async () => {
  const positions = drive(morning, morning + 1800, { longitude: 179.8 }).map((position) => {
    const longitude = Number(position['longitude']);
    return { ...position, longitude: longitude > 180 ? Math.round((longitude - 360) * 1e7) / 1e7 : longitude };
  });
  const trip = await only(await newTracker(positions));
  near(trip.object['drive_dist'], 27);
  const { features } = JSON.parse((await anna.ask(`${trip.url}?_format=geojson`)).text) as {
    features: { geometry: { type: string; coordinates: number[][][] } }[];
  };
  const [geometry] = features.map((feature) => feature.geometry);
  assert.deepEqual(
    [geometry?.type, geometry?.coordinates.map((line) => [line[0]?.[0], line.at(-1)?.[0]].map((x) => Math.abs(x ?? 0) === 180))],
    ['MultiLineString', [[false, true], [true, false]]],
  ); // prettier-ignore
});

test('the address of a trip that vanished leads on, and nothing that was written is lost', async () => {
  const tracker = await newTracker(drive(morning, morning + 1800));
  const trip = await only(tracker);
  await anna.ask(trip.url, { method: 'PUT', json: { note: 'Own' } });
  // What late reports do: this trip took the place of another one.
  const database = new DatabaseSync(join(world.data, 'waypost.db'), { timeout: 5000 });
  const { lastInsertRowid } = database
    .prepare(
      `insert into trips (tracker_id, start_time, start_latitude, start_longitude, opened, end_time, vanished, note, driver, purpose)
       select tracker_id, start_time + 60000, 48, 16, opened, end_time, 1, 'Old', 'Anna', 'commute' from trips where id = ?`,
    )
    .run(Number(trip.url.split('/').at(-1)));
  database.close();
  const old = trip.url.replace(/\d+$/, String(lastInsertRowid));
  const shown = { ...trip.object, note: 'Own\nOld', driver: { name: 'Anna' }, purpose: 'commute' };
  for (const method of ['GET', 'HEAD']) {
    const moved = await anna.ask(`${old}?_format=json&_tz=UTC`, { method });
    assert.deepEqual([moved.status, moved.location], [303, `${trip.url}?_format=json&_tz=UTC`], method);
  }
  assert.equal((await anna.ask(`${old}?_format=gpx`)).status, 303);
  assert.deepEqual((await anna.ask(trip.url)).object, shown);
  const put = await anna.ask(old, { method: 'PUT', json: { purpose: 'private' } });
  assert.deepEqual(
    [put.status, without(put.object, ['positions_url'])],
    [200, { ...without(shown, ['positions_url']), purpose: 'private' }],
  );
  assert.deepEqual((await anna.ask(trip.url)).object, { ...shown, purpose: 'private' });
  assert.deepEqual((await tripsOf(tracker)).list('trips')[0]?.['note'], 'Own\nOld');
});

test('reports that come late join two trips into one, which shows what was written on both', async () => {
  const silent = (positions: Thing[]): Thing[] => positions.map((position) => without(position, ['ignition']));
  // A stop of nine minutes on the way, of which it turns out that it was none: the vehicle drove there and back.
  const end = behind(morning, morning + 900);
  const [there, back] = [
    drive(morning + 910, morning + 1170, { longitude: end }),
    drive(morning + 910, morning + 1170, { longitude: end }),
  ];
  const returning = back.toReversed().map((position, i) => ({ ...position, ts: morning + 1170 + i * 10 }));
  const second = drive(morning + 1440, morning + 2340, { longitude: end });
  const parked = Array.from({ length: 20 }, (_, i) => ({ ...second.at(-1), ts: morning + 2400 + i * 60, speed: 0 }));
  const tracker = await newTracker(silent(drive(morning, morning + 900)), silent(second), silent(parked));
  const page = await tripsOf(tracker);
  assert.equal(page.list('trips').length, 2);
  const addresses = page.list('trips').map((trip) => page.link('url', trip));
  for (const [i, address] of addresses.entries()) await anna.ask(address, { method: 'PUT', json: { note: `Note ${i}` } });
  await post(tracker, silent([...there, ...returning]));
  const trip = await only(tracker);
  assert.deepEqual(String(trip.object['note']).split('\n').toSorted(), ['Note 0', 'Note 1']);
  near(trip.object['drive_dist'], 27 + 2 * 3.9, 0.05);
  const leads = await Promise.all(addresses.map((address) => anna.ask(address)));
  assert.deepEqual(
    leads.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 303],
  );
  for (const lead of leads) assert.equal(lead.status === 303 ? lead.location : lead.url, trip.url);
});

test("a tracker's own thresholds are checked, kept, and find its trips anew", async () => {
  // Ten minutes of standing on the way, which part the trip in two.
  const half = drive(morning, morning + 900).map((position) => without(position, ['ignition']));
  const pause = Array.from({ length: 9 }, (_, i) => ({ ...half.at(-1), ts: morning + 960 + i * 60 }));
  const rest = drive(morning + 1500, morning + 2400, { longitude: Number(half.at(-1)?.['longitude']) }).map((position) =>
    without(position, ['ignition']),
  );
  const still = Array.from({ length: 30 }, (_, i) => ({ ...rest.at(-1), ts: morning + 2460 + i * 60 }));
  const tracker = await newTracker([...half, ...pause, ...rest, ...still]);
  assert.equal((await tripsOf(tracker)).list('trips').length, 2);
  const own = {
    trip_source: 'movement',
    stop_t: '00:15:00',
    gap_t: '00:20:00',
    stop_radius: 50,
    trip_min_dist: 0.3,
    offline_t: '00:00:00',
  };
  const put = (json: Thing): Promise<Answer> => anna.ask(tracker.url, { method: 'PUT', json });
  const faults = await put({
    trip_source: 'magic',
    stop_t: '00:00:09',
    gap_t: '169:00:00',
    stop_radius: 4,
    trip_min_dist: -1,
    offline_t: '8760:00:01',
  });
  assert.deepEqual(
    [faults.status, new Set(Object.values(faults.object)), Object.keys(faults.object).length],
    [400, new Set(['invalid']), 6],
  );
  const changed = await put(own);
  assert.equal(changed.status, 200);
  for (const [name, value] of Object.entries(own)) assert.equal(changed.object[name], value, name);
  const found = await until('trips are found anew', async () => {
    const trips = (await tripsOf(tracker)).list('trips');
    return trips.length === 1 ? trips : null;
  });
  near(found[0]?.['drive_dist'], 27, 0.02);
  const none = Object.fromEntries(Object.keys(own).map((name) => [name, null]));
  const service = (await put(none)).object;
  for (const name of Object.keys(own)) assert.deepEqual([tracker.object[name], service[name]], [null, null], name);
  await until('trips are found anew', async () => ((await tripsOf(tracker)).list('trips').length === 2 ? true : null));
});

test('the odometer of a device that counts nothing is the distance of its trips', async () => {
  const tracker = await newTracker();
  const odometer = async (): Promise<number> => Number((await anna.ask(tracker.url)).object['odometer_dist']);
  const put = (json: Thing): Promise<Answer> => anna.ask(tracker.url, { method: 'PUT', json });
  assert.equal(tracker.object['odometer_dist'], null);
  await put({ odometer_dist: 1000 });
  const now = Math.floor(Date.now() / 1000) - 7200;
  await post(tracker, drive(now, now + 1200));
  near(await odometer(), 1018, 0.001);
  const read = await anna.ask(tracker.url);
  await post(tracker, drive(now + 2400, now + 3600));
  const before = await odometer();
  near(before, 1036, 0.001);
  // An object that was read before it drove on calibrates nothing; what a person reads off a dashboard does.
  assert.equal((await put(read.object)).object['odometer_dist'], before);
  assert.equal((await put({ odometer_dist: 1020.5 })).object['odometer_dist'], 1020.5);
});

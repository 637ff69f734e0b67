// A position's way from a device's socket to a client that knows nothing but the address of the service.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { benchImeis } from '../../bench/imeis.ts';
import { encodeLogin, encodeTcp, encodeUdp, encodeUdpAnswer, type AvlRecord } from '../../src/protocols/teltonika/encode.ts';
import { Device, record, sendDatagram } from '../devices.ts';
import { ask, without, type Answer, type Thing } from '../http.ts';
import { until, World } from '../world.ts';

const world = await World.open();
after(() => world.close());
const anna = await world.newClient('anna');
const tcp = world.place('teltonika', 'tcp');
const imeis = benchImeis(500).values();
const nextImei = (): string => imeis.next().value ?? '';
/** The last full hour but one: every test's reports lie behind it. */
const start = (Math.floor(Date.now() / 3_600_000) - 1) * 3_600_000;
const ts = start / 1000;

for (const [name, codec] of [
  ['8', 0x08],
  ['8 Extended', 0x8e],
  ['16', 0x10],
] as const)
  test(`what a device reports over TCP in codec ${name} is acknowledged by its count, and a client finds it by links alone`, async () => {
    const imei = nextImei();
    await anna.addTracker(imei, { name: `Van ${name}` });
    const device = await Device.login(tcp, imei);
    assert.equal(await device.send([record(start), record(start + 1000, { latitude: 48.20867, speedKmh: 72 })], codec), 2);
    device.close();

    const tracker = await anna.tracker(imei);
    const { name: shown, pos_ts, latitude, speed, heading, ignition, odometer_dist } = tracker.object;
    assert.deepEqual(
      { shown, pos_ts, latitude, speed, heading, ignition, odometer_dist },
      { shown: `Van ${name}`, pos_ts: ts + 1, latitude: 48.20867, speed: 72, heading: 90, ignition: true, odometer_dist: 123.456 },
    );
    const [first, second, ...others] = await anna.positions(tracker);
    assert.deepEqual([second?.['ts'], others], [ts + 1, []]);
    const { recv_ts, ...sent } = first ?? {};
    assert.ok(Math.abs(Number(recv_ts) - Date.now() / 1000) < 60);
    assert.deepEqual(sent, {
      ts,
      valid: true,
      latitude: 48.20849,
      longitude: 16.3725,
      altitude: 171,
      speed: 36,
      heading: 90,
      satellites: 9,
      ignition: true,
      power: 12.6,
      odometer_dist: 123.456,
    });
  });

test('a datagram is answered with its own ids and count once it is stored', async () => {
  const imei = nextImei();
  const tracker = await anna.addTracker(imei);
  const ids = { packet: 0xcafe, avl: 5 };
  const answer = await sendDatagram(world.place('teltonika', 'udp'), encodeUdp(0x8e, imei, ids, [record(start), record(start + 1000)]));
  assert.deepEqual(answer, Buffer.from(encodeUdpAnswer(ids, 2)));
  assert.equal((await anna.positions(tracker)).length, 2);
});

test('a phone that reports by query is answered 200 once it is stored, its speed is read in knots', async () => {
  const imei = nextImei();
  const tracker = await anna.addTracker(imei);
  const answer = await ask(`${world.place('osmand', 'http')}/?id=${imei}&timestamp=${ts}&lat=48.5&lon=16.5&speed=10&bearing=45&batt=80`);
  assert.equal(answer.status, 200);
  const [position] = await anna.positions(tracker);
  const { latitude, longitude, speed, heading, battery_level } = position ?? {};
  assert.deepEqual(
    { latitude, longitude, speed, heading, battery_level },
    { latitude: 48.5, longitude: 16.5, speed: 18.52, heading: 45, battery_level: 80 },
  );
});

test('a phone that reports in JSON is answered 200 once it is stored', async () => {
  const imei = nextImei();
  const tracker = await anna.addTracker(imei);
  const location = { timestamp: new Date(start).toISOString(), coords: { latitude: 48.5, longitude: 16.5, speed: 10, heading: 45 } };
  assert.equal((await ask(world.place('osmand', 'http'), { json: { device_id: imei, location } })).status, 200);
  const [position] = await anna.positions(tracker);
  assert.deepEqual([position?.['ts'], position?.['speed'], position?.['latitude']], [ts, 36, 48.5]);
});

test('JSON, XML and HTML show one and the same tracker', async () => {
  const imei = nextImei();
  const tracker = await anna.addTracker(imei, { name: 'Fish & <Chips>' });
  await anna.ask(tracker.link('positions_url'), { json: { ts, latitude: 48.5, longitude: 16.5 } });
  const inFormat = (type: string): Promise<Answer> => anna.ask(tracker.url, { headers: { accept: type } });
  const [json, xml, html] = [await inFormat('application/json'), await inFormat('application/xml'), await inFormat('text/html')];
  assert.equal(json.object['name'], 'Fish & <Chips>');
  assert.match(xml.text, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n?<root type="object">/);
  for (const piece of [
    '<name>Fish &amp; &lt;Chips&gt;</name>',
    '<latitude>48.5</latitude>',
    `<imei>${imei}</imei>`,
    '<model type="null"/>',
  ])
    assert.ok(xml.text.includes(piece), piece);
  assert.match(html.headers['content-type'] ?? '', /^text\/html/);
  assert.ok(html.text.includes('Fish &amp; &lt;Chips&gt;') && html.text.includes('48.5') && !html.text.includes('<Chips>'));
});

test('reports that are sent again are acknowledged and change nothing', async () => {
  const imei = nextImei();
  const tracker = await anna.addTracker(imei);
  const records = [record(start), record(start + 1000, { latitude: 48.20867 })];
  const device = await Device.login(tcp, imei);
  assert.equal(await device.send(records), 2);
  const page = await anna.ask(tracker.link('positions_url'));
  for (let again = 0; again < 3; again++) assert.equal(await device.send(records), 2);
  device.close();
  const ids = { packet: 7, avl: 7 };
  const answer = await sendDatagram(world.place('teltonika', 'udp'), encodeUdp(0x08, imei, ids, records));
  assert.deepEqual(answer, Buffer.from(encodeUdpAnswer(ids, 2)));
  const now = await anna.ask(page.url);
  assert.equal(page.list('positions').length, 2);
  assert.deepEqual(now.object, page.object);
  assert.equal(now.headers.etag, page.headers.etag);
});

test('a device that no account has is refused with 00, counted, and listed for the operator', async () => {
  const imei = nextImei();
  const before = await world.metric('waypost_unknown_devices_total');
  const device = await Device.connect(tcp);
  assert.deepEqual(await device.exchange(encodeLogin(imei), 1), Buffer.of(0));
  assert.equal(await device.read(1), null);
  assert.equal(
    await sendDatagram(world.place('teltonika', 'udp'), encodeUdp(0x08, imei, { packet: 1, avl: 1 }, [record(start)]), 300),
    null,
  );
  assert.equal((await ask(`${world.place('osmand', 'http')}/?id=${imei}&lat=1&lon=1`)).status, 400);
  assert.equal((await world.metric('waypost_unknown_devices_total')) - before, 3);
  const listed = await until('the device is listed', async () => {
    const { stdout } = await world.run(['tracker', 'list', '--unknown', '--json']);
    return (JSON.parse(stdout) as Thing[]).find((row) => row['imei'] === imei && row['count'] === 3) ?? null;
  });
  assert.ok(Math.abs(Number(listed['last_ts']) - Date.now() / 1000) < 60);
});

test('a frame with a wrong checksum is not acknowledged, and costs that frame only', async () => {
  const imei = nextImei();
  const tracker = await anna.addTracker(imei);
  const device = await Device.login(tcp, imei);
  const bad = Buffer.from(encodeTcp(0x08, [record(start)]));
  bad.writeUInt32BE(bad.readUInt32BE(bad.length - 4) ^ 1, bad.length - 4);
  const refused = await world.metric('waypost_frames_refused_total', { reason: 'checksum' });
  device.socket.write(bad);
  assert.equal(await device.send([record(start + 1000), record(start + 2000)]), 2);
  assert.equal(await device.read(1, 200), null);
  device.close();
  assert.equal((await world.metric('waypost_frames_refused_total', { reason: 'checksum' })) - refused, 1);
  assert.deepEqual(
    (await anna.positions(tracker)).map((position) => position['ts']),
    [ts + 1, ts + 2],
  );
});

test('a report without satellites is kept and marked, and moves neither the tracker nor the live view', async () => {
  const imei = nextImei();
  await anna.addTracker(imei);
  const device = await Device.login(tcp, imei);
  await device.send([record(start), record(start + 1000, { satellites: 0, latitude: 10, longitude: 10 })]);
  device.close();
  const tracker = await anna.tracker(imei);
  assert.deepEqual(
    (await anna.positions(tracker)).map((position) => position['valid']),
    [true, false],
  );
  assert.deepEqual([tracker.object['pos_ts'], tracker.object['latitude']], [ts, 48.20849]);
  const update = (await anna.go('live_url')).list('updates').find((one) => one['imei'] === imei);
  assert.deepEqual([update?.['pos_ts'], update?.['latitude']], [ts, 48.20849]);
});

test('a report that arrives late takes its place in the record and does not move the tracker', async () => {
  const imei = nextImei();
  await anna.addTracker(imei);
  const device = await Device.login(tcp, imei);
  await device.send([record(start + 60_000, { latitude: 48.2166 })]);
  await device.send([record(start, { elements: [[239, 1, 0]] })]);
  device.close();
  const tracker = await anna.tracker(imei);
  assert.deepEqual([tracker.object['pos_ts'], tracker.object['latitude'], tracker.object['ignition']], [ts + 60, 48.2166, true]);
  assert.deepEqual(
    (await anna.positions(tracker)).map((position) => position['ts']),
    [ts, ts + 60],
  );
});

test('a place that no vehicle can have reached moves nothing, and is kept and marked once the next report shows that it was a jump', async () => {
  const imei = nextImei();
  await anna.addTracker(imei);
  const device = await Device.login(tcp, imei);
  await device.send([record(start), record(start + 10_000, { latitude: 48.2094 }), record(start + 20_000, { latitude: 48.9 })]);
  const inDoubt = (await anna.tracker(imei)).object;
  assert.deepEqual([inDoubt['pos_ts'], inDoubt['latitude']], [ts + 10, 48.2094]);
  await device.send([record(start + 30_000, { latitude: 48.2112 })]);
  const back = await anna.tracker(imei);
  assert.deepEqual([back.object['pos_ts'], back.object['latitude']], [ts + 30, 48.2112]);
  assert.deepEqual(
    (await anna.positions(back)).map((position) => position['valid']),
    [true, true, false, true],
  );

  // A second report from afar would be doubted as well; three that follow from each other show that it went there.
  const away = [40, 50, 60].map((second, i) => record(start + second * 1000, { latitude: 48.9 + i * 0.0009 }));
  await device.send(away);
  device.close();
  const there = await anna.tracker(imei);
  assert.deepEqual([there.object['pos_ts'], there.object['latitude']], [ts + 60, 48.9018]);
  assert.deepEqual(
    (await anna.positions(there)).map((position) => position['valid']),
    [true, true, false, true, true, true, true],
  );
});

/** Reports of few moments, so that several fall on the same one; some without a fix, some where no vehicle gets so soon. */
const reports = fc.array(
  fc.record({
    time: fc.integer({ min: 0, max: 9 }).map((second) => start + second * 1000),
    latitude: fc
      .oneof(fc.integer({ min: 479_990_000, max: 480_000_000 }), fc.integer({ min: 470_000_000, max: 480_000_000 }))
      .map((degrees) => degrees / 1e7),
    longitude: fc.constantFrom(16.1, 16.1001, 16.2),
    satellites: fc.constantFrom(0, 4, 9),
    speedKmh: fc.integer({ min: 0, max: 130 }),
    elements: fc.tuple(
      fc.integer({ min: 0, max: 1 }).map((on) => [239, 1, on] as const),
      fc.integer({ min: 0, max: 99_999 }).map((metres) => [16, 4, metres] as const),
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

test('whatever the order, the cut and the repetition of what arrives, the record and the tracker are the same', async () => {
  /** What the set of reports alone decides. */
  async function outcome(deliveries: readonly AvlRecord[][]): Promise<unknown> {
    const imei = nextImei();
    await anna.addTracker(imei);
    const device = await Device.login(tcp, imei);
    for (const records of deliveries) assert.equal(await device.send(records), records.length);
    device.close();
    const tracker = await anna.tracker(imei);
    const positions = (await anna.positions(tracker)).map((position) => without(position, ['recv_ts']));
    const links = Object.keys(tracker.object).filter((name) => name === 'url' || name.endsWith('_url'));
    return { state: without(tracker.object, ['imei', 'name', 'start_ts', 'comm_ts', ...links]), positions };
  }
  const shuffled = reports.chain((records) =>
    fc.tuple(
      fc.constant(records),
      fc.shuffledSubarray([...records, ...records], { minLength: records.length * 2 }),
      fc.integer({ min: 1, max: 5 }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(shuffled, async ([records, mixed, size]) => {
      const deliveries = Array.from({ length: Math.ceil(mixed.length / size) }, (_, i) => mixed.slice(i * size, (i + 1) * size));
      assert.deepEqual(await outcome(deliveries), await outcome([records]));
    }),
    { numRuns: 25 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readForm } from '../form.ts';
import { bounds, isAngle, isTime, type Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import type { HttpPacket } from '../protocol.ts';
import { osmand } from './osmand.ts';

const http = osmand.http;
assert.ok(http);

const get = (query: string): HttpPacket =>
  http.read({ method: 'GET', query: readForm(query) ?? new Map(), contentType: '', body: new Uint8Array() });
const post = (body: string | Uint8Array, contentType = 'application/json'): HttpPacket =>
  http.read({ method: 'POST', query: new Map(), contentType, body: Buffer.from(body) });
const location = (value: unknown): HttpPacket => post(JSON.stringify({ device_id: 'a', location: value }));

function reported(packet: HttpPacket): Report {
  assert.ok(packet.kind === 'reports', JSON.stringify(packet));
  const [report] = packet.reports;
  assert.ok(report);
  return report;
}

function assertBad(packet: HttpPacket, reason: string, status = 400): void {
  assert.ok(packet.kind === 'bad', `expected ${reason}, got ${JSON.stringify(packet)}`);
  assert.deepEqual([packet.reason, packet.status], [reason, status], packet.detail);
}

test('query: times in every form', () => {
  const time = (text: string) => reported(get(`id=1&timestamp=${encodeURIComponent(text)}`)).time;
  assert.equal(time('1700000000'), 1.7e12);
  assert.equal(time('1700000000.5'), 1.7e12 + 500);
  assert.equal(time('1700000000123'), 1.7e12 + 123);
  assert.equal(time('2147483647'), 2147483647000);
  assert.equal(time('2147483648'), 2147483648);
  assert.equal(time('2023-11-14T22:13:20Z'), 1.7e12);
  assert.equal(time('2023-11-14T23:13:20.25+01:00'), 1.7e12 + 250);
  assert.equal(time('2023-11-14T23:13:20+0100'), 1.7e12);
  assert.equal(time('2023-11-14T22:13:20'), 1.7e12);
  assert.equal(time('2023-11-14 22:13:20'), 1.7e12);
  assert.equal(reported(get('id=1')).time, null);
  for (const bad of ['', 'now', '1e9', '2023-11-14', '0x10', '2023-11-14T22:13:20Z[UTC]']) {
    assertBad(get(`id=1&timestamp=${encodeURIComponent(bad)}`), 'syntax');
  }
});

test('a time that cannot be leaves the report without a time and a fix, and is kept', () => {
  const texts = ['2023-02-30T00:00:00Z', '2023-11-14T25:00:00Z', '1960-01-01T00:00:00Z', '-1', '253402300800000', '9'.repeat(32)];
  for (const text of texts) {
    const report = { time: null, latitude: 1, longitude: 2, fixed: false, attributes: { time: text } };
    assert.deepEqual(reported(get(`id=1&lat=1&lon=2&timestamp=${text}&valid=1`)), report);
    if (text.includes('T')) assert.deepEqual(reported(location({ timestamp: text, coords: { latitude: 1, longitude: 2 } })), report);
  }
  const number = reported(location({ timestamp: 1e300, coords: { latitude: 1, longitude: 2 } }));
  assert.deepEqual([number.time, number.fixed, number.attributes], [null, false, { time: '1e+300' }]);
  assert.equal(reported(get('id=1&timestamp=253402300799999')).time, 253402300799999);
});

test('query: numbers are numbers', () => {
  for (const bad of ['NaN', '', 'Infinity', '1,5', '0x1f', '1e999', ' 1', '1'.repeat(40)]) {
    for (const name of ['lat', 'speed', 'altitude', 'hdop', 'batt', 'bearing', 'accuracy']) {
      assertBad(get(`id=1&${name}=${encodeURIComponent(bad)}`), 'syntax');
    }
  }
  const report = reported(get('id=1&lat=-0.5&lon=.25&speed=3600&altitude=-12&accuracy=1e1'));
  assert.deepEqual([report.latitude, report.longitude, report.speed, report.altitude, report.accuracy], [-0.5, 0.25, 1852, -12, 10]);
});

test('query: what gateways of wired devices say beside the place', () => {
  const place = { time: null, latitude: 1, longitude: 2, fixed: true };
  const sent = (more: string): Report => reported(get(`id=1&lat=1&lon=2&${more}`));
  assert.deepEqual(sent('ignition=true&motion=false&power=12.6&odometer=123456.7'), {
    ...place,
    ignition: true,
    motion: false,
    power: 12.6,
    odometer: 123456.7,
  });
  assert.deepEqual(sent('ignition=0&motion=1'), { ...place, ignition: false, motion: true });
  // Another word, or a voltage and a distance that cannot be, is kept as it came.
  const odd = { ignition: 'ON', motion: 'walking', power: '12V', odometer: '-1' };
  assert.deepEqual(sent(new URLSearchParams(odd).toString()), { ...place, attributes: odd });
});

test('query: places', () => {
  assert.deepEqual(reported(get('id=1&lat=91&lon=-181&valid=1')), { time: null, latitude: 91, longitude: -181, fixed: true });
  assert.equal(reported(get('id=1&lat=1&lon=2&valid=false')).fixed, false);
  assert.equal(reported(get('id=1&lat=1&lon=2&valid=0')).fixed, false);
  assert.deepEqual(reported(get('id=1&batt=50')), { time: null, latitude: null, longitude: null, fixed: false, batteryLevel: 50 });
  assert.equal(reported(get('id=1&location=1.5,-2.5')).longitude, -2.5);
  for (const bad of ['lat=1', 'lon=1', 'location=1', 'location=1,2,3', 'location=a,b', 'valid=maybe'])
    assertBad(get(`id=1&${bad}`), 'syntax');
});

test('what a phone does not know is absent', () => {
  const report = { time: null, latitude: 1, longitude: 2, fixed: true };
  assert.deepEqual(reported(get('id=1&lat=1&lon=2&speed=-1&bearing=-1&accuracy=-1&batt=-100')), report);
  const coords = { latitude: 1, longitude: 2, speed: -1, heading: -1, accuracy: -1 };
  assert.deepEqual(reported(location({ coords, battery: { level: -1 } })), report);
});

test('a value that cannot be is kept as it was sent, and costs nothing else', () => {
  const place = { time: null, latitude: 1, longitude: 2, fixed: true };
  assert.deepEqual(reported(get('id=1&lat=1&lon=2&speed=1e305&bearing=361&altitude=-1e5&accuracy=1e8&batt=500&hdop=1e9')), {
    ...place,
    attributes: { speed: '1e305', bearing: '361', altitude: '-1e5', accuracy: '1e8', batt: '500', hdop: 1e9 },
  });
  const coords = { latitude: 1, longitude: 2, speed: 1e305, heading: 400, altitude: 100_001, accuracy: 1e8 };
  assert.deepEqual(reported(location({ coords, odometer: -1, battery: { level: 2 } })), {
    ...place,
    attributes: { speed: 1e305, heading: 400, altitude: 100_001, accuracy: 1e8, odometer: -1, battery_level: 2 },
  });
  assert.equal(reported(get('id=1&heading=360')).heading, 0);
  assert.equal(reported(location({ battery: { level: 1 } })).batteryLevel, 100);
});

test('degrees far from any place are no place, and are kept', () => {
  const nowhere = { time: null, latitude: null, longitude: null, fixed: false };
  assert.deepEqual(reported(get('id=1&lat=1e300&lon=2&valid=1')), { ...nowhere, attributes: { lat: '1e300', lon: '2' } });
  assert.deepEqual(reported(get('id=1&location=1,-1001')), { ...nowhere, attributes: { location: '1,-1001' } });
  const coords = { latitude: 1000.1, longitude: 2 };
  assert.deepEqual(reported(location({ coords })), { ...nowhere, attributes: coords });
  assert.equal(reported(get('id=1&lat=1000&lon=-1000')).latitude, 1000);
});

test('the name of the device', () => {
  for (const query of ['', 'lat=1&lon=2', 'id=', `id=${'1'.repeat(65)}`, 'id=a%00b', 'id=a%0Ab', 'id=%3Cb%3E'])
    assertBad(get(query), 'identity');
  assertBad(post('{"location":{}}'), 'identity');
  assertBad(post('{"device_id":1.5,"location":{}}'), 'identity');
});

test('other values are kept, within bounds', () => {
  assert.deepEqual(reported(get('id=1&event=5&note=a%20b&charge=1')).attributes, { event: '5', note: 'a b', charge: true });
  assert.equal(reported(get('id=1&charge=2')).attributes?.['charge'], '2');
  const many = (count: number) => Array.from({ length: count }, (_, i) => `&k${i}=1`).join('');
  assert.equal(Object.keys(reported(get(`id=1${many(64)}`)).attributes ?? {}).length, 64);
  assertBad(get(`id=1${many(65)}`), 'count');
  assertBad(get(`id=1&k=${'v'.repeat(513)}`), 'length');
  assertBad(get(`id=1&${'k'.repeat(65)}=v`), 'length');
  for (const bad of ['k=%00', 'k=%1B', 'k=%EF%BF%BF', '%0B=1', '__proto__=1']) assertBad(get(`id=1&${bad}`), 'syntax');
  assertBad(location({ extras: { k: '\ud800' } }), 'syntax');
  assertBad(post('{"device_id":"a","location":{"extras":{"__proto__":1}}}'), 'syntax');
  assert.equal(readForm('&'.repeat(300)), null);
});

test('alarms in the words of Traccar, alone or several; other words are only kept', () => {
  const query = (alarm: string) => reported(get(`id=1&alarm=${encodeURIComponent(alarm)}`));
  const words: [sent: string, alarms: Report['alarms']][] = [
    ['sos', ['panic']],
    ['panic', ['panic']],
    ['SOS', ['panic']],
    ['powerCut', ['batteryDisconnected']],
    ['powerOff', ['batteryDisconnected']],
    ['lowBattery', ['batteryLow']],
    ['tow', ['towed']],
    ['overspeed', ['overspeed']],
    ['powerCut, sos,powerOff,jamming', ['batteryDisconnected', 'panic']],
    ['jamming', undefined],
    ['', undefined],
    ['constructor', undefined],
  ];
  for (const [sent, alarms] of words) {
    for (const report of [query(sent), reported(location({ alarm: sent })), reported(location({ extras: { alarm: sent } }))]) {
      assert.deepEqual(report.alarms, alarms, sent);
      assert.equal('alarms' in report, alarms !== undefined);
      assert.deepEqual(report.attributes, { alarm: sent });
    }
  }
  for (const alarm of [true, 1, null, ['sos'], { sos: true }]) assert.equal('alarms' in reported(location({ alarm })), false);
});

test('JSON: what is not of the form is refused', () => {
  for (const bad of [
    '',
    '{',
    '[]',
    'null',
    '1',
    '{"device_id":"a"}',
    '{"device_id":"a","location":1}',
    '{"device_id":"a","location":[1]}',
  ]) {
    assertBad(post(bad), 'syntax');
  }
  assertBad(post(Uint8Array.of(0x22, 0xff, 0x22)), 'syntax');
  assertBad(location([]), 'count');
  assertBad(location({ coords: { latitude: '1', longitude: 2 } }), 'syntax');
  assertBad(location({ coords: { latitude: 1 } }), 'syntax');
  assertBad(location({ is_moving: 'no' }), 'syntax');
  assertBad(location({ timestamp: true }), 'syntax');
  assertBad(post('{"device_id":"a","location":{"odometer":1e999}}'), 'syntax');
  assertBad(post(`{"device_id":"a","location":{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`), 'syntax');
  assert.deepEqual(reported(location({ odometer: null, extras: { a: null } })), {
    time: null,
    latitude: null,
    longitude: null,
    fixed: false,
  });
});

test('other methods are refused', () => {
  assertBad(http.read({ method: 'PUT', query: new Map([['id', '1']]), contentType: '', body: new Uint8Array() }), 'syntax', 405);
});

test('no request throws, and what is reported can be shown', () => {
  const names = fc.constantFrom(
    'id',
    'lat',
    'lon',
    'location',
    'timestamp',
    'speed',
    'altitude',
    'accuracy',
    'heading',
    'odometer',
    'batt',
    'valid',
    'x',
    'coords',
    'latitude',
    'longitude',
    'battery',
    'level',
    'extras',
    '__proto__',
  );
  const value = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.integer().map(String),
    fc.constantFrom('true', '1', '1,2', '2020-01-01T00:00:00Z'),
  );
  const check = (packet: HttpPacket): void => {
    if (packet.kind === 'bad') return;
    for (const report of packet.reports) {
      const { time, latitude, longitude } = report;
      assert.ok(time === null || isTime(time), String(time));
      assert.ok((latitude === null && longitude === null) || (isAngle(latitude ?? NaN) && isAngle(longitude ?? NaN)));
      for (const [name, { min, max }] of Object.entries(bounds)) {
        const taken = report[name as Bounded];
        assert.ok(taken === undefined || (taken >= min && taken <= max), `${name} ${taken}`);
      }
    }
  };
  fc.assert(
    fc.property(fc.array(fc.tuple(names, value)), (pairs) => {
      const text = new URLSearchParams([['id', '1'], ...pairs]).toString();
      check(get(text));
      check(post(text, 'application/x-www-form-urlencoded'));
    }),
    { numRuns: 500 },
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      value,
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.dictionary(names, tie('tree')),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (each) => check(location(each))),
    { numRuns: 1000 },
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => check(post(bytes))));
});

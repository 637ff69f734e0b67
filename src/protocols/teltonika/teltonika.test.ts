import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Alarm } from '../../kinds/alarm.ts';
import { bounds, type Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import type { Message } from '../protocol.ts';
import { crc16, type Codec } from './codec.ts';
import { encodeLogin, encodeTcp, encodeUdp, encodeUdpAnswer, type AvlRecord, type IoElement } from './encode.ts';
import { teltonika } from './teltonika.ts';

const imei = '356307042441013';
const tcp = teltonika.tcp;
const udp = teltonika.udp;
assert.ok(tcp && udp);

const read = (bytes: Uint8Array, as: string | null = imei) => tcp.read(bytes, { imei: as });
const messageOf = (bytes: Uint8Array, as: string | null = imei): Message | undefined => read(bytes, as)?.message;

function assertBad(message: Message | undefined, reason: string, fatal: boolean): void {
  assert.ok(message?.kind === 'bad', `expected ${reason}, got ${message?.kind}`);
  assert.deepEqual([message.reason, message.fatal], [reason, fatal], message.detail);
}

/** A frame around `data`, with the right length and checksum. */
function frame(data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(4, data.length);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc16(data, 0, data.length));
  return bytes;
}

const dataOf = (whole: Uint8Array): Uint8Array => whole.slice(8, -4);
const plain: AvlRecord = {
  time: 1.7e12,
  longitude: 25.25,
  latitude: -54.5,
  satellites: 7,
  speedKmh: 36,
  angle: 360,
  altitude: -3,
  elements: [[239, 1, 1]],
};

const element: fc.Arbitrary<IoElement> = fc.oneof(
  fc.tuple(fc.nat(255), fc.constant(1 as const), fc.nat(0xff)),
  fc.tuple(fc.nat(255), fc.constant(2 as const), fc.nat(0xffff)),
  fc.tuple(fc.nat(255), fc.constant(4 as const), fc.nat(0xffffffff)),
  fc.tuple(fc.nat(255), fc.constant(8 as const), fc.bigInt(0n, 2n ** 64n - 1n)),
);
const record: fc.Arbitrary<AvlRecord> = fc.record({
  time: fc.oneof(fc.nat(4e12), fc.nat(Number.MAX_SAFE_INTEGER)),
  priority: fc.nat(2),
  longitude: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((n) => n / 1e7),
  latitude: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((n) => n / 1e7),
  altitude: fc.integer({ min: -32768, max: 32767 }),
  angle: fc.oneof(fc.nat(359), fc.nat(65535)),
  satellites: fc.nat(255),
  speedKmh: fc.nat(65535),
  eventId: fc.oneof(fc.nat(255), fc.constantFrom(236, 246, 252, 255)),
  generation: fc.nat(7),
  elements: fc.uniqueArray(element, { selector: ([id]) => id, maxLength: 12 }),
});
const anyCodec = fc.constantFrom<Codec[]>(0x08, 0x8e, 0x10);
const packet = fc.record({ codec: anyCodec, records: fc.array(record, { minLength: 1, maxLength: 6 }) });

function assertWithinBounds(report: Report): void {
  for (const [name, { min, max }] of Object.entries(bounds)) {
    const taken = report[name as Bounded];
    assert.ok(taken === undefined || (taken >= min && taken <= max), `${name} ${taken}`);
  }
}

/** What the rules of the house make of a record. */
function expected(sent: AvlRecord, as: Codec): Report {
  const { altitude = 0, angle = 0, satellites = 0 } = sent;
  const hasTime = sent.time < Date.UTC(10000, 0);
  const report: Report = {
    time: hasTime ? sent.time : null,
    latitude: sent.latitude,
    longitude: sent.longitude,
    fixed: satellites !== 0 && hasTime,
    speed: (sent.speedKmh ?? 0) / 3.6,
    satellites,
  };
  const kept: Record<string, string | number> = {};
  if (!hasTime) kept['time'] = String(sent.time);
  if (altitude >= -12_000) report.altitude = altitude;
  else kept['altitude'] = altitude;
  if (angle <= 360) report.heading = angle % 360;
  else kept['angle'] = angle;
  if (sent.eventId) kept['event'] = sent.eventId;
  if (sent.priority) kept['priority'] = sent.priority;
  if (as === 0x10) kept['generation'] = sent.generation ?? 7;
  for (const [id, size, value] of sent.elements) {
    const number = Number(value);
    if (size === 8) kept[`io${id}`] = value > Number.MAX_SAFE_INTEGER ? String(value) : number;
    else if (id === 239) report.ignition = number > 0;
    else if (id === 240) report.motion = number > 0;
    else if (id === 66 && number <= 1e7) report.power = number / 1000;
    else if (id === 67 && number <= 1e6) report.battery = number / 1000;
    else if (id === 113 && number <= 100) report.batteryLevel = number;
    else if (id === 16) report.odometer = number;
    else if (id === 181) kept['pdop'] = number / 10;
    else if (id === 182) kept['hdop'] = number / 10;
    else if ([17, 18, 19, 72, 73, 74, 75].includes(id)) kept[`io${id}`] = number >= 2 ** (8 * size - 1) ? number - 2 ** (8 * size) : number;
    else kept[`io${id}`] = number;
  }
  if (Object.keys(kept).length > 0) report.attributes = kept;
  const caused = kept[`io${sent.eventId ?? 0}`];
  const alarms: Alarm[] = sent.priority === 2 || (sent.eventId === 236 && caused === 1) ? ['panic'] : [];
  if (sent.eventId === 246 && caused === 1) alarms.push('towed');
  if (sent.eventId === 252 && caused === 1) alarms.push('batteryDisconnected');
  if (sent.eventId === 255 && typeof caused === 'number' && caused > 0) alarms.push('overspeed');
  if (alarms.length > 0) report.alarms = alarms;
  return report;
}

test('only the element that caused a record raises an alarm, but for the priority "panic"', () => {
  const raised = (sent: Partial<AvlRecord>): Alarm[] | undefined => {
    const message = messageOf(encodeTcp(0x8e, [{ ...plain, ...sent }]));
    assert.ok(message?.kind === 'reports');
    return message.reports[0]?.alarms;
  };
  assert.deepEqual(raised({ eventId: 252, elements: [[252, 1, 1]] }), ['batteryDisconnected']);
  assert.deepEqual(raised({ eventId: 246, elements: [[246, 1, 1]] }), ['towed']);
  assert.deepEqual(raised({ eventId: 255, elements: [[255, 1, 96]] }), ['overspeed']);
  assert.deepEqual(raised({ eventId: 236, elements: [[236, 1, 1]] }), ['panic']);
  assert.deepEqual(raised({ priority: 2 }), ['panic']);
  assert.deepEqual(raised({ priority: 2, eventId: 236, elements: [[236, 1, 1]] }), ['panic']);
  assert.deepEqual(raised({ priority: 2, eventId: 252, elements: [[252, 1, 1]] }), ['panic', 'batteryDisconnected']);
  const states: IoElement[] = [
    [236, 1, 1],
    [246, 1, 1],
    [252, 1, 1],
    [255, 1, 96],
  ];
  for (const eventId of [0, 1, 239, 240]) assert.equal(raised({ eventId, priority: 1, elements: states }), undefined);
  for (const [eventId] of states) {
    assert.equal(raised({ eventId, elements: [[eventId, 1, 0]] }), undefined, 'all is well again');
    assert.equal(raised({ eventId, elements: [] }), undefined);
    assert.equal(raised({ eventId, elements: [], variable: [[eventId, Uint8Array.of(1)]] }), undefined);
  }
});

test('what a device encodes is what is read, in every codec, over TCP and UDP', () => {
  fc.assert(
    fc.property(packet, ({ codec, records }) => {
      const reports = records.map((sent) => expected(sent, codec));
      for (const report of reports) assertWithinBounds(report);
      const whole = encodeTcp(codec, records);
      assert.deepEqual(read(whole), {
        consumed: whole.length,
        message: { kind: 'reports', reports, acknowledgement: Uint8Array.of(0, 0, 0, records.length) },
      });
      const ids = { packet: 0xcafe, avl: 5 };
      assert.deepEqual(udp.read(encodeUdp(codec, imei, ids, records)), {
        kind: 'reports',
        imei,
        reports,
        acknowledgement: encodeUdpAnswer(ids, records.length),
      });
    }),
    { numRuns: 200 },
  );
});

test('elements of any length are kept as hexadecimal digits', () => {
  const message = messageOf(
    encodeTcp(0x8e, [
      {
        ...plain,
        variable: [
          [256, Uint8Array.of(0x57, 0, 0xff)],
          [300, new Uint8Array()],
        ],
      },
    ]),
  );
  assert.ok(message?.kind === 'reports');
  assert.deepEqual(message.reports[0]?.attributes, { io256: '5700ff', io300: '' });
});

test('a course of 360 degrees is north', () => {
  const message = messageOf(encodeTcp(8, [plain]));
  assert.ok(message?.kind === 'reports');
  assert.equal(message.reports[0]?.heading, 0);
});

test('a value that cannot be is kept by its own name, and its frame is acknowledged', () => {
  const { time, longitude, latitude, satellites } = plain;
  const odd: AvlRecord = {
    ...plain,
    altitude: -12_001,
    angle: 400,
    elements: [
      [66, 4, 10_000_001],
      [67, 4, 1_000_001],
      [113, 1, 101],
    ],
  };
  const edge: AvlRecord = {
    ...plain,
    altitude: -12_000,
    elements: [
      [66, 4, 10_000_000],
      [67, 4, 1_000_000],
      [113, 1, 100],
      [16, 4, 2 ** 32 - 1],
    ],
  };
  const message = messageOf(encodeTcp(8, [odd, edge]));
  assert.ok(message?.kind === 'reports');
  assert.deepEqual(message.acknowledgement, Uint8Array.of(0, 0, 0, 2));
  const place = { time, latitude, longitude, fixed: true, speed: 10, satellites };
  assert.deepEqual(message.reports, [
    { ...place, attributes: { altitude: -12_001, angle: 400, io66: 10_000_001, io67: 1_000_001, io113: 101 } },
    { ...place, heading: 0, altitude: -12_000, power: 10_000, battery: 1000, batteryLevel: 100, odometer: 2 ** 32 - 1 },
  ]);
});

test('a time that cannot be leaves the report without a time and a fix', () => {
  const timed = (time: bigint): Report | undefined => {
    const data = dataOf(encodeTcp(8, [plain]));
    new DataView(data.buffer).setBigUint64(2, time);
    const message = messageOf(frame(data));
    return message?.kind === 'reports' ? message.reports[0] : undefined;
  };
  for (const time of [253_402_300_800_000n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
    const report = timed(time);
    assert.deepEqual([report?.time, report?.fixed, report?.attributes], [null, false, { time: String(time) }]);
  }
  assert.equal(timed(253_402_300_799_999n)?.time, 253_402_300_799_999);
});

test('a frame is incomplete until its last byte, and takes no more than its own', () => {
  const whole = encodeTcp(0x8e, [plain]);
  for (let length = 0; length < whole.length; length++) assert.equal(read(whole.subarray(0, length)), null);
  assert.equal(read(Buffer.concat([whole, whole]))?.consumed, whole.length);
});

test('a bad frame costs that frame', () => {
  const whole = encodeTcp(8, [plain, plain]);
  const data = dataOf(whole);
  const changed = (at: number, value: number): Uint8Array => frame(data.with(at < 0 ? data.length + at : at, value));
  assertBad(messageOf(whole.with(20, 1)), 'checksum', false);
  assertBad(messageOf(whole.with(whole.length - 4, 1)), 'checksum', false);
  assertBad(messageOf(changed(0, 0x09)), 'codec', false);
  assertBad(messageOf(changed(1, 1)), 'count', false);
  assertBad(messageOf(changed(1, 3)), 'truncated', false);
  assertBad(messageOf(changed(-1, 3)), 'count', false);
  assertBad(messageOf(changed(27, 2)), 'count', false);
  assertBad(messageOf(frame(Uint8Array.of(8, 0, 0))), 'count', false);
  assertBad(messageOf(frame(Uint8Array.of(...data, 0))), 'trailing', false);
  assertBad(messageOf(frame(data.slice(0, -1))), 'truncated', false);
});

test('a broken preamble or length ends the connection', () => {
  assertBad(messageOf(Uint8Array.of(0, 0, 1)), 'syntax', true);
  assertBad(messageOf(Uint8Array.of(0x47, 0x45, 0x54)), 'syntax', true);
  assertBad(messageOf(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 2)), 'length', true);
  assertBad(messageOf(Uint8Array.of(0, 0, 0, 0, 0, 0, 0x10, 0)), 'length', true);
  assertBad(messageOf(Uint8Array.of(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)), 'length', true);
});

test('a login comes first and once', () => {
  const login = encodeLogin(imei);
  const message = messageOf(login, null);
  assert.ok(message?.kind === 'login');
  assert.deepEqual([message.imei, message.accept, message.refuse], [imei, Uint8Array.of(1), Uint8Array.of(0)]);
  assertBad(messageOf(login), 'order', true);
  assertBad(messageOf(encodeTcp(8, [plain]), null), 'order', true);
  assertBad(messageOf(encodeLogin('35630704244101'), null), 'identity', true);
  assertBad(messageOf(encodeLogin('35630704244101x'), null), 'identity', true);
  assertBad(messageOf(Uint8Array.of(0x16, 3), null), 'identity', true);
  assertBad(messageOf(Uint8Array.of(0, 15, 0x20), null), 'identity', true);
});

test('pings and answers to commands want nothing', () => {
  assert.deepEqual(read(Uint8Array.of(0xff, 0xff, 0)), { consumed: 2, message: { kind: 'idle' } });
  assert.deepEqual(read(Uint8Array.of(0xff), null), { consumed: 1, message: { kind: 'idle' } });
  for (const id of [0x0c, 0x0d, 0x0e]) assert.equal(messageOf(frame(Uint8Array.of(id, 1, 6, 0, 0, 0, 0, 1)))?.kind, 'idle');
});

test('a datagram is refused whole', () => {
  const whole = encodeUdp(8, imei, { packet: 1, avl: 2 }, [plain]);
  const reason = (bytes: Uint8Array): string => {
    const answer = udp.read(bytes);
    return answer.kind === 'bad' ? answer.reason : answer.kind;
  };
  assert.equal(reason(new Uint8Array()), 'truncated');
  assert.equal(reason(whole.subarray(0, -1)), 'truncated');
  assert.equal(reason(Uint8Array.of(...whole, 0)), 'trailing');
  assert.equal(reason(whole.with(7, 14)), 'identity');
  assert.equal(reason(whole.with(8, 0x41)), 'identity');
  assert.equal(reason(whole.with(23, 0x0c)), 'codec');
  assert.equal(reason(whole.with(24, 2)), 'truncated');
  assert.equal(reason(new Uint8Array(5000)), 'length');
});

test('no bytes throw, and nothing is reported against the checksum', () => {
  const session = fc.constantFrom(null, imei);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), session, (bytes, as) => {
      const step = read(bytes, as);
      udp.read(bytes);
      assert.notEqual(step?.message.kind, 'reports');
      if (step !== null) assert.ok(step.consumed > 0 && step.consumed <= bytes.length);
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(packet, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ codec, records }, where, change) => {
      const whole = encodeTcp(codec, records);
      const at = where % whole.length;
      const step = read(whole.with(at, (whole[at] ?? 0) ^ change));
      // One changed byte is within what the checksum surely finds.
      assert.notEqual(step?.message.kind, 'reports');
      // The same change with a checksum that fits must be read or refused, not more.
      const data = dataOf(whole);
      read(frame(data.with(where % data.length, change)));
      const datagram = encodeUdp(codec, imei, { packet: 1, avl: 1 }, records);
      udp.read(datagram.with(where % datagram.length, change));
      udp.read(datagram.subarray(0, where % datagram.length));
    }),
    { numRuns: 1000 },
  );
});

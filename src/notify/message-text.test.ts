// Messages in words: which pairs, in which order, and what a person reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVENT, EVENT_TYPES } from '../kinds/event-type.ts';
import type { Message } from '../kinds/message.ts';
import { pairsOf, sentenceOf } from './message-text.ts';

const time = Date.UTC(2026, 10, 21, 13, 5, 7, 999);
const crossing: Message = {
  imei: '356307042441013',
  name: 'Van 3',
  event_id: EVENT.zoneCrossing,
  time,
  latitude: 48.2081743,
  longitude: -0.00000001,
  zone_name: 'Depot',
  cross_type: 'entry',
  value: null,
  late: false,
};
const bare: Message = { ...crossing, latitude: null, longitude: null, zone_name: null, cross_type: null };

test('the pairs stand in their order, and those that do not apply are not there', () => {
  const always = [
    ['imei', '356307042441013'],
    ['name', 'Van 3'],
    ['event_id', '12'],
    ['unix_ts', '1795266307'],
    ['iso_8601', '2026-11-21T13:05:07Z'],
  ];
  assert.deepEqual(pairsOf(crossing), [
    ...always,
    ['zone_name', 'Depot'],
    ['cross_type', 'entry'],
    ['latitude', '48.2081743'],
    ['longitude', '0'],
  ]);
  assert.deepEqual(pairsOf(bare), always);
  assert.deepEqual(pairsOf({ ...bare, value: 131.999_999, late: true }).slice(5), [
    ['value', '132'],
    ['late', '1'],
  ]);
  assert.deepEqual(pairsOf({ ...bare, event_id: null })[2], ['event_id', '0']);
});

test('numbers are written without exponents, and mean what they were', () => {
  fc.assert(
    fc.property(fc.double({ min: -180, max: 180, noNaN: true }), (latitude) => {
      const text = new Map(pairsOf({ ...bare, latitude })).get('latitude') ?? '';
      assert.match(text, /^-?\d{1,3}(\.\d{1,7})?$/);
      assert.ok(Math.abs(Number(text) - latitude) <= 0.000_000_051);
    }),
  );
});

test('the sentence has the time of the account’s time zone, and the year where it is another', () => {
  const said = (message: Message, now = time, zone = 'Europe/Vienna'): string => sentenceOf(message, zone, now);
  assert.equal(said(crossing), 'Van 3 entered Depot at 14:05 on 21 Nov');
  assert.equal(said({ ...crossing, cross_type: 'exit' }, time, 'Asia/Kolkata'), 'Van 3 left Depot at 18:35 on 21 Nov');
  assert.equal(said(crossing, Date.UTC(2027, 0, 1)), 'Van 3 entered Depot at 14:05 on 21 Nov 2026');
  assert.equal(said({ ...bare, event_id: EVENT.overspeed, value: 131.6 }), 'Van 3 went too fast (132 km/h) at 14:05 on 21 Nov');
  assert.equal(said({ ...bare, event_id: EVENT.overspeed }), 'Van 3 went too fast at 14:05 on 21 Nov');
  assert.equal(said({ ...bare, event_id: null }), 'This is a test message from Waypost.');
});

test('what is late says how late', () => {
  const late = (hours: number): string => sentenceOf({ ...bare, event_id: EVENT.panic, late: true }, 'UTC', time + hours * 3_600_000);
  assert.equal(late(3), 'Van 3: panic button pressed at 13:05 on 21 Nov (late: 3 h ago)');
  assert.match(late(0.5), /\(late: 30 min ago\)$/);
  assert.match(late(100), /\(late: 4 days ago\)$/);
});

test('every type of event has a sentence of its own, of one line whatever the names hold', () => {
  const sentences = EVENT_TYPES.map(({ id }) =>
    sentenceOf({ ...crossing, event_id: id, name: 'a\r\nBcc: b@c\u2028\u0000d', zone_name: 'x\ny' }, 'UTC', time),
  );
  assert.equal(new Set(sentences).size, EVENT_TYPES.length);
  // oxlint-disable-next-line no-control-regex -- the control characters are what it looks for
  for (const sentence of sentences) assert.match(sentence, /^a Bcc: b@c d[^\u0000-\u001F\u2028]+$/);
});

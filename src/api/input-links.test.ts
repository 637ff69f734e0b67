import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { kind, linkInto, link, required } from '../kinds/kind.ts';
import { addressInto, takeLinks } from './input-links.ts';
import { relativeLink, withParameters } from './links.ts';

const isOwn = (origin: string): boolean => origin === 'https://gps.example.org';
const step = fc.constantFrom('trackers', 'zones', 'targets', 'events', '356307042441013', '5', 'event_notifications');
const address = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));
const member = fc.tuple(fc.constantFrom('targets', 'zones', 'trackers'), fc.constantFrom('1', '22', '356307042441013'));
const query = fc.constantFrom('', '?_tz=Asia%2FTokyo', '#fragment');

test('a link as an answer has it leads to what it led to there, whichever answer it was and wherever it is sent', () => {
  fc.assert(
    fc.property(address, address, member, query, (read, path, [list, id], more) => {
      const to = `${list}/${id}`;
      const shown = withParameters(relativeLink(read, to), [['_format', 'json']]) + (more.startsWith('#') ? more : '');
      for (const sent of [read, path]) assert.equal(addressInto(list, shown, { path: sent, isOwn }), to);
      assert.equal(addressInto(list, `https://gps.example.org/rest/v2/${to}${more}`, { path, isOwn }), to);
      assert.equal(addressInto(list, `https://gps.example.org/behind/a/proxy/rest/v2/${to}${more}`, { path, isOwn }), to);
      assert.equal(addressInto(list, `https://example.org/rest/v2/${to}${more}`, { path, isOwn }), null);
    }),
  );
});

test('no text makes it throw, or lead out of its list', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.webPath()), address, (text, path) => {
      const found = addressInto('targets', text, { path, isOwn });
      assert.ok(found === null || /^targets\/[^/]+$/.test(found), String(found));
    }),
  );
});

test('links of an object become addresses; every one that leads nowhere is invalid; others are left as they are', () => {
  const thing = kind('thing', 'A thing.', {
    url: link('Its own.'),
    target_url: required(linkInto('targets', 'To a target.')),
    zone_url: required(linkInto('zones', 'To a zone.')),
  });
  const given = { path: 'things/1', isOwn };
  assert.deepEqual(takeLinks(thing, { target_url: '../targets/1', zone_url: '../zones/2?a=b' }, given), {
    value: { target_url: 'targets/1', zone_url: 'zones/2' },
    faults: null,
  });
  assert.deepEqual(takeLinks(thing, { target_url: '../zones/1', zone_url: 'https://example.org/', other: 1 }, given), {
    value: { other: 1 },
    faults: { target_url: 'invalid', zone_url: 'invalid' },
  });
});

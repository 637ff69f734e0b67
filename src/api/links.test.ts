import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tracker, trackers } from '../kinds/tracker.ts';
import { relativeLink, turnLinks, withParameters } from './links.ts';

const step = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));
const address = fc
  .tuple(path, fc.option(fc.stringMatching(/^[a-z]{1,5}=[a-z0-9]{1,5}$/)))
  .map(([to, query]) => (query === null ? to : `${to}?${query}`));

test('a link resolves, from wherever it is read, to the address that it stands for', () => {
  const root = 'http://waypost.test/base/rest/v2/';
  fc.assert(
    fc.property(path, address, (from, to) => {
      const link = relativeLink(from, to);
      assert.equal(new URL(link, root + from).href, new URL(to, root).href);
      assert.doesNotMatch(link, /^[/?]/);
    }),
  );
});

test('the example of the interface', () => {
  assert.equal(relativeLink('trackers/356307042441013', 'gateway'), '../gateway');
});

test('persistent parameters are added once, encoded, behind those that the address has', () => {
  assert.equal(withParameters('gateway?_tz=UTC', [['_tz', 'Asia/Tokyo'], ['_x', 'a&b=ü']]), 'gateway?_tz=UTC&_x=a%26b%3D%C3%BC'); // prettier-ignore
  assert.equal(withParameters('gateway', []), 'gateway');
});

test('links within a list are turned, all else is left as it is, and the object itself is not touched', () => {
  const one = { url: 'trackers/1', name: 'url', positions_url: 'trackers/1/positions' };
  const object = { url: 'trackers', trackers: [one] };
  const turned = turnLinks(object, trackers, (to) => `<${to}>`);
  assert.deepEqual(turned, {
    url: '<trackers>',
    trackers: [{ url: '<trackers/1>', name: 'url', positions_url: '<trackers/1/positions>' }],
  });
  assert.equal(one.url, 'trackers/1');
  assert.deepEqual(
    turnLinks({ url: null, name: 'x' }, tracker, (to) => `<${to}>`),
    { url: null, name: 'x' },
  );
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Kind } from '../kinds/kind.ts';
import { positions } from '../kinds/position.ts';
import { FIRST_SAMPLE, sample } from '../kinds/sample.ts';
import { tracker, trackers } from '../kinds/tracker.ts';
import { trip, trips } from '../kinds/trip.ts';
import { zones } from '../kinds/zone.ts';
import { html } from './html.ts';
import { barePage, type Page } from './format.ts';
import { isSafeLink, signInPage } from './html-document.ts';
import { STYLE, STYLE_SOURCE } from './html-style.ts';

const write = (object: Record<string, unknown>, kind: Kind | null, title = 'Title', href = 'x', more: Partial<Page> = {}): string =>
  html.write(object, {
    ...barePage('x', kind, title),
    crumbs: [{ name: title, href }],
    formats: [{ name: 'JSON', href: 'x?_format=json' }],
    sections: [[{ name: title, href, current: true }]],
    ...more,
  });

/** The page's own icon, which holds nothing of anybody's. */
const ICON_TAG = /<link rel="icon"[^>]*>/.exec(signInPage('token', null))?.[0] ?? '';

/** The tags of the page, without style. Fails on anything that is not plain, well-formed HTML of ours. */
function tagsOf(page: string): string[] {
  const body = page.replace(`<style>${STYLE}</style>`, '').replace('<!doctype html>', '');
  const tag = /<\/?[a-z][a-z0-9]*(?: [a-zA-Z-]+(?:="[^"<>]*")?)*\/?>/g;
  assert.doesNotMatch(body.replaceAll(tag, ''), /[<>]/);
  return body.match(tag) ?? [];
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</style><script>',
    '</title>',
    '&lt;script&gt;',
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>',
    '//evil.test/',
    '\\\\evil.test',
    '<!--',
    '&#106;avascript:x',
  ),
);

suite('HTML', () => {
  test('nothing that a user wrote becomes markup, script or a link to run', () => {
    const place = fc.record({
      name: nasty,
      imei: nasty,
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
      url: nasty,
      a_url: nasty,
    });
    const shape = fc.record({
      name: nasty,
      type: fc.constantFrom('circle', 'corridor', 'polygon'),
      color: nasty,
      radius: fc.constant(100),
      points: fc.constant([
        { latitude: 1, longitude: 2 },
        { latitude: 1, longitude: 3 },
        { latitude: 2, longitude: 3 },
      ]),
      url: nasty,
    });
    fc.assert(
      fc.property(
        nasty,
        nasty,
        place,
        fc.array(place, { maxLength: 3 }),
        fc.array(shape, { maxLength: 2 }),
        fc.constantFrom<(Kind | null)[]>(trackers, tracker, zones, sample, null),
        (title, text, one, trackersGiven, zonesGiven, kind) => {
          const page = write(
            { ...one, text, trackers: trackersGiven, zones: zonesGiven, list: [text, [text]], [`x${text}`]: text },
            kind,
            title,
            text,
          );
          for (const tag of [
            ...tagsOf(page),
            ...tagsOf(write({ _status: 400, _error: text, _detail: text, x_url: text }, null, title)),
            ...tagsOf(signInPage('token', text)),
          ]) {
            if (tag === ICON_TAG) continue;
            assert.doesNotMatch(tag, /^<(?:script|img|iframe|object|embed|base|link)|\s(?:on[a-z]+|style)=/i);
            const href = /href="([^"]*)"/.exec(tag)?.[1];
            if (href !== undefined)
              assert.match(
                new URL(href.replaceAll('&amp;', '&').replaceAll('&#39;', "'"), 'http://waypost.test/rest/v2/x').href,
                /^https?:/,
              );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('only relative and http(s) links are links', () => {
    for (const href of ['gateway', '../gateway?_tz=Europe/Zurich&a=b:c', 'https://example.test/', 'a/b:c'])
      assert.ok(isSafeLink(href), href);
    for (const href of [
      '',
      'javascript:x',
      'JAVASCRIPT:x',
      '\tjavascript:x',
      'java\tscript:x',
      'data:x',
      '//host',
      '/\\host',
      'a b',
      'ftp://x',
    ])
      assert.ok(!isSafeLink(href), href);
  });

  test('properties, units, descriptions, times and links are there', () => {
    const page = write(
      { url: 'sample', pos_ts: 1790000000, speed: 52.5, model: null, ignition: true, positions_url: 'a/positions?_token=secret&_tz=UTC' },
      tracker,
    );
    assert.match(page, /<td>1790000000<time datetime="2026-09-21T14:13:20Z">2026-09-21 14:13:20 \+00:00<\/time><\/td>/);
    assert.match(page, /<th scope="row" title="Of the last valid position.">speed<\/th><td>52.5<span class="unit">km\/h<\/span>/);
    assert.match(page, /<a href="a\/positions\?_token=secret&amp;_tz=UTC">a\/positions<\/a>/);
    assert.match(page, /<a href="x\?_format=json">JSON<\/a>/);
    assert.doesNotMatch(page, /<svg viewBox="0 0 960/);
  });

  test('the name of a link is where it leads, without the way up and what every link repeats', () => {
    const named = (href: string): string | undefined =>
      /<a href="[^"]*">([^<]*)<\/a><\/td>/.exec(write({ positions_url: href }, tracker))?.[1]?.replaceAll('&amp;', '&');
    for (const [href, name] of [
      ['../../events/7', 'events/7'],
      ['positions?from_ts=1&_tz=UTC&to_ts=2&_token=secret', 'positions?from_ts=1&to_ts=2'],
      ['../?_token=secret', '../'],
      ['x?a=b?c', 'x?a=b?c'],
    ] as const)
      assert.equal(named(href), name);
    assert.match(
      write({ trips: [{ positions_url: '../positions?from_ts=1' }] }, trips),
      /<a href="..\/positions\?from_ts=1">positions<\/a>/,
    );
  });

  test('lists are tables in the order of the kind', () => {
    const page = write({ ts: 1, url: 'sample', ...FIRST_SAMPLE }, sample);
    assert.match(page, /<th class="row">#<\/th><th scope="col" title="Driving time.">drive_t<\/th>/);
    assert.match(page, /<tr><td class="row">1<\/td><td>02:33:08<\/td><td class="n">187.8992<\/td><\/tr>/);
  });

  test('times are in the time zone in use, with the offset of that moment; in tables without the number', () => {
    const at = (ts: unknown, timezone: string): string => write({ url: 'x', pos_ts: ts }, tracker, 'Title', 'x', { timezone });
    assert.match(at(1790000000, 'Asia/Kathmandu'), /1790000000<time datetime="2026-09-21T14:13:20Z">2026-09-21 19:58:20 \+05:45</);
    // Both hours of the night in which clocks go back.
    assert.match(at(1792886400, 'Europe/Budapest'), />2026-10-25 02:00:00 \+02:00</);
    assert.match(at(1792890000, 'Europe/Budapest'), />2026-10-25 02:00:00 \+01:00</);
    assert.match(at(253402300799, 'UTC'), />9999-12-31 23:59:59 /);
    for (const odd of [1e300, 0.5, -1e13]) assert.ok(at(odd, 'UTC').includes(`<td>${odd}</td>`), String(odd));
    const list = write({ trips: [{ start_ts: 1790000000 }] }, trips, 'Title', 'x', { timezone: 'Europe/Budapest' });
    assert.match(list, /start_ts<span class="unit">Europe\/Budapest<\/span>/);
    assert.match(list, /<td><time [^>]*title="1790000000, \+02:00">2026-09-21 16:13:20<\/time><\/td>/);
  });

  test('an object within a row takes one line, in an object its own table', () => {
    const one = { start: { latitude: 47.5, longitude: 19.25, address: null }, end: null, driver: { name: 'A <b>' } };
    const list = write({ trips: [one] }, trips);
    assert.match(list, /<td><span title="latitude">47.5<\/span>, <span title="longitude">19.25<\/span><\/td>/);
    assert.match(list, /<td><span title="name">A &lt;b&gt;<\/span><\/td>/);
    assert.match(write(one, trip), /<th scope="row"[^>]*>longitude<\/th><td>19.25<span class="unit">°<\/span>/);
  });

  test('a page of a list leads on to the next', () => {
    assert.match(write({ url: 'x', trips: [], next_url: 'x?after=1' }, trips), /<a href="x\?after=1" rel="next">Next page<\/a>/);
    for (const next of [null, 'javascript:x']) assert.doesNotMatch(write({ url: 'x', trips: [], next_url: next }, trips), /rel="next"/);
  });

  test('a trip is drawn along its way, or by its ends where the way is not known', () => {
    const place = (longitude: number) => ({ latitude: -17, longitude, address: null });
    const [start, end, way] = [place(179.98), place(-179.98), [place(179.99), place(-179.99)]];
    const drawn = (object: Record<string, unknown>, kind: Kind, more: Partial<Page> = {}) => {
      const page = write(object, kind, 'Title', 'x', more);
      const line = /class="track" points="([^"]*)"/.exec(page)?.[1]?.split(' ') ?? [];
      return [line.length, ...[...page.matchAll(/<circle class="dot ?([a-z]*)"/g)].map(([, style]) => style)];
    };
    assert.deepEqual(drawn({ start, end }, trip, { way }), [4, 'start', 'end']);
    assert.deepEqual(drawn({ start, end: null }, trip, { way }), [3, 'start', '']);
    assert.deepEqual(drawn({ start, end }, trip), [0, 'start', 'end']);
    assert.deepEqual(
      drawn(
        {
          trips: [
            { start, end },
            { start: end, end: null },
          ],
        },
        trips,
      ),
      [0, 'start', 'end', 'start'],
    );
  });

  test('faults keep their places', () => {
    const page = write({ trips: [{}, null, { drive_t: 'invalid' }], driver: { name: 'empty' }, tags: [null, 'taken'] }, null);
    assert.match(page, /<td class="row">3<\/td><td><span class="fault">invalid<\/span><\/td>/);
    assert.match(page, /<span class="fault">empty<\/span>/);
    assert.match(page, /<li><span class="fault">taken<\/span><\/li>/);
  });

  test('a track is drawn without what is not valid, and across the 180th meridian', () => {
    const fix = (longitude: number, valid = true) => ({ ts: 1, valid, latitude: -17, longitude });
    const page = write({ positions: [fix(179.99), fix(0, false), fix(-179.99)] }, positions);
    const line = /class="track" points="([^"]*)"/.exec(page)?.[1]?.split(' ') ?? [];
    assert.equal(line.length, 2);
    assert.match(page, />180\.000° [EW]</);
    assert.match(page, /class="scale"/);
  });

  test('the hash in the security policy is the style sheet of the page', () => {
    const style = /<style>([^]*?)<\/style>/.exec(signInPage('token', null))?.[1] ?? '';
    assert.equal(STYLE_SOURCE, `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Kind } from '../kinds/kind.ts';
import { positions } from '../kinds/position.ts';
import { FIRST_SAMPLE, sample } from '../kinds/sample.ts';
import { tracker, trackers } from '../kinds/tracker.ts';
import { zones } from '../kinds/zone.ts';
import { html } from './html.ts';
import { isSafeLink, signInPage } from './html-document.ts';
import { STYLE, STYLE_SOURCE } from './html-style.ts';

const write = (object: Record<string, unknown>, kind: Kind | null, title = 'Title', href = 'x'): string =>
  html.write(object, { address: 'x', kind, title, crumbs: [{ name: title, href }], formats: [{ name: 'JSON', href: 'x?_format=json' }] });

/** The tags of the page, without style. Fails on anything that is not plain, well-formed HTML of ours. */
/** The page's own icon, which holds nothing of anybody's. */
const ICON_TAG = /<link rel="icon"[^>]*>/.exec(signInPage('token', null))?.[0] ?? '';

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
    assert.match(page, /<td>1790000000<time datetime="2026-09-21T14:13:20.000Z">2026-09-21 14:13:20 UTC<\/time><\/td>/);
    assert.match(page, /<th scope="row" title="Of the last valid position.">speed<\/th><td>52.5<span class="unit">km\/h<\/span>/);
    assert.match(page, /<a href="a\/positions\?_token=secret&amp;_tz=UTC">a\/positions\?_tz=UTC<\/a>/);
    assert.match(page, /<a href="x\?_format=json">JSON<\/a>/);
    assert.doesNotMatch(page, /<svg viewBox="0 0 960/);
  });

  test('lists are tables in the order of the kind', () => {
    const page = write({ ts: 1, url: 'sample', ...FIRST_SAMPLE }, sample);
    assert.match(page, /<th class="row">#<\/th><th scope="col" title="Driving time.">drive_t<\/th>/);
    assert.match(page, /<tr><td class="row">1<\/td><td>02:33:08<\/td><td class="n">187.8992<\/td><\/tr>/);
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

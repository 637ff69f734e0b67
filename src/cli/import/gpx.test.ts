import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readGpx } from './gpx.ts';
import { Unreadable } from './reading.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string, size = 65_536) => Array.fromAsync(readGpx(inPieces(text, size)));
const wrap = (points: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" xmlns:gpxtpx="urn:x">\n${points}\n</gpx>`;

const full = wrap(`<metadata><time>2020-01-01T00:00:00Z</time></metadata>
<wpt lat="1.5" lon="2.5"><time>2026-03-01T10:00:00+02:00</time><name>M&#252;hle &amp; Bach</name></wpt>
<rte><rtept lat="1" lon="2"><time>2026-03-01T10:00:00Z</time></rtept></rte>
<trk><trkseg>
<trkpt lat="-47.25" lon="19.5"><ele>96.5</ele><time>2026-03-01T10:00:00.250Z</time><fix>3d</fix><sat>9</sat><hdop>0.9</hdop>
  <extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>12.5</gpxtpx:speed><gpxtpx:course>360</gpxtpx:course><gpxtpx:hr>71</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>
<trkpt lat="47" lon="19"><speed>-1</speed><time>2026-03-01T10:00:05Z</time><fix>none</fix></trkpt>
<trkpt lat="47" lon="19"><ele>96.5</ele></trkpt>
<trkpt lat="47" lon="east"><time>2026-03-01T10:00:05Z</time></trkpt>
<trkpt lat="47"><time>2026-03-01T10:00:05Z</time></trkpt>
<trkpt lat="47" lon="19"><time>yesterday</time></trkpt>
</trkseg></trk>`);

test('track points and waypoints with all that they may hold; the rest is named', async () => {
  const found = await read(full);
  assert.deepEqual(found, [
    { time: Date.UTC(2026, 2, 1, 8), latitude: 1.5, longitude: 2.5, fixed: true, attributes: { name: 'Mühle & Bach' } },
    { skipped: 'a point of a route is a plan, not a position', line: 5 },
    {
      time: Date.UTC(2026, 2, 1, 10, 0, 0, 250),
      latitude: -47.25,
      longitude: 19.5,
      fixed: true,
      altitude: 96.5,
      satellites: 9,
      speed: 12.5,
      heading: 0,
      attributes: { hdop: 0.9, hr: 71 },
    },
    { time: Date.UTC(2026, 2, 1, 10, 0, 5), latitude: 47, longitude: 19, fixed: false },
    { skipped: 'a point without a time', line: 10 },
    { skipped: 'lon is not a number: "east"', line: 11 },
    { skipped: 'a point without lat or lon', line: 12 },
    { skipped: 'not a date and time: "yesterday"', line: 13 },
  ]);
});

test('however the bytes arrive', async () => {
  const whole = await read(full);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (size) => assert.deepEqual(await read(full, size), whole)),
    { numRuns: 20 },
  );
});

test('what is no GPX, or means harm, is refused as a whole', async () => {
  const cases: [string, RegExp][] = [
    ['<kml></kml>', /root element is kml/],
    ['<gpx><trk></gpx>', /not well-formed/],
    ['<gpx>', /not well-formed/],
    ['', /not well-formed/],
    ['<!DOCTYPE gpx [<!ENTITY a "b">]><gpx/>', /document type/],
    ['<gpx>&a;</gpx>', /not well-formed/],
    [`<gpx>${'<a>'.repeat(100_000)}`, /deeper than 32/],
    [`<gpx><!--${'x'.repeat(400_000)}--></gpx>`, /no element ends within/],
    [`<!DOCTYPE gpx [${'<!ENTITY a "b">'.repeat(40_000)}`, /no element ends within/],
  ];
  for (const [text, message] of cases)
    await assert.rejects(read(text), (error) => error instanceof Unreadable && message.test(error.message), text.slice(0, 60));
});

test('values without bounds cost their own point', async () => {
  const many = Array.from({ length: 101 }, (_, i) => `<a${i}>1</a${i}>`).join('');
  const point = (inner: string): string => `<wpt lat="1" lon="2"><time>2026-03-01T10:00:00Z</time>${inner}</wpt>`;
  const found = await read(
    wrap([point(`<desc>${'x'.repeat(100_000)}</desc>`), point(many), point('<__proto__>1</__proto__>'), point('')].join('\n')),
  );
  assert.deepEqual(
    found.map((part) => ('skipped' in part ? part.skipped : Object.keys(part.attributes ?? {}))),
    ['desc is too long', 'too many values', ['__proto__'], []],
  );
});

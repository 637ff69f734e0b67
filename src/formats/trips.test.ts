// Trips with their ways in the formats of other programs, and tracks across the 180th meridian.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import type { Kind } from '../kinds/kind.ts';
import { positions } from '../kinds/position.ts';
import { trip, trips } from '../kinds/trip.ts';
import { csv } from './csv.ts';
import { barePage, writeAll, type StreamFormat } from './format.ts';
import { geojson } from './geojson.ts';
import { createLine } from './geojson-line.ts';
import { gpx } from './gpx.ts';
import { kml } from './kml.ts';

type Thing = Record<string, unknown>;

const START = 1790000000;
const place = (latitude: number, longitude: number): Thing => ({ latitude, longitude, address: null });
const journey = (from: number, more: Thing = {}): Thing => ({
  url: 'trackers/1/trips/1',
  start_ts: from,
  end_ts: from + 60,
  start: place(1, 2),
  end: place(3, 4),
  drive_t: '00:01:00',
  drive_dist: 1.5,
  idle_t: '00:00:00',
  avg_speed: 90,
  max_speed: 100,
  positions_url: 'trackers/1/positions',
  purpose: null,
  note: null,
  driver: null,
  ...more,
});
const fix = (i: number, longitude: number, more: Thing = {}): Thing => ({
  ts: START + i,
  recv_ts: START + i,
  valid: true,
  latitude: i,
  longitude,
  ...more,
});

/** The document of trips with the positions of each. */
function write(format: StreamFormat, kind: Kind, items: readonly (readonly [trip: Thing, positions: readonly Thing[]])[]): string {
  const writer = format.open(barePage('x', kind, 'Van <3>'));
  let text = writer.head();
  for (const [item, way] of items) {
    text += writer.item(item);
    for (const position of way) text += writer.position?.(position) ?? '';
  }
  return text + writer.foot();
}

/** Throws for what is not well-formed. */
function checkXml(text: string): string {
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  return text;
}

const own = journey(START, { note: 'To <the> sea', purpose: 'private', driver: { name: 'A & B' } });
const two = [
  [own, [fix(0, 10), fix(1, 11, { valid: false }), fix(2, 12)]],
  [journey(START + 100, { end_ts: null, end: null }), []],
] as const;

suite('trips', () => {
  test('every format carries one and many', () => {
    for (const format of [csv, geojson, gpx, kml])
      for (const kind of [trip, trips]) {
        assert.ok(format.carries(kind), `${format.name} ${kind.name}`);
        write(format, kind, []);
      }
  });

  test('GPX: a track each', () => {
    const text = checkXml(write(gpx, trips, two));
    assert.match(text, /<metadata><name>Van &lt;3&gt;<\/name><\/metadata>/);
    assert.deepEqual(
      text
        .split('<trk>')
        .slice(1)
        .map((track) => [track.split('<trkpt').length - 1, /<name>([^<]+)/.exec(track)?.[1]]),
      [
        [2, '2026-09-21T14:13:20Z'],
        [0, '2026-09-21T14:15:00Z'],
      ],
    );
    assert.ok(text.includes('</name><desc>To &lt;the&gt; sea</desc><type>private</type>\n<trkseg>'));
    checkXml(write(gpx, trips, []));
  });

  test('KML: a placemark each', () => {
    const text = checkXml(write(kml, trips, two));
    assert.equal(text.split('<Placemark>').length, 3);
    assert.equal(text.split('<gx:coord>').length, 3);
    assert.match(text, /<TimeSpan><begin>2026-09-21T14:13:20Z<\/begin><end>2026-09-21T14:14:20Z<\/end><\/TimeSpan>/);
    assert.match(text, /<TimeSpan><begin>2026-09-21T14:15:00Z<\/begin><\/TimeSpan>/);
    assert.match(text, /<description>To &lt;the&gt; sea<\/description>.*<Data name="driver"><value>A &amp; B<\/value>/);
    checkXml(write(kml, trips, []));
  });

  test('GeoJSON: a feature each, a line where there is one', () => {
    const read = (text: string): { geometry: unknown; properties: Thing }[] =>
      (JSON.parse(text) as { features: { geometry: unknown; properties: Thing }[] }).features;
    const [first, second] = read(write(geojson, trips, two));
    assert.deepEqual(first?.geometry, { type: 'LineString', coordinates: [[10, 0], [12, 2]] }); // prettier-ignore
    assert.deepEqual(
      [first?.properties['drive_dist'], first?.properties['driver'], first?.properties['url']],
      [1.5, { name: 'A & B' }, undefined],
    );
    assert.equal(second?.geometry, null);
    const [alone] = read(write(geojson, trip, [[own, [fix(0, 5, { altitude: 9 })]]]));
    assert.deepEqual(alone?.geometry, { type: 'Point', coordinates: [5, 0, 9] });
    assert.deepEqual(read(write(geojson, trips, [])), []);
  });

  test('CSV: a row each, with the ends in columns of their own', () => {
    const rows = write(csv, trips, two).split('\r\n');
    assert.equal(
      rows[0],
      'start_ts,end_ts,start.latitude,start.longitude,start.address,end.latitude,end.longitude,end.address,drive_t,drive_dist,idle_t,avg_speed,max_speed,purpose,note,driver.name',
    );
    assert.equal(rows[1], `${START},${START + 60},1,2,,3,4,,00:01:00,1.5,00:00:00,90,100,private,To <the> sea,A & B`);
    assert.equal(rows[2], `${START + 100},,1,2,,,,,00:01:00,1.5,00:00:00,90,100,,,`);
    assert.equal(write(csv, trip, [[own, []]]).split('\r\n').length, 3);
  });
});

suite('the 180th meridian', () => {
  const way = [fix(0, 179), fix(1, -179), fix(2, -178), fix(3, 180), fix(4, -180), fix(5, 178)];
  const page = { url: 'x', next_url: null, positions: way };

  test('segments of GPX and tracks of KML end before it, and hold every position once', () => {
    const cut = (text: string, separator: string, longitude: RegExp): number[][] =>
      text
        .split(separator)
        .slice(1)
        .map((part) => [...part.matchAll(longitude)].map(([, x]) => Number(x)));
    const gpxParts = [[179], [-179, -178, -180, -180], [178]];
    const kmlParts = [[179], [-179, -178], [180], [-180], [178]];
    const page180 = checkXml(writeAll(gpx, page, barePage('x', positions, '')));
    assert.deepEqual(cut(page180, '<trkseg>', /lon="([^"]+)"/g), gpxParts);
    assert.deepEqual(cut(checkXml(write(gpx, trip, [[own, way]])), '<trkseg>', /lon="([^"]+)"/g), gpxParts);
    const tracks = checkXml(writeAll(kml, page, barePage('x', positions, '')));
    assert.deepEqual(cut(tracks, '<gx:Track>', /<gx:coord>(\S+)/g), kmlParts);
    assert.deepEqual(cut(checkXml(write(kml, trip, [[own, way]])), '<gx:Track>', /<gx:coord>(\S+)/g), kmlParts);
  });

  test('a line is cut on it', () => {
    const line = (...places: readonly (readonly [number, number, number?])[]): unknown => {
      const writer = createLine();
      let text = '';
      for (const [longitude, latitude, altitude] of places)
        text += writer.add({ longitude, latitude, ...(altitude !== undefined && { altitude }) });
      return JSON.parse(text + writer.end());
    };
    assert.deepEqual(line([179, 0, 100], [-179, 1, 200]), {
      type: 'MultiLineString',
      coordinates: [
        [[179, 0, 100], [180, 0.5, 150]],
        [[-180, 0.5, 150], [-179, 1, 200]],
      ],
    }); // prettier-ignore
    // A place on the meridian itself belongs to both sides.
    assert.deepEqual(line([179, 0], [180, 1], [-179, 2]), {
      type: 'MultiLineString',
      coordinates: [
        [[179, 0], [180, 1]],
        [[-180, 1], [-179, 2]],
      ],
    }); // prettier-ignore
    assert.deepEqual(line([180, 1], [-179, 2]), { type: 'LineString', coordinates: [[-180, 1], [-179, 2]] }); // prettier-ignore
    assert.deepEqual(line([179, 1], [-180, 2]), { type: 'LineString', coordinates: [[179, 1], [180, 2]] }); // prettier-ignore
    assert.deepEqual(line([180, 1], [-180, 2]), { type: 'LineString', coordinates: [[180, 1], [180, 2]] }); // prettier-ignore
    assert.equal(line(), null);
  });

  test('whatever the way, its lines are whole, stay on their side and hold every place', () => {
    const place180 = fc.tuple(fc.constantFrom(-180, -179, -178, 0, 178, 179, 180), fc.integer({ min: -90, max: 90 }));
    fc.assert(
      fc.property(fc.array(place180, { maxLength: 20 }), (places) => {
        const writer = createLine();
        let text = '';
        for (const [longitude, latitude] of places) text += writer.add({ longitude, latitude });
        const geometry = JSON.parse(text + writer.end()) as { type: string; coordinates: unknown } | null;
        if (geometry === null || geometry.type === 'Point') return;
        const lines = (geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates) as [number, number][][];
        for (const line of lines) {
          assert.ok(line.length >= 2);
          for (const [i, [x, y]] of line.entries()) {
            assert.ok(Math.abs(x) <= 180 && Math.abs(y) <= 90);
            if (i > 0) assert.ok(Math.abs(x - (line[i - 1]?.[0] ?? x)) <= 180);
          }
        }
        const held = new Set(lines.flat().map(([x, y]) => `${Math.abs(x) === 180 ? 180 : x} ${y}`));
        for (const [x, y] of places) assert.ok(held.has(`${Math.abs(x) === 180 ? 180 : x} ${y}`), `${x} ${y}`);
      }),
    );
  });

  test('a way too long to be held back is written as it comes', () => {
    const writer = createLine();
    const pieces: string[] = [];
    for (let i = 0; i < 100_000; i++) pieces.push(writer.add({ latitude: 48 + i / 1e6, longitude: 16 + i / 1e6 }));
    assert.ok(pieces.filter((piece) => piece !== '').length > 1);
    const geometry = JSON.parse(pieces.join('') + writer.end()) as { type: string; coordinates: number[][][] };
    assert.deepEqual([geometry.type, geometry.coordinates.length, geometry.coordinates[0]?.length], ['MultiLineString', 1, 100_000]);
  });
});

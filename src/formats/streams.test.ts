import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { SaxesParser } from 'saxes';
import type { Kind } from '../kinds/kind.ts';
import { positions } from '../kinds/position.ts';
import { tracker, trackers } from '../kinds/tracker.ts';
import { zones } from '../kinds/zone.ts';
import { csv } from './csv.ts';
import { barePage, writeAll, type StreamFormat } from './format.ts';
import { geojson } from './geojson.ts';
import { gpx } from './gpx.ts';
import { kml } from './kml.ts';

const write = (format: StreamFormat, object: Record<string, unknown>, kind: Kind, title = 'Van <3> & "co"'): string =>
  writeAll(format, object, barePage('x', kind, title));

/** Path of each element that holds text, with the text; throws for what is not well-formed. */
function elementsOf(text: string): [path: string, text: string][] {
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  const found: [string, string][] = [];
  let content = '';
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const place = attributes['lat'] === undefined ? '' : `[${attributes['lat'].value},${attributes['lon']?.value}]`;
    path.push(name + place);
    content = '';
  });
  parser.on('text', (piece) => (content += piece));
  parser.on('closetag', () => {
    if (content.trim() !== '') found.push([path.join('/'), content.trim()]);
    path.pop();
    content = '';
  });
  parser.write(text).close();
  return found;
}

const START = 1790000000;
const fixes = [
  {
    ts: START,
    recv_ts: START + 1,
    valid: true,
    latitude: 47.1,
    longitude: 180,
    altitude: 400.5,
    speed: 36,
    heading: 360,
    satellites: 9,
    ignition: true,
  },
  { ts: START + 10, recv_ts: START + 11, valid: false, latitude: 0, longitude: 0 },
  { ts: START + 20, recv_ts: START + 21, valid: true, latitude: 47.2, longitude: -8.2 },
];
const page = { url: 'positions', positions: fixes, next_url: null };

const circle = {
  url: 'zones/1',
  name: 'Round, "<here>"',
  type: 'circle',
  points: [{ latitude: 10, longitude: 20 }],
  radius: 1000,
  color: '#12ab34',
  created_ts: START,
};
const corridor = {
  url: 'zones/2',
  name: '=1+1',
  type: 'corridor',
  points: [
    { latitude: 0, longitude: 179 },
    { latitude: 2, longitude: -179 },
  ],
  radius: 500,
  color: null,
  created_ts: START,
};
const polygon = {
  url: 'zones/3',
  name: 'Clockwise',
  type: 'polygon',
  points: [
    { latitude: 0, longitude: 0 },
    { latitude: 1, longitude: 0 },
    { latitude: 0, longitude: 1 },
  ],
  radius: null,
  color: null,
  created_ts: START,
};

suite('GPX', () => {
  test("a track of the valid positions, in the schema's order and units", () => {
    assert.deepEqual(elementsOf(write(gpx, page, positions)), [
      ['gpx/trk/name', 'Van <3> & "co"'],
      ['gpx/trk/trkseg/trkpt[47.1,-180]/ele', '400.5'],
      ['gpx/trk/trkseg/trkpt[47.1,-180]/time', '2026-09-21T14:13:20Z'],
      ['gpx/trk/trkseg/trkpt[47.1,-180]/sat', '9'],
      ['gpx/trk/trkseg/trkpt[47.1,-180]/extensions/tpx:TrackPointExtension/tpx:speed', '10'],
      ['gpx/trk/trkseg/trkpt[47.1,-180]/extensions/tpx:TrackPointExtension/tpx:course', '0'],
      ['gpx/trk/trkseg/trkpt[47.2,-8.2]/time', '2026-09-21T14:13:40Z'],
    ]);
  });

  test('no positions are a valid document too', () => {
    assert.deepEqual(elementsOf(write(gpx, { positions: [] }, positions, 'None')), [['gpx/trk/name', 'None']]);
    assert.ok(!gpx.carries(zones) && !gpx.carries(tracker));
  });
});

suite('KML', () => {
  test('tracks of bounded length that join up hold every valid position', () => {
    const many = Array.from({ length: 1203 }, (_, i) => ({
      ts: START + i,
      valid: i % 400 !== 5,
      latitude: 1,
      longitude: i / 100,
      speed: i,
    }));
    const text = write(kml, { positions: many }, positions);
    const elements = elementsOf(text);
    const of = (name: string): string[] => elements.filter(([path]) => path.endsWith(`/${name}`)).map(([, content]) => content);
    const places = of('gx:coord');
    assert.equal(new Set(places).size, 1200);
    assert.equal(places.length, of('when').length);
    assert.equal(places.length, of('gx:value').length);
    assert.deepEqual(
      text
        .split('<gx:Track>')
        .slice(1)
        .map((track) => [track.split('<when>').length - 1, track.lastIndexOf('</when>') < track.indexOf('<gx:coord>')]),
      [
        [500, true],
        [500, true],
        [202, true],
      ],
    );
  });

  test('exactly one full track, and none', () => {
    const many = Array.from({ length: 500 }, (_, i) => ({ ts: START + i, valid: true, latitude: 1, longitude: i / 100 }));
    assert.equal(write(kml, { positions: many }, positions).split('<gx:Track>').length, 2);
    elementsOf(write(kml, { positions: [] }, positions));
  });

  test('zones are shapes with their colours', () => {
    const text = write(kml, { zones: [circle, corridor, polygon] }, zones);
    const elements = elementsOf(text);
    const ring = elements.find(([path]) => path.endsWith('Polygon/outerBoundaryIs/LinearRing/coordinates'))?.[1].split(' ') ?? [];
    assert.equal(ring.length, 65);
    assert.equal(ring[0], ring[64]);
    assert.ok(text.includes('<color>ff34ab12</color>'));
    assert.ok(text.includes('<MultiGeometry><LineString><tessellate>1</tessellate><coordinates>179,0 180,1</coordinates></LineString>'));
  });
});

suite('GeoJSON', () => {
  interface Feature {
    geometry: { type: string; coordinates: unknown } | null;
    properties: Record<string, unknown>;
  }
  const featuresOf = (object: Record<string, unknown>, kind: Kind): Feature[] =>
    (JSON.parse(write(geojson, object, kind)) as { features: Feature[] }).features;

  test('every position is a point', () => {
    const [first, second] = featuresOf(page, positions);
    assert.deepEqual(first?.geometry, { type: 'Point', coordinates: [180, 47.1, 400.5] });
    assert.deepEqual(second?.properties, { ts: START + 10, recv_ts: START + 11, valid: false });
    assert.deepEqual(featuresOf({ positions: [] }, positions), []);
  });

  test('a point outside of the world is no geometry, and its numbers are kept', () => {
    const shown = (latitude: number, longitude: number) =>
      featuresOf({ positions: [{ ts: START, valid: false, latitude, longitude, altitude: 5 }] }, positions);
    for (const [latitude, longitude] of [
      [90.1, 0],
      [-91, 500],
      [0, -180.1],
    ] as const)
      assert.deepEqual(shown(latitude, longitude), [
        { type: 'Feature', geometry: null, properties: { ts: START, valid: false, latitude, longitude, altitude: 5 } },
      ]);
    assert.deepEqual(shown(-90, 180)[0]?.geometry?.coordinates, [180, -90, 5]);
  });

  test('a tracker is one feature, without a place where it has none', () => {
    assert.deepEqual(featuresOf({ url: 'x', imei: '1', latitude: null, longitude: null }, tracker), [
      { type: 'Feature', geometry: null, properties: { imei: '1' } },
    ]);
  });

  test('zones: rings closed and counterclockwise, lines cut at the meridian', () => {
    const [round, along, flat] = featuresOf({ zones: [circle, corridor, polygon] }, zones);
    const [ring = []] = (round?.geometry?.coordinates ?? []) as number[][][];
    assert.equal(ring.length, 65);
    assert.deepEqual(round?.properties?.['center'], [20, 10]);
    assert.ok(ring.every(([x = 0, y = 0]) => Math.abs(Math.hypot((x - 20) * Math.cos((10 * Math.PI) / 180), y - 10) * 111_195 - 1000) < 1));
    assert.deepEqual(along?.geometry, {
      type: 'MultiLineString',
      coordinates: [
        [
          [179, 0],
          [180, 1],
        ],
        [
          [-180, 1],
          [-179, 2],
        ],
      ],
    });
    assert.deepEqual(flat?.geometry, {
      type: 'Polygon',
      coordinates: [
        [
          [1, 0],
          [0, 1],
          [0, 0],
          [1, 0],
        ],
      ],
    });
  });
});

suite('CSV', () => {
  test('a header of property names and a row for each position, valid or not', () => {
    const rows = write(csv, page, positions).split('\r\n');
    assert.equal(
      rows[0],
      'ts,recv_ts,valid,latitude,longitude,altitude,speed,heading,accuracy,satellites,ignition,motion,battery,battery_level,power,odometer_dist,event_id,attributes',
    );
    assert.equal(rows[1], `${START},${START + 1},true,47.1,180,400.5,36,360,,9,true,,,,,,,`);
    assert.equal(rows[3], `${START + 20},${START + 21},true,47.2,-8.2,,,,,,,,,,,,,`);
    assert.equal(rows.length, 5);
    assert.equal(rows[4], '');
  });

  test('text is quoted where it must be and cannot be taken for a formula', () => {
    const rows = write(csv, { zones: [circle, corridor] }, zones).split('\r\n');
    assert.equal(rows[0], 'name,type,points,radius,color,created_ts');
    assert.equal(rows[1], `"Round, ""<here>""",circle,"[{""latitude"":10,""longitude"":20}]",1000,#12ab34,${START}`);
    assert.match(rows[2] ?? '', /^'=1\+1,corridor,/);
    const names = ['-1', '+1', '@x', '\tx', 'fine', "it's"].map(
      (name) =>
        write(csv, { trackers: [{ imei: '1', name }] }, trackers)
          .split('\r\n')[1]
          ?.split(',')[1],
    );
    assert.deepEqual(names, ["'-1", "'+1", "'@x", "'\tx", 'fine', "it's"]);
  });
});

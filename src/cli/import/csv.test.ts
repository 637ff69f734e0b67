import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readRows } from './csv-rows.ts';
import { readCsv, type CsvOptions } from './csv.ts';
import { detectFormat } from './format.ts';
import { Unreadable } from './reading.ts';

async function* inPieces(text: string, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string, options: CsvOptions = {}) => Array.fromAsync(readCsv(inPieces(text), options));
const noon = Date.UTC(2026, 5, 1, 12);

test("the interface's own export comes back as it was", async () => {
  const text =
    'ts,recv_ts,valid,latitude,longitude,altitude,speed (km/h),heading,accuracy,satellites,ignition,motion,battery,battery_level,power,odometer_dist\r\n' +
    `${noon / 1000},${noon / 1000 + 3},true,47.5,-20.25,96,36,271.5,4.5,9,true,false,4.02,80,13.9,187.8992\r\n` +
    `${noon / 1000 + 5},${noon / 1000 + 9},false,0,0,,,,,,,,,,,\r\n`;
  assert.deepEqual(await read(text), [
    {
      time: noon,
      latitude: 47.5,
      longitude: -20.25,
      fixed: true,
      altitude: 96,
      speed: 10,
      heading: 271.5,
      accuracy: 4.5,
      satellites: 9,
      ignition: true,
      motion: false,
      battery: 4.02,
      batteryLevel: 80,
      power: 13.9,
      odometer: 187_899.2,
    },
    { time: noon + 5000, latitude: 0, longitude: 0, fixed: false },
  ]);
});

test('columns of other makers: units, delimiters, times, byte order mark', async () => {
  const point = { time: noon, latitude: 47.5, longitude: 20.25, fixed: true };
  const cases: [string, CsvOptions, object][] = [
    ['\uFEFFTimestamp;Lat;Lng;Speed_kn\n2026-06-01T14:00:00+02:00;47,5;20,25;10', {}, { ...point, speed: 10 * (1852 / 3600) }],
    ['time\tlat\tlon\tspeed [m/s]\tbearing\n2026-06-01 12:00:00\t47.5\t20.25\t7\t360', {}, { ...point, speed: 7, heading: 0 }],
    [`lon|lat|date\n20.25|47.5|${noon}`, {}, point],
    [
      '"DATE","time","latitude","longitude","speed"\n"06/01/2026","12:00:00","47.5","20.25","10"',
      { dateOrder: 'month first', speedUnit: 'm/s' },
      { ...point, speed: 10 },
    ],
    ['date,time,latitude,longitude\n1.6.2026,12:00,47.5,20.25', { dateOrder: 'day first' }, point],
    [
      'datetime,latitude,longitude,altitude (ft)\n2026-06-01 14:00:00,47.5,20.25,100',
      { timeZone: 'Europe/Budapest' },
      { ...point, altitude: 30.48 },
    ],
    [
      'timestamp,time,lat,lon,GPS Speed,speed_mph,note\n2026-06-01T12:00:00Z,99,47.5,20.25,3,0,"a ""b"", c"',
      {},
      { ...point, speed: 0, attributes: { time: 99, 'GPS Speed': 3, note: 'a "b", c' } },
    ],
  ];
  for (const [text, options, report] of cases) assert.deepEqual(await read(text, options), [report], text);
});

test('a value that cannot be is kept as the file has it; what is not known is absent', async () => {
  const point = { time: noon, latitude: 47.5, longitude: 181, fixed: true };
  const header = 'ts,lat,lon,speed,course,satellites,battery_level,altitude,accuracy';
  const [odd, unknown] = await read(`${header}\n${noon},47.5,181,1e305,361,7.5,101,-12001,1e8\n${noon},47.5,181,-1,-1,,,,-1`);
  const attributes = { speed: '1e305', course: 361, satellites: 7.5, battery_level: 101, altitude: -12_001, accuracy: '1e8' };
  assert.deepEqual([odd, unknown], [{ ...point, attributes }, point]);
});

test('rows that cannot be read are named and cost nothing else', async () => {
  const rows = [
    '1,2',
    ',1,2',
    'x,1,2',
    '1780315200,1',
    '1780315200,1,2,3',
    '2026-02-30T00:00:00Z,1,2',
    '-1,1,2',
    '99999999999999,1,2',
    '03/04/2026 10:00:00,1,2',
    '1780315200,1,0x2',
    '1780315200,1,1e300',
    '1780315200,,',
    '',
    '1780315200,1,2',
  ];
  const found = await read(`ts,lat,lon\n${rows.join('\n')}`);
  assert.deepEqual(
    found.map((part) => ('skipped' in part ? `${part.line}: ${part.skipped}` : [part.time, part.latitude, part.fixed])),
    [
      '2: half a place',
      '3: a row without a time',
      '4: not a date and time: "x"',
      '5: half a place',
      '6: 4 cells under 3 columns',
      '7: no such day or time: "2026-02-30T00:00:00Z"',
      '8: not a date and time: "-1"',
      [99_999_999_999_999, 1, true],
      '10: say whether day or month comes first in dates such as "03/04/2026 10:00:00"',
      '11: lon is not a number: "0x2"',
      '12: lon is no place: "1e300"',
      [noon, null, false],
      [noon, 1, true],
    ],
  );
});

test('files that cannot be read at all', async () => {
  const cases: [string, RegExp][] = [
    ['', /empty/],
    ['a,b\n1,2', /timestamp, ts, .*; none named latitude/s],
    ['ts,lat,lon,lon\n', /called "lon"/],
    ['ts,lat,lon,speed (furlongs)\n', /unit of speed: "furlongs"/],
    ['ts,lat,lon\n"1', /line 2: a quote that does not close/],
    ['ts,lat,lon\n"1"2,3', /text after a closing quote/],
    [`ts,lat,lon\n${'1'.repeat(200_000)}`, /more than 65536 characters/],
    [`ts,lat,lon${',a'.repeat(600)}\n`, /more than 512 cells/],
  ];
  for (const [text, message] of cases)
    await assert.rejects(read(text), (error) => error instanceof Unreadable && message.test(error.message), text.slice(0, 40));
});

test('any cells are read back as RFC 4180 writes them, however the bytes arrive', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ü', '"', ',', '\n', '\r\n', ';', ' '), maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom('\n', '\r\n'),
      async (rows, size, end) => {
        const text = ['x,y', ...rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))].join(end);
        const found = (await Array.fromAsync(readRows(inPieces(text, size)))).map(({ cells }) => cells);
        assert.deepEqual(found, [['x', 'y'], ...rows.filter((row) => row.some((value) => value !== ''))]);
      },
    ),
    { numRuns: 100 },
  );
});

test('a file shows its format, or its name does', () => {
  const detect = (name: string, text: string): string | null => detectFormat(name, Buffer.from(text));
  assert.equal(detect('a', '<?xml version="1.0"?>\n<gpx version="1.1">'), 'gpx');
  assert.equal(detect('a.gpx.gz', '\uFEFF<?xml version="1.0"?>'), 'gpx');
  assert.equal(detect('a.xml', '<?xml version="1.0"?><kml>'), null);
  assert.equal(detect('a.txt', '# a log\n$GPRMC,1*00'), 'nmea');
  assert.equal(detect('a.txt', '"Time";"Lat";"Long"\n'), 'csv');
  assert.equal(detect('a.csv', 'what,ever'), 'csv');
  assert.equal(detect('a.log.gz', ''), 'nmea');
  assert.equal(detect('a.jpg', '\xff\xd8'), null);
});

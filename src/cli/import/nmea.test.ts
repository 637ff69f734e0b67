import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readNmea } from './nmea.ts';

async function* inPieces(text: string, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string, size?: number) => Array.fromAsync(readNmea(inPieces(text, size)));
function sentence(body: string): string {
  const sum = [...Buffer.from(body)].reduce((all, byte) => all ^ byte, 0);
  return `$${body}*${sum.toString(16).padStart(2, '0')}`;
}
const log = (...bodies: string[]): string => bodies.map(sentence).join('\r\n');
const knot = 1852 / 3600;

test('the sentences of a moment become one report', async () => {
  const text = log(
    'GPGGA,120000.000,4730.0000,N,02015.0000,E,1,09,0.9,96.5,M,42.2,M,,',
    'GPGSA,A,3,29,12,30,,,,,,,,,,1.9,0.9,1.6',
    'GPGSV,1,1,00',
    'GNRMC,120000.00,A,4730.0000,N,02015.0000,E,10.0,360.0,010626,,,A',
    'GPGGA,120001,2712.6404,S,07140.5600,W,1,04,,,M,,M,,',
  );
  assert.deepEqual(await read(text), [
    {
      time: Date.UTC(2026, 5, 1, 12),
      latitude: 47.5,
      longitude: 20.25,
      fixed: true,
      satellites: 9,
      altitude: 96.5,
      speed: 10 * knot,
      heading: 0,
      attributes: { hdop: 0.9, pdop: 1.9 },
    },
    { time: Date.UTC(2026, 5, 1, 12, 0, 1), latitude: -27.21067333, longitude: -71.676, fixed: true, satellites: 4 },
  ]);
});

test('void moments are reports without a fix; without a date there is no report', async () => {
  const found = await read(
    log(
      'GPRMC,,V,,,,,,,,,,N',
      'GPGGA,115958,4730,N,02015,E,1,09,,,M,,M,,',
      'GPRMC,115959,V,,,,,,,010626,,',
      'GPRMC,120000,V,4730,N,02015,E,,,010626,,',
      'GPGGA,120001,4730,N,02015,E,0,00,,,M,,M,,',
    ),
  );
  assert.deepEqual(found, [
    { skipped: 'RMC: no time', line: 1 },
    { skipped: 'no date was given yet', line: 2 },
    { time: Date.UTC(2026, 5, 1, 11, 59, 59), latitude: null, longitude: null, fixed: false },
    { time: Date.UTC(2026, 5, 1, 12), latitude: 47.5, longitude: 20.25, fixed: false },
    { time: Date.UTC(2026, 5, 1, 12, 0, 1), latitude: 47.5, longitude: 20.25, fixed: false, satellites: 0 },
  ]);
});

test('dates: over midnight, by ZDA, backwards, and wrong by a rollover', async () => {
  const place = '4730,N,02015,E';
  const found = await read(
    log(
      'GPZDA,235958,31,12,2025,00,00',
      `GPGGA,235959,${place},1,09,,,M,,M,,`,
      `GPGGA,000000,${place},1,09,,,M,,M,,`,
      `GPRMC,194124,A,${place},1,1,160906,,`,
      `GPRMC,194111,A,${place},1,1,160906,,`,
      `GPRMC,000231.42,A,${place},1,1,220899,,`,
    ),
  );
  assert.deepEqual(
    found.map((part) => ('time' in part && part.time !== null ? new Date(part.time).toISOString() : part)),
    [
      '2025-12-31T23:59:59.000Z',
      '2026-01-01T00:00:00.000Z',
      '2006-09-16T19:41:24.000Z',
      '2006-09-16T19:41:11.000Z',
      '1999-08-22T00:02:31.420Z',
    ],
  );
});

test('bad lines are named, and cost nothing else', async () => {
  const good = sentence('GPRMC,120000,A,4730,N,02015,E,1,1,010626,,');
  const lines = [
    '# a comment',
    good.replace('4730', '4731'),
    good.slice(0, -3),
    'noise',
    'x'.repeat(5000),
    sentence('GPRMC,120000,A,4770,N,02015,E,1,1,010626,,'),
    sentence('GPRMC,250000,A,4730,N,02015,E,1,1,010626,,'),
    sentence('GPRMC,115959,A,4730,N,02015,E,1,1,310226,,'),
    '!AIVDM,1,1,,A,x,0*00',
    good,
  ];
  const found = await read(lines.join('\n'));
  assert.deepEqual(
    found.filter((part) => 'skipped' in part).map(({ line, skipped }) => `${line}: ${skipped}`),
    [
      '2: a wrong checksum',
      '3: a sentence without a checksum',
      '4: not a sentence',
      '5: a line that is too long',
      '6: RMC: not a place: "4770 N"',
      '7: RMC: not a time of day: "250000"',
      '8: RMC: no such day: "310226"',
      '8: no date was given yet',
    ],
  );
  assert.equal(found.length, 9);
});

test('any bytes give reports or reasons; the pieces they come in do not matter', async () => {
  const text = `${log('GPRMC,120000,A,4730,N,02015,E,1,1,010626,,', 'GPRMC,120001,A,4730,N,02015,E,1,1,010626,,')}\r\n${'y'.repeat(3000)}\r\n# end`;
  const whole = await read(text);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), async (size) => assert.deepEqual(await read(text, size), whole)),
    { numRuns: 20 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('G', 'P', 'R', 'M', 'C', '1', '.', ',', '-', 'A', 'N', 'E') }), { maxLength: 14 }),
      async (fields) => {
        await read(sentence(`GPRMC,${fields.join(',')}`));
      },
    ),
  );
});

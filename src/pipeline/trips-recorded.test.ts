// Recordings of others against the trip machine: what vehicles measured themselves, taxis for weeks, receivers that stand.
// They are not part of the project; without them these tests say so and are skipped.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { replay, type Sketch } from '../../test/replay.ts';
import { distance } from '../geo/distance.ts';
import { isCredible } from './judge.ts';

const folder = join(import.meta.dirname, '../../../shared/data');

/** The files of a set of recordings; none, and the test skipped, when they are not there. */
function recordings(t: TestContext, set: string): string[] {
  const path = join(folder, set);
  if (!existsSync(path)) {
    t.skip(`the recordings are not here: ${path}`);
    return [];
  }
  return readdirSync(path).filter((name) => name.endsWith('.gz')).map((name) => join(path, name)); // prettier-ignore
}

const linesOf = (file: string): string[] => gunzipSync(readFileSync(file)).toString().trim().split('\n');

/** As the service takes them in: in the order of time, without those that cannot be. */
const credible = (rows: readonly Sketch[], received: number): Sketch[] =>
  rows
    .filter(({ time, latitude, longitude }) => isCredible({ time, latitude, longitude, fixed: true }, time, received))
    .toSorted((a, b) => a.time - b.time);

function driveOf(file: string): Sketch[] {
  const rows = linesOf(file)
    .slice(1)
    .map((line) => {
      const [date = '', clock = '', , , , latitude, longitude, , speed] = line.split(',');
      const [month = '', day = '', year] = date.split('/');
      return {
        time: Date.parse(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${clock}Z`),
        latitude: Number(latitude),
        longitude: Number(longitude),
        speed: Number(speed) / 3.6,
      };
    });
  const changes = rows.filter((row, i) => row.latitude !== rows[i - 1]?.latitude || row.longitude !== rows[i - 1]?.longitude);
  return credible(changes, Date.UTC(2021, 6));
}

/** A fix every second on the straight way between. */
const everySecond = (fixes: readonly Sketch[]): Sketch[] =>
  fixes.flatMap((fix, i) => {
    const next = fixes[i + 1];
    if (next === undefined) return [fix];
    const seconds = (next.time - fix.time) / 1000;
    return Array.from({ length: seconds }, (_, second) => ({
      time: fix.time + second * 1000,
      latitude: fix.latitude + ((next.latitude - fix.latitude) * second) / seconds,
      longitude: fix.longitude + ((next.longitude - fix.longitude) * second) / seconds,
    }));
  });

test('drives of a car: one trip each, as long as the car measured', (t) => {
  const files = recordings(t, 'vehicle-drives');
  if (files.length === 0) return;
  const measured = new Map(
    readFileSync(join(folder, 'vehicle-drives/EXPECTED_DISTANCE.derived.csv'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(','))
      .map((cells) => [cells[0], Number(cells[5]) * 1000]),
  );
  let [all, allMeasured] = [0, 0];
  for (const file of files) {
    const name = file.slice(file.lastIndexOf('/') + 1);
    const fixes = driveOf(file);
    const want = measured.get(name) ?? NaN;
    const silent = fixes.map(({ time, latitude, longitude }) => ({ time, latitude, longitude }));
    for (const variant of [fixes, silent, everySecond(fixes)]) {
      const { trips, distance: got } = replay(variant);
      assert.equal(trips.length, 1, name);
      // Its own GPS track is up to 6 % longer than its wheels counted, and 8 % shorter where reception was poor.
      assert.ok(got > 0.91 * want && got < 1.065 * want, `${name}: ${got} m for ${want}`);
    }
    all += replay(fixes).distance;
    allMeasured += want;
  }
  assert.ok(Math.abs(all / allMeasured - 1) < 0.03, `${all} m for ${allMeasured}`);
});

const taxiOf = (file: string): Sketch[] =>
  linesOf(file).map((line) => {
    const [latitude = NaN, longitude = NaN, , seconds = NaN] = line.split(' ').map(Number);
    return { time: seconds * 1000, latitude, longitude };
  });

test('taxis: no metre while they stand, and as far as their fixes lead otherwise', (t) => {
  for (const file of recordings(t, 'taxis')) {
    const fixes = taxiOf(file);
    const { trips, distance: got, out } = replay(fixes);
    const way = fixes.reduce((sum, fix, i) => {
      const last = fixes[i - 1];
      if (last === undefined) return sum;
      const step = distance(last, fix);
      const seconds = (fix.time - last.time) / 1000;
      return seconds > 600 || step / seconds > 50 ? sum : sum + step;
    }, 0);
    const days = ((fixes.at(-1)?.time ?? 0) - (fixes[0]?.time ?? 0)) / 86_400_000;
    // Two vehicles under one id: all that can be asked is that they do not make one that races between them.
    if (file.includes('upthin')) assert.ok(got / days < 800_000, `${got / days} m a day`);
    else assert.ok(Math.abs(got / way - 1) < 0.015, `${file}: ${got} m for ${way}`);
    if (days > 20) assert.ok(trips.length / days > 5 && trips.length / days < 30, `${trips.length} trips`);
    for (const [from, to] of staysOf(fixes)) {
      // From the quarter after it came to the one before it left.
      const moved = out.parts
        .filter(({ bucket }) => bucket > from && bucket + 1_800_000 < to)
        .reduce((sum, part) => sum + part.distance, 0);
      assert.equal(moved, 0, `${moved} mm from ${from} to ${to}`);
    }
  }
});

/** Hours within 60 m. */
function* staysOf(fixes: readonly Sketch[]): Generator<[from: number, to: number]> {
  for (let i = 0; i < fixes.length;) {
    const first = fixes[i] as Sketch;
    let end = i + 1;
    while (end < fixes.length && distance(first, fixes[end] as Sketch) <= 60) end++;
    const last = fixes[end - 1] as Sketch;
    if (last.time - first.time >= 3_600_000) yield [first.time, last.time];
    i = last.time - first.time >= 3_600_000 ? end : i + 1;
  }
}

/** RMC sentences whose checksum is right, as fixes (NMEA 0183; ddmm.mmmm, knots). */
function fixesOf(file: string): Sketch[] {
  const degrees = (text: string, side: string): number => {
    const value = Number(text);
    const whole = Math.floor(value / 100);
    return (whole + (value - whole * 100) / 60) * (side === 'S' || side === 'W' ? -1 : 1);
  };
  const rows = linesOf(file).flatMap((line) => {
    const [, body = '', sum = ''] = /^\$(..RMC,[^*]*)\*([\dA-Fa-f]{2})/.exec(line) ?? [];
    if (body === '' || Buffer.from(body).reduce((xor, byte) => xor ^ byte, 0) !== Number.parseInt(sum, 16)) return [];
    const [, clock = '', status, latitude = '', south = '', longitude = '', west = '', knots = '', , date = ''] = body.split(',');
    const [day, month, year] = date.match(/../g) ?? [];
    const time = Date.parse(`20${year}-${month}-${day}T${clock.slice(0, 2)}:${clock.slice(2, 4)}:${clock.slice(4, 6)}Z`);
    if (status !== 'A' || Number.isNaN(time)) return [];
    return [
      {
        time,
        latitude: degrees(latitude, south),
        longitude: degrees(longitude, west),
        speed: knots === '' ? NaN : Number(knots) * 0.514_444,
      },
    ];
  });
  return credible(rows, Date.UTC(2026, 0));
}

test('receivers that stand, step back in time and lose their place make no trip', (t) => {
  for (const file of recordings(t, 'nmea')) {
    const fixes = fixesOf(file);
    const farthest = Math.max(0, ...fixes.map((fix) => distance(fixes[0] as Sketch, fix)));
    const { trips, distance: got } = replay(fixes);
    if (farthest < 200) assert.equal(trips.length, 0, file);
    else assert.ok(got < 3 * farthest, `${file}: ${got} m, never farther away than ${farthest}`);
  }
});

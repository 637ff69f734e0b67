import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isImei } from '../../basics/imei.ts';
import { createFleet, createWorld } from './fleet.ts';
import { distance, distanceToSegment, eachSegment, toPlane, type Point } from './plane.ts';
import { findRoute } from './route.ts';
import { Recorder, type Fix } from './vehicle.ts';

const world = createWorld(1);
const start = Date.UTC(2026, 2, 29, 0, 30);
const hour = 3_600_000;
const fleet = createFleet(world, 1, start);
const journeys = fleet.map(({ name, vehicle }) => ({ name, fixes: [...new Recorder(vehicle, start).until(start + 1.5 * hour)] }));

// Which segments of which roads come near a place.
const cell = 100;
const near = new Map<string, { a: Point; b: Point; limit: number }[]>();
for (const { line, limit } of world.edges) {
  eachSegment(line, (a, b) => {
    const [x, y] = [Math.floor((a.x + b.x) / 2 / cell), Math.floor((a.y + b.y) / 2 / cell)];
    for (let i = x - 1; i <= x + 1; i++) {
      for (let j = y - 1; j <= y + 1; j++) near.set(`${i},${j}`, [...(near.get(`${i},${j}`) ?? []), { a, b, limit }]);
    }
  });
}
function roadsWithin(at: Point, metres: number): { limit: number }[] {
  const here = near.get(`${Math.floor(at.x / cell)},${Math.floor(at.y / cell)}`) ?? [];
  return here.filter(({ a, b }) => distanceToSegment(at, a, b) <= metres);
}

test('the fleet has 25 vehicles with names of their own, and IMEIs of test equipment', () => {
  assert.equal(fleet.length, 25);
  assert.equal(new Set(fleet.map(({ name }) => name)).size, 25);
  assert.equal(new Set(fleet.map(({ imei }) => imei)).size, 25);
  for (const { imei } of fleet) assert.ok(isImei(imei) && imei.startsWith('00'), imei);
  const speeches = new Set(fleet.map(({ speech }) => (speech.protocol === 'osmand' ? speech.form : `${speech.transport} ${speech.codec}`)));
  assert.deepEqual([...speeches].toSorted(), ['json', 'query', 'tcp 142', 'tcp 16', 'tcp 8', 'udp 142', 'udp 8']);
});

test('the same seed and start give the same journeys, whatever was asked before; another seed gives others', () => {
  const again = createFleet(createWorld(1), 1, start);
  for (const [i, { vehicle }] of again.entries()) {
    if (i % 6 !== 0) continue;
    vehicle.state(start + hour);
    assert.deepEqual(
      [...new Recorder(vehicle, start).until(start + hour / 2)],
      journeys[i]?.fixes.filter(({ time }) => time <= start + hour / 2),
    );
  }
  const other = createFleet(createWorld(2), 2, start)[0]?.vehicle.state(start + hour);
  assert.notDeepEqual(other, fleet[0]?.vehicle.state(start + hour));
});

test('vehicles stay on the roads and under their speed limits', () => {
  for (const { name, fixes } of journeys) {
    for (const fix of fixes) {
      const roads = roadsWithin(toPlane(fix.latitude, fix.longitude), 15);
      assert.ok(roads.length > 0, `${name} is off the road at ${fix.time}`);
      assert.ok(fix.speed <= Math.max(...roads.map(({ limit }) => limit)), `${name} drives ${fix.speed} m/s`);
    }
  }
});

test('nothing jumps: places, speeds and odometers go together', () => {
  for (const { name, vehicle } of fleet) {
    let last: Fix | undefined;
    for (let time = start; time < start + hour; time += 1000) {
      const fix = vehicle.state(time);
      if (last !== undefined) {
        const moved = distance(toPlane(last.latitude, last.longitude), toPlane(fix.latitude, fix.longitude));
        const driven = fix.odometer - last.odometer;
        assert.ok(driven >= 0 && driven <= Math.max(fix.speed, last.speed) + 2, `${name} drove ${driven} m in a second`);
        assert.ok(moved <= driven + 3, `${name} moved ${moved} m, drove ${driven} m`);
        assert.ok(fix.speed - last.speed <= 2.6 && last.speed - fix.speed <= 3, `${name} goes from ${last.speed} to ${fix.speed} m/s`);
      }
      last = fix;
    }
  }
});

test('values are such as devices send', () => {
  for (const { fixes } of journeys) {
    for (const fix of fixes) {
      assert.ok(fix.time % 1000 === 0);
      assert.ok(fix.satellites >= 7 && fix.satellites <= 16 && Number.isInteger(fix.satellites));
      assert.ok(fix.heading >= 0 && fix.heading < 360);
      assert.ok(fix.power >= 12.3 && fix.power <= 14.2 && fix.battery > 3.8 && fix.battery < 4.2);
      assert.ok(fix.altitude > 70 && fix.altitude < 120);
      assert.ok(fix.ignition || !fix.moving);
    }
    const off = fixes.filter(({ ignition }, i) => !ignition && fixes[i - 1]?.ignition === true);
    assert.ok(off.length > 0, 'everyone stops somewhere');
    assert.ok(fixes.every(({ time }, i) => i === 0 || time > (fixes[i - 1]?.time ?? 0)));
  }
});

test('now and then a driver presses the panic button, after a stop, and that is reported once', () => {
  const presses = journeys.flatMap(({ fixes }) => fixes.filter(({ panic }) => panic));
  const stops = journeys.flatMap(({ fixes }) => fixes.filter(({ moving }, i) => !moving && fixes[i - 1]?.moving === true)).length;
  assert.ok(presses.length > 0 && presses.length < stops / 20, `${presses.length} at ${stops} stops`);
  for (const { moving, ignition } of presses) assert.ok(!moving && ignition);
});

test('a recorder goes on where it stopped, and a vehicle forgets what is long past', () => {
  const whole = journeys[3]?.fixes;
  const recorder = new Recorder(createFleet(world, 1, start)[3]?.vehicle ?? assert.fail(), start);
  const parts = [start + 1, start + hour / 3, start + hour / 3, start + hour, start + 1.5 * hour].flatMap((until) => [
    ...recorder.until(until),
  ]);
  assert.deepEqual(parts, whole);
  const { vehicle } = createFleet(world, 1, start)[3] ?? assert.fail();
  assert.throws(() => vehicle.state(start - 1000), RangeError);
  vehicle.state(start + 12 * hour);
  assert.throws(() => vehicle.state(start), RangeError);
});

test('every place is reached from every other', () => {
  const [first = 0] = world.places;
  for (const [i, place] of world.places.entries()) {
    if (i % 8 !== 0) continue;
    for (const [from, to] of [
      [first, place],
      [place, first],
    ] as const) {
      const route = findRoute(world, from, to);
      let at = from;
      for (const edge of route) {
        assert.equal(edge.from, at);
        at = edge.to;
      }
      assert.equal(at, to);
    }
  }
});

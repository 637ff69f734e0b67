import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { replay, Walker, type Replayed, type Sketch, type Trip } from '../../test/replay.ts';
import { distance } from '../geo/distance.ts';
import { EVENT } from '../kinds/event-type.ts';
import { heldFixes, lastPlace } from './trips.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const near = (actual: number | null | undefined, expected: number, tolerance: number, what: string): void =>
  assert.ok(Math.abs((actual ?? NaN) - expected) <= tolerance, `${what}: ${actual} for ${expected}`);
const only = ({ trips }: Replayed): Trip => {
  assert.equal(trips.length, 1, `${trips.length} trips`);
  return trips[0] as Trip;
};
const events = ({ out }: Replayed, type: number): number[] => out.events.filter((event) => event.type === type).map(({ time }) => time);

/** From fix to fix, m. */
const wayOf = (fixes: readonly Sketch[]): number =>
  fixes.reduce((sum, fix, i) => sum + (i === 0 ? 0 : distance(fixes[i - 1] as Sketch, fix)), 0);

/** Round some blocks, with traffic lights; how far. */
function town(walker: Walker, lights: number, speed = 13): number {
  for (let i = 0; i < 12; i++) {
    walker.go(i % 4 === 1 ? -300 : 700, i % 2 === 0 ? 0 : 0.001, speed).go(0, 500, speed);
    if (i % 3 === 0) walker.stay(lights);
  }
  return 12 * 500 + 9 * 700 + 3 * 300;
}

for (const [interval, noise, saysSpeed] of [
  [1, 0, false],
  [1, 3, false],
  [1, 5, true],
  [5, 3, false],
  [10, 5, true],
  [15, 0, false],
] as const)
  test(`a drive in town, a fix every ${interval} s, ${noise} m of noise${saysSpeed ? ' and speeds' : ''}: one trip, 3 % of its length`, () => {
    const walker = new Walker({ interval: interval * SECOND, noise, saysSpeed }, 4);
    walker.stay(20 * MINUTE);
    const start = walker.time;
    const way = town(walker, 50 * SECOND);
    const end = walker.time;
    const trip = only(replay(walker.stay(20 * MINUTE).fixes));
    near(trip.distance, way, 0.03 * way, 'distance');
    near(trip.start, start, 20 * SECOND, 'start');
    near(trip.end, end, 20 * SECOND, 'end');
    near(trip.idleTime, 4 * 50 * SECOND, 90 * SECOND, 'standing at lights');
    near(trip.maxSpeed, 13, saysSpeed || noise === 0 ? 0.1 : 13, 'top speed');
  });

for (const [what, speed, interval, noise] of [
  ['walker', 1.4, 1, 3],
  ['walker', 1.3, 10, 4],
  ['cyclist', 5, 1, 4],
  ['cyclist', 5, 10, 3],
] as const)
  test(`a ${what}, a fix every ${interval} s: 5 % of 3 km`, () => {
    const walker = new Walker({ interval: interval * SECOND, noise }, 5).stay(15 * MINUTE);
    const start = walker.time;
    walker.go(1000, 0, speed).go(700, 700, speed).go(0, 1010, speed);
    const end = walker.time;
    const trip = only(replay(walker.stay(15 * MINUTE).fixes));
    near(trip.distance, 3000, 150, 'distance');
    near(trip.start, start, 30 * SECOND, 'start');
    near(trip.end, end, 30 * SECOND, 'end');
  });

for (const interval of [1, 10, 60])
  test(`parked for a day with spikes of up to 150 m, a fix every ${interval} s: no trip, no metre`, () => {
    const walker = new Walker({ interval: interval * SECOND, noise: 6 }, interval);
    for (let i = 0; i < 100; i++) {
      walker.stay((24 * HOUR) / 100);
      for (let spikes = 0; spikes <= i % 3; spikes++) walker.stray(50 + i);
    }
    const result = replay(walker.fixes);
    assert.equal(result.trips.length, 0);
    assert.deepEqual(result.out.parts, []);
  });

test('jitter of a parked tracker is not passed on', () => {
  const { legs } = replay(new Walker({ noise: 12 }).stay(HOUR).fixes);
  assert.ok(legs.slice(1).every(({ kind }) => kind === 'rest'));
  assert.equal(new Set(legs.map(({ to }) => `${to.latitude} ${to.longitude}`)).size, 1);
});

test('a stop of four minutes is part of a trip, one of six ends it', () => {
  const drive = (pause: number) => replay(new Walker({}).stay(HOUR).go(3000, 0, 12).stay(pause).go(3000, 0, 12).stay(HOUR).fixes);
  near(only(drive(4 * MINUTE)).idleTime, 4 * MINUTE, 15 * SECOND, 'idle');
  const { trips } = drive(6 * MINUTE);
  assert.equal(trips.length, 2);
  for (const trip of trips) near(trip.distance, 3000, 10, 'distance');
  near((trips[1] as Trip).start - ((trips[0] as Trip).end ?? 0), 6 * MINUTE, 15 * SECOND, 'the stop');
});

test('a stop that only a silence tells of ends a trip as well', () => {
  const walker = new Walker({})
    .stay(HOUR)
    .go(3000, 0, 12)
    .silent(9 * MINUTE)
    .go(3000, 0, 12)
    .stay(HOUR);
  const { trips } = replay(walker.fixes);
  assert.equal(trips.length, 2);
  near((trips[1] as Trip).start - ((trips[0] as Trip).end ?? 0), 8.5 * MINUTE, MINUTE, 'the stop');
});

for (const { noise, interval } of [
  { noise: 10, interval: 2 },
  { noise: 15, interval: 5 },
])
  test(`a stop in ${noise} m of noise, a fix every ${interval} s, ends a trip where and when it is, one of three minutes does not`, () => {
    for (let seed = 1; seed <= 5; seed++) {
      const walker = new Walker({ interval: interval * SECOND, noise }, seed).stay(10 * MINUTE);
      const begun = walker.time;
      const first = walker
        .go(4000, 0, 9)
        .stay(3 * MINUTE)
        .go(4000, 1000, 9).time;
      const second = walker.stay(8 * MINUTE).time;
      const { trips, out, state } = replay(walker.go(3000, 3000, 9).stay(HOUR).fixes);
      assert.equal(trips.length, 2, `seed ${seed}`);
      near(trips[0]?.start, begun, MINUTE, 'start');
      near(trips[0]?.end, first, MINUTE, 'end of the first');
      near(trips[1]?.start, second, MINUTE, 'start of the second');
      near(trips[0]?.distance, 8123, 1000, 'distance');
      near(out.closed[0]?.longitude, 11.5 + 8000 / 74_500, 0.001, 'where');
      assert.equal(state.drive?.opened ?? false, false);
    }
  });

test('who comes back to the edge of where it rested has left when it was last seen there', () => {
  const walker = new Walker({ interval: SECOND }).stay(10 * MINUTE);
  const left = walker.time;
  // A pedestrian, and one fix that lies nearer again.
  walker.go(76, 0, 1.4).fixes.push({ ...(walker.fixes.at(-3) as Sketch), time: walker.time + SECOND });
  walker.time += SECOND;
  const trip = only(replay(walker.go(900, 0, 1.4).stay(10 * MINUTE).fixes));
  near(trip.start, left, 30 * SECOND, 'start');
  assert.ok(trip.maxSpeed < 4, `${trip.maxSpeed} m/s`);
});

test('who sends only while it drives has left just before it wakes up', () => {
  for (const interval of [10, 60]) {
    const walker = new Walker({ interval: interval * SECOND, saysSpeed: true }).fix({ speed: 0 });
    const arrived = walker.go(9000, 0, 15).time;
    const left = walker.silent(2 * HOUR).time;
    const { trips } = replay(walker.go(0, 9000, 15).stay(10 * MINUTE).fixes);
    assert.deepEqual([trips.length, trips[0]?.end], [2, arrived]);
    near(trips[1]?.start, left, 5 * SECOND, 'start');
    near(trips[1]?.distance, 9000, 20, 'distance');
  }
});

test('moving a vehicle in the yard is no trip', () => {
  assert.equal(replay(new Walker({}).stay(HOUR).go(120, 0, 3).stay(HOUR).go(-120, 0, 3).stay(HOUR).fixes).trips.length, 0);
});

test('wandering about a place for a day is no trip, and is not remembered', () => {
  const walker = new Walker({ noise: 3 });
  for (let i = 0; i < 200; i++) walker.go(90, 60, 1.2).go(-90, 20, 1.2).go(0, -80, 1.2);
  const { trips, state } = replay(walker.fixes);
  assert.equal(trips.length, 0);
  assert.ok((state.drive?.distance ?? 0) < 1e7);
});

test('a hole of hours is not driven, a tunnel is', () => {
  const hole = (pause: number) => {
    const walker = new Walker({}).stay(HOUR).go(10_000, 0, 22).silent(pause);
    walker.x += 20 * (pause / SECOND);
    return replay(walker.go(10_000, 0, 22).stay(HOUR).fixes);
  };
  near(only(hole(4 * MINUTE)).distance, 20_000 + 4800, 30, 'a short one');
  near(only(hole(25 * MINUTE)).distance, 20_000 + 30_000, 100, 'a long one');
  const { trips, legs, distance: all } = hole(3 * HOUR);
  assert.equal(trips.length, 2);
  near(all, 20_000, 300, 'what is known');
  assert.equal(legs.filter(({ kind }) => kind === 'gap').length, 1);
});

test('an underground train is ridden, a stroll in a shopping centre is not', () => {
  const hole = (pause: number, metres: number) => {
    const walker = new Walker({ interval: 5 * SECOND, noise: 4 }).stay(HOUR).go(800, 0, 1.4).silent(pause);
    walker.x += metres;
    return replay(walker.go(800, 0, 1.4).stay(HOUR).fixes);
  };
  near(only(hole(18 * MINUTE, 6000)).distance, 7600, 200, 'six stations');
  const { trips, distance: way } = hole(25 * MINUTE, 1500);
  assert.equal(trips.length, 2);
  near(way, 1600, 150, 'what is known');
});

test('who is silent in the garage and comes out where he was has not moved', () => {
  const walker = new Walker({ noise: 5 })
    .stay(HOUR)
    .silent(9 * HOUR)
    .stay(HOUR);
  const { trips, legs } = replay(walker.fixes);
  assert.equal(trips.length, 0);
  assert.ok(legs.every(({ kind }) => kind !== 'gap'));
});

test('a receiver that wakes up on the way tells where it started', () => {
  const walker = new Walker({ saysSpeed: true }).stay(HOUR).silent(9 * HOUR);
  walker.x = 600;
  const trip = only(replay(walker.go(4000, 0, 12).stay(HOUR).fixes));
  near(trip.distance, 4600, 20, 'distance');
  near(trip.end, trip.start + (4600 / 12) * SECOND, 10 * SECOND, 'end');
});

test('hourly reports: a parked asset does not move, one that was carried away did', () => {
  const walker = new Walker({ interval: HOUR, noise: 15 })
    .stay(100 * HOUR)
    .go(80_000, 0, 10)
    .stay(100 * HOUR);
  near(only(replay(walker.fixes)).distance, 80_000, 100, 'distance');
});

for (const [latitude, longitude, east] of [
  [-18, 178, 1],
  [62, -178.5, -1],
  [0.1, 179.9, 1],
] as const)
  test(`a bird from ${latitude}, ${longitude} across the 180th meridian, a fix every one to four hours`, () => {
    const walker = new Walker({ latitude, longitude, noise: 10 }, 9);
    for (let i = 0; i < 8; i++) walker.silent(HOUR * (1 + (i % 4))).fix();
    for (let i = 0; i < 60; i++) {
      const hours = 1 + ((i * 7) % 4);
      walker.x += east * 40_000 * hours * (i % 5 === 0 ? 0.1 : 1);
      walker.y += 15_000 * Math.sin(i);
      walker.silent(hours * HOUR).fix();
    }
    for (let i = 0; i < 8; i++) walker.silent(HOUR).fix();
    const { fixes } = walker;
    const way = wayOf(fixes);
    const result = replay(fixes);
    near(result.distance, way, 0.03 * way, 'distance');
    assert.ok(result.legs.every(({ from, to }) => from === null || distance(from, to) < 200_000));
    assert.equal(result.out.jumps.length, 0);
  });

test('a ship for days: its state stays small, its parts come as time goes by', () => {
  const { fixes } = new Walker({ interval: 5 * MINUTE }).stay(HOUR).go(2_000_000, 300_000, 9);
  const result = replay(fixes);
  const trip = only(result);
  near(trip.distance, wayOf(fixes), 1000, 'distance');
  assert.equal(trip.end, null);
  assert.ok(result.state.parts.length === 1 && result.out.parts.length > 200);
});

test('an aeroplane that does not say how fast it is counts all the same', () => {
  const walker = new Walker({ interval: 10 * SECOND }).stay(HOUR).go(5000, 0, 10);
  for (const speed of [60, 150, 250]) walker.go(100_000, 0, speed);
  const result = replay(walker.go(5000, 0, 60).go(3000, 0, 10).stay(HOUR).fixes);
  const trip = only(result);
  near(trip.distance, 313_000, 9000, 'distance');
  near(trip.maxSpeed, 250, 1, 'top speed');
  assert.equal(result.out.jumps.length, 0);
});

test('a jump is marked, and leaves no trace in the distance or the live view', () => {
  for (const metres of [2000, 40_000, 5_000_000]) {
    const walker = new Walker({}).stay(HOUR).go(3000, 0, 12);
    const before = walker.fixes.length;
    walker.stray(metres);
    const open = replay(walker.fixes);
    assert.deepEqual(
      heldFixes(open.state).map(({ time }) => time),
      [walker.time],
    );
    assert.equal(lastPlace(open.state)?.digest, before - 1, 'what is in doubt is not shown');
    const result = replay(walker.go(3000, 0, 12).stay(HOUR).fixes);
    near(only(result).distance, 6000, 10, 'distance');
    assert.deepEqual(
      result.out.jumps.map(({ digest }) => digest),
      [before],
    );
    assert.deepEqual(heldFixes(result.state), []);
  }
});

test('a fix that is late on the straight way is not taken for a jump', () => {
  const walker = new Walker({}).stay(HOUR).go(3000, 0, 20);
  walker.x += 700;
  walker.silent(5 * SECOND).fix();
  const result = replay(
    walker
      .silent(30 * SECOND)
      .go(3000, 0, 20)
      .stay(HOUR).fixes,
  );
  assert.equal(result.out.jumps.length, 0);
  near(only(result).distance, 6700, 10, 'distance');
});

test('a wrong first fix does not block a tracker for long', () => {
  const result = replay(new Walker({}).stray(800_000).stay(MINUTE).go(5000, 0, 12).stay(HOUR).fixes);
  near(only(result).distance, 5000, 10, 'distance');
  assert.equal(result.legs.filter(({ kind }) => kind === 'gap').length, 1);
});

test('two vehicles under one number do not become one that flies between them', () => {
  const one = new Walker({ interval: MINUTE });
  const other = new Walker({ interval: MINUTE, latitude: 48.3 }).silent(30 * SECOND);
  for (const walker of [one, other])
    for (let i = 0; i < 30; i++)
      walker
        .stay(10 * MINUTE)
        .go(3000, 0, 12)
        .go(-3000, 0, 12);
  const fixes = [...one.fixes, ...other.fixes].toSorted((a, b) => a.time - b.time);
  assert.ok(replay(fixes).distance < 2 * 180_000);
});

test('the ignition decides where it is known: from on to off, standing included', () => {
  const on = { ignition: 1 };
  const off = { ignition: 0 };
  const walker = new Walker({ noise: 3 }).stay(HOUR, off);
  const start = walker.time + walker.options.interval;
  walker
    .stay(8 * MINUTE, on)
    .go(2000, 0, 12, on)
    .stay(12 * MINUTE, on)
    .go(2000, 0, 12, on);
  const result = replay(walker.stay(HOUR, off).fixes);
  const trip = only(result);
  assert.equal(trip.start, start);
  assert.equal(trip.end, walker.time - HOUR + walker.options.interval);
  near(trip.distance, 4000, 60, 'distance');
  near(trip.idleTime, 20 * MINUTE, 90 * SECOND, 'idle');
  assert.deepEqual(events(result, EVENT.tripStart), [trip.start]);
  assert.deepEqual(events(result, EVENT.tripEnd), [trip.end]);
  assert.equal(replay(walker.fixes, { tripSource: 'movement' }).trips.length, 2, 'when it is not asked, the stop of 12 min counts');
});

test('an engine that runs without going anywhere is no trip', () => {
  const walker = new Walker({ noise: 5 });
  for (let i = 0; i < 5; i++) walker.stay(HOUR, { ignition: 0 }).stay(20 * MINUTE, { ignition: 1 });
  assert.equal(replay(walker.fixes).trips.length, 0);
});

test('places of one moment are no trip, though the ignition is on', () => {
  const walker = new Walker({}).fix();
  walker.stray(501, { ignition: 1 });
  for (const metres of [76, 200]) {
    walker.x += metres;
    walker.fix({ ignition: 1 });
  }
  walker.x += 50_000;
  // What a trip is, replay() checks.
  assert.equal(replay(walker.silent(24 * HOUR).stay(HOUR, { ignition: 0 }).fixes).trips.length, 0);
});

test('ignition that is wired to be always on: standing long ends a trip', () => {
  const walker = new Walker({ noise: 3, more: { ignition: 1 } }).stay(HOUR);
  for (let i = 0; i < 3; i++) walker.go(3000, 0, 12).stay(2 * HOUR);
  const { trips } = replay(walker.fixes);
  assert.equal(trips.length, 3);
  for (const trip of trips) {
    near(trip.distance, 3000, 60, 'distance');
    near((trip.end ?? 0) - trip.start, 250 * SECOND, 40 * SECOND, 'duration');
  }
});

test('an ignition that is reported only when it changes, and off without a place', () => {
  const walker = new Walker({}).stay(HOUR).fix({ ignition: 0 }).stay(MINUTE).fix({ ignition: 1 }).go(20_000, 0, 12);
  const end = walker.silent(7 * SECOND).time;
  walker.fix({ ignition: 0, placed: false, latitude: NaN, longitude: NaN });
  const trip = only(replay(walker.stay(HOUR).fixes));
  assert.equal(trip.end, end);
  near(trip.distance, 20_000, 10, 'distance');
});

test('who moves with the ignition off is towed: told once, no trip', () => {
  const off = { ignition: 0 };
  const walker = new Walker({ noise: 3 }).stay(HOUR, { ignition: 1 }).stay(HOUR, off);
  const start = walker.time;
  const result = replay(walker.go(9000, 0, 15, off).stay(HOUR, off).go(9000, 0, 15, off).stay(HOUR, off).fixes);
  assert.equal(result.trips.length, 0);
  const [towed, ...more] = events(result, EVENT.towed);
  near(towed, start, MINUTE, 'towed');
  assert.deepEqual(more, []);
  assert.ok(result.legs.filter(({ kind }) => kind === 'drive').length > 100, 'its way is known all the same');
});

test('what has no place says nothing of places, and in the end that nobody knows', () => {
  const dark = { placed: false, latitude: NaN, longitude: NaN };
  const walker = new Walker({}).stay(HOUR).go(3000, 0, 12);
  const end = walker.time;
  const trip = only(replay(walker.stay(2 * HOUR, dark).fixes));
  near(trip.end, end, 5 * SECOND, 'end');
  assert.equal(replay(new Walker({}).stay(HOUR, dark).fixes).legs.length, 0);
});

test('an inaccurate fix says little', () => {
  const walker = new Walker({}).stay(HOUR);
  for (let i = 0; i < 20; i++) walker.stay(MINUTE, { accuracy: 20 }).stray(800, { accuracy: 1500 }).stray(600, { accuracy: 1000 });
  assert.equal(replay(walker.fixes).trips.length, 0);
  walker.go(2000, 0, 12);
  walker.stray(800, { accuracy: 1500 });
  near(only(replay(walker.go(2000, 0, 12).stay(HOUR).fixes)).distance, 4000, 10, 'distance');
});

/** What trackers do, one after another. */
const deed = fc.oneof(
  fc.record({ type: fc.constant('stay' as const), seconds: fc.nat(1500) }),
  fc.record({
    type: fc.constant('go' as const),
    east: fc.integer({ min: -3000, max: 3000 }),
    north: fc.nat(2000),
    speed: fc.integer({ min: 1, max: 60 }),
  }),
  fc.record({ type: fc.constant('silent' as const), seconds: fc.nat(20_000) }),
  fc.record({ type: fc.constant('stray' as const), metres: fc.nat(20_000) }),
  fc.record({ type: fc.constant('turn' as const), ignition: fc.constantFrom(0, 1, NaN) }),
  fc.record({ type: fc.constant('dark' as const), count: fc.nat(5) }),
  fc.record({ type: fc.constant('again' as const), metres: fc.nat(200) }),
);
const life = fc.record({
  deeds: fc.array(deed, { maxLength: 30 }),
  interval: fc.constantFrom(1000, 10_000, 60_000),
  noise: fc.constantFrom(0, 10),
  latitude: fc.constantFrom(0, 48, -89),
  longitude: fc.constantFrom(11, 179.99),
  saysSpeed: fc.boolean(),
});

function live({ deeds, ...options }: typeof life extends fc.Arbitrary<infer L> ? L : never): Walker {
  const walker = new Walker(options, 3);
  let more: Partial<Sketch> = {};
  for (const what of deeds) {
    if (what.type === 'stay') walker.stay(what.seconds * SECOND, more);
    else if (what.type === 'go') walker.go(what.east, what.north, what.speed, more);
    else if (what.type === 'silent') walker.silent(what.seconds * SECOND);
    else if (what.type === 'stray') walker.stray(what.metres, more);
    else if (what.type === 'turn') more = { ignition: what.ignition };
    else if (what.type === 'dark') walker.stay(what.count * options.interval, { ...more, placed: false });
    else {
      // The same moment again, at another place.
      walker.x += what.metres;
      walker.fix(more);
    }
  }
  return walker;
}

const settings = fc.record(
  {
    tripSource: fc.constantFrom('auto', 'ignition', 'movement' as const),
    stopTime: fc.constantFrom(0, 60_000, 7_200_000),
    tripDistance: fc.constantFrom(0, 1000),
    stopRadius: fc.constantFrom(0, 500),
    gapTime: fc.constantFrom(0, 7_200_000),
  },
  { requiredKeys: [] },
);

test('whatever a tracker does: parts add up, trips do not overlap, legs follow each other, states are small, all is the same again', () => {
  fc.assert(
    fc.property(life, settings, (what, thresholds) => {
      const { fixes } = live(what);
      // replay() checks what holds for all.
      const { out, state } = replay(fixes, thresholds);
      const again = replay(fixes, thresholds);
      assert.equal(JSON.stringify(again.state), JSON.stringify(state));
      assert.deepEqual(again.out, out);
    }),
    { numRuns: 150 },
  );
});

test('after a stop nothing is left of what came hours before', () => {
  fc.assert(
    fc.property(life, life, (one, other) => {
      const states = [one, other].map((what) => {
        const walker = live({ ...what, interval: 10_000, latitude: 48, longitude: 11, saysSpeed: false });
        walker.time = Date.UTC(2026, 6, 1);
        [walker.x, walker.y] = [50_000, 0];
        walker.options.noise = 0;
        walker
          .stay(20 * MINUTE, { ignition: 0 })
          .go(3000, 1000, 12, { ignition: 1 })
          .stay(20 * MINUTE, { ignition: 0 });
        const { state } = replay(walker.fixes.map((fix) => ({ ...fix, digest: 7 })));
        return JSON.stringify(state);
      });
      // Towing is told once until the ignition comes on; all else is forgotten by itself.
      assert.equal(states[0], states[1]);
    }),
    { numRuns: 60 },
  );
});

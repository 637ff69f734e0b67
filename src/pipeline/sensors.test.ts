import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ALARM, type Alarm } from '../kinds/alarm.ts';
import { EVENT, type EventType } from '../kinds/event-type.ts';
import type { Fix } from './fix.ts';
import { newOutcome, type DerivedEvent, type Place } from './outcome.ts';
import { newSensorState, stepSensors, type SensorState, type SpeedLimit } from './sensors.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';

const START = Date.UTC(2026, 0, 1);
const { batteryLow, overspeedTime, gapTime } = DEFAULT_THRESHOLDS;
const ALWAYS = (kmh: number): SpeedLimit => [kmh / 3.6, 0, null];

/** A fix some seconds after the start: what is not given was not sent. */
type Sketch = Partial<Omit<Fix, 'alarms' | 'time'>> & { at: number; kmh?: number; alarms?: readonly Alarm[] };

function fixOf({ at, kmh = NaN, alarms = [], ...sent }: Sketch): Fix {
  return {
    time: START + Math.round(at * 1000),
    digest: 0,
    received: START + Math.round(at * 1000) + 500,
    placed: true,
    latitude: 47 + at / 1e5,
    longitude: 19,
    speed: kmh / 3.6,
    accuracy: NaN,
    ignition: NaN,
    batteryLevel: NaN,
    power: NaN,
    alarms: alarms.reduce((bits, alarm) => bits | ALARM[alarm], 0),
    ...sent,
  };
}

const placeOf = (fix: Fix): Place | null => (fix.placed ? fix : null);

function run(sketches: readonly Sketch[], limits: readonly SpeedLimit[] = [], state: SensorState = newSensorState()): DerivedEvent[] {
  const out = newOutcome();
  for (const fix of sketches.map(fixOf)) stepSensors(state, fix, placeOf(fix), limits, DEFAULT_THRESHOLDS, out);
  return out.events;
}

/** The events as [type, seconds, value]. */
const found = (sketches: readonly Sketch[], limits: readonly SpeedLimit[] = []): [EventType, number, number | null][] =>
  run(sketches, limits).map(({ type, time, value }) => [type, (time - START) / 1000, value]);

/** Fixes ten seconds apart, and the seconds at which they showed the event. */
const timesOf = (type: EventType, sketches: readonly Omit<Sketch, 'at'>[]): number[] =>
  found(sketches.map((sketch, i) => ({ ...sketch, at: i * 10 })))
    .filter(([of]) => of === type)
    .map(([, at]) => at);

const raised = (alarm: Alarm): Omit<Sketch, 'at'> => ({ alarms: [alarm] });
const silent: Omit<Sketch, 'at'> = {};

test('ignition: a change between known values, the first is none', () => {
  const ignition = (...values: (0 | 1 | null)[]) =>
    found(values.map((value, i) => ({ at: i, ...(value !== null && { ignition: value }) }))).map(([type, at]) => [type, at]);
  assert.deepEqual(ignition(1), []);
  assert.deepEqual(ignition(null, 0, null, 0), []);
  assert.deepEqual(ignition(0, null, 1, 1, null, 0), [
    [EVENT.ignitionOn, 2],
    [EVENT.ignitionOff, 5],
  ]);
});

test('panic: every press once, and again when it is raised after a minute of silence', () => {
  const { panic } = EVENT;
  assert.deepEqual(timesOf(panic, [silent, raised('panic'), raised('panic'), silent, raised('panic'), silent]), [10, 40]);
  const at = (...seconds: number[]) => found(seconds.map((second) => ({ at: second, alarms: ['panic'] })));
  assert.deepEqual(at(0, 60, 120, 181), [
    [panic, 0, null],
    [panic, 181, null],
  ]);
});

test('battery disconnected: one event of a loss, by voltage, by alarm, and by both', () => {
  const times = (...sketches: Omit<Sketch, 'at'>[]) => timesOf(EVENT.batteryDisconnected, sketches);
  const volts = (power: number): Omit<Sketch, 'at'> => ({ power });
  const cut = raised('batteryDisconnected');
  assert.deepEqual(times(volts(12.6), volts(0), volts(0), volts(0.2), volts(12.4), volts(2.9)), [10, 50]);
  assert.deepEqual(times(volts(0), volts(0), volts(5), volts(0)), [], 'never seen above 6 V');
  assert.deepEqual(times(volts(12), volts(5), silent, volts(1), volts(5), volts(1)), [30], 'it wobbles between nothing and little');
  assert.deepEqual(times(cut, cut, silent, silent, cut), [0, 40], 'only alarms');
  assert.deepEqual(times(volts(12), cut, silent, volts(0), silent, volts(12), silent, volts(0)), [10, 70], 'alarm first, voltage later');
  assert.deepEqual(times(volts(12), volts(0), { ...cut, power: 0 }, silent, cut, volts(12)), [10], 'voltage first, alarm later');
  assert.deepEqual(times(cut, volts(0), silent, cut, volts(13), cut), [0, 50], 'an alarm of a device that then sends its voltage');
  assert.deepEqual(times({ ...cut, power: 0 }, { power: 5 }, { ...cut, power: 0 }), [0, 20], 'a device on 5 V');
});

test('battery low: once, until it was charged well above; the value is the level', () => {
  const levels = (...values: number[]) =>
    found(values.map((batteryLevel, i) => ({ at: i, batteryLevel }))).map(([, at, value]) => [at, value]);
  assert.deepEqual(levels(80, 21, 20, 19, 25, 18, 30, 20), [[2, 20]]);
  assert.deepEqual(levels(80, 15, 31, 12), [
    [1, 15],
    [3, 12],
  ]);
  assert.deepEqual(levels(10, 9, 8), [], 'it was not seen to fall');
  assert.deepEqual(
    found([
      { at: 0, alarms: ['batteryLow'], batteryLevel: 24 },
      { at: 1, alarms: ['batteryLow'], batteryLevel: 19 },
      { at: 2, batteryLevel: 18 },
    ]),
    [[EVENT.batteryLow, 0, 24]],
  );
  assert.deepEqual(timesOf(EVENT.batteryLow, [raised('batteryLow'), silent, raised('batteryLow')]), [0, 20]);
  assert.equal(run([{ at: 0, alarms: ['batteryLow'] }])[0]?.value, null);
});

test('towed: the alarm and what is seen of the movement are one event, whoever is first', () => {
  /** Sketches with `moved` stand for fixes at which the trip machine sees a towing. */
  const towings = (...sketches: (Sketch & { moved?: true })[]): number[] => {
    const [state, out] = [newSensorState(), newOutcome()];
    for (const { moved, ...sketch } of sketches) {
      const fix = fixOf(sketch);
      const { time, received } = fix;
      if (moved)
        out.events.push({
          type: EVENT.towed,
          time: time - 30_000,
          discriminator: 0,
          made: time,
          latitude: 0,
          longitude: 0,
          zone: null,
          value: null,
          received,
        });
      stepSensors(state, fix, placeOf(fix), [], DEFAULT_THRESHOLDS, out);
    }
    return out.events.filter(({ type }) => type === EVENT.towed).map(({ made }) => (made - START) / 1000);
  };
  const alarms: readonly Alarm[] = ['towed'];
  assert.deepEqual(towings({ at: 0, alarms }, { at: 60 }, { at: 120, alarms }, { at: 1900, alarms }), [0]);
  assert.deepEqual(towings({ at: 0, alarms }, { at: 1801, alarms }), [0, 1801]);
  assert.deepEqual(towings({ at: 0, alarms }, { at: 300, moved: true }, { at: 400, alarms }), [0]);
  assert.deepEqual(towings({ at: 0, moved: true }, { at: 300, alarms }), [0]);
  assert.deepEqual(towings({ at: 0, moved: true, alarms }, { at: 3600, moved: true }), [0, 3600]);
  assert.deepEqual(towings({ at: 0, moved: true }, { at: 0 }, { at: 0, alarms }), [0], 'several fixes of one moment');
  assert.deepEqual(
    towings({ at: 0, alarms, ignition: 0 }, { at: 60, ignition: 1 }, { at: 90, ignition: 0 }, { at: 120, alarms }),
    [0, 120],
    'driven in between',
  );
});

test('overspeed: exceeded for long enough, told from where it began with the highest speed', () => {
  const limits = [ALWAYS(90)];
  const drive = (...speeds: number[]): Sketch[] => speeds.map((kmh, i) => ({ at: i * 5, kmh }));
  assert.deepEqual(found(drive(80, 91, 100, 104.96, 130, 80), limits), [[EVENT.overspeed, 5, 105]]);
  const [event] = run(drive(80, 91, 100, 104.96, 130, 80), limits);
  assert.ok(event);
  assert.equal(event.discriminator, 25_000);
  assert.deepEqual([event.made, event.received], [START + 15_000, START + 15_500]);
  assert.deepEqual([event.latitude, event.longitude], [47 + 5 / 1e5, 19]);
  assert.deepEqual(found(drive(90, 90, 90, 90, 90, 90), limits), [], 'the limit itself is none');
  assert.deepEqual(found(drive(95, 95, 80, 95, 95, 80), limits), [], 'too short');
  assert.deepEqual(found(drive(95, 88, 95, 80), limits), [[EVENT.overspeed, 0, 95]], 'a little less is no end');
  assert.deepEqual(found(drive(95, 88, 88, 88, 80), limits), [], 'and shows nothing');
  assert.deepEqual(
    found(drive(95, 95, 95, 95, 86, 95, 95, 95), limits).map(([, at]) => at),
    [0, 25],
  );
});

test('every unit in which 50 km/h comes is 50 km/h', () => {
  const limits: SpeedLimit[] = [[50 / 3.6, 0, null]];
  for (const speed of [50 / 3.6, 50 * (1000 / 3600), 13.88889, (50 / 1.852) * (1852 / 3600)])
    assert.deepEqual(
      run(
        [0, 10, 20].map((at) => ({ at, speed })),
        limits,
      ),
      [],
    );
});

test('overspeed: fixes without a place or speed are passed over, a hole breaks it', () => {
  const limits = [ALWAYS(90)];
  assert.deepEqual(found([{ at: 0, kmh: 95 }, { at: 5 }, { at: 6, kmh: 0, placed: false }, { at: 10, kmh: 95 }], limits), [
    [EVENT.overspeed, 0, 95],
  ]);
  const later = gapTime / 1000 + 1;
  assert.deepEqual(
    found(
      [
        { at: 0, kmh: 95 },
        { at: later, kmh: 95 },
        { at: later + 10, kmh: 96 },
      ],
      limits,
    ),
    [[EVENT.overspeed, later, 96]],
  );
});

test('overspeed: each limit for itself, and only those in force when a fix was received', () => {
  const times = Array.from({ length: 10 }, (_, i) => i * 5);
  const events = run(
    times.map((at) => ({ at, kmh: 60 + at * 2 })),
    [ALWAYS(110), ALWAYS(70), ALWAYS(90), ALWAYS(70)],
  );
  assert.deepEqual(
    events.map(({ discriminator, time, value }) => [discriminator, (time - START) / 1000, value]),
    [
      [19_444, 10, 100],
      [25_000, 20, 120],
      [30_556, 30, 140],
    ],
  );
  const received = START + 60_000;
  const until: SpeedLimit = [25, 0, received];
  const since: SpeedLimit = [25, received, null];
  const fast = times.map((at): Sketch => ({ at, kmh: 100, received: START }));
  assert.equal(run(fast, [until]).length, 1);
  assert.equal(run(fast, [since]).length, 0);
  assert.equal(run(fast.map((fix) => ({ ...fix, received })), [until]).length, 0); // prettier-ignore
  assert.equal(run(fast.map((fix) => ({ ...fix, received })), [until, since]).length, 1); // prettier-ignore
});

test('overspeed that the device raises counts where there is no limit, once while it lasts', () => {
  const alarms: readonly Alarm[] = ['overspeed'];
  const told = (sketches: Sketch[], limits: SpeedLimit[] = []) =>
    run(sketches, limits).map((e) => [(e.time - START) / 1000, e.value, e.discriminator]);
  assert.deepEqual(told([{ at: 0, kmh: 97, alarms }, { at: 10, kmh: 110 }, { at: 20, kmh: 89, alarms }, { at: 30, kmh: 60 }]), [[0, 97, 0]], 'raised again at its end'); // prettier-ignore
  assert.deepEqual(told([{ at: 0, kmh: 97, alarms }, { at: 10, kmh: 80 }, { at: 20, kmh: 95, alarms }]), [[0, 97, 0], [20, 95, 0]]); // prettier-ignore
  assert.deepEqual(told([{ at: 0, alarms }, { at: 5, alarms }, { at: 10 }, { at: 20, alarms }]), [[0, null, 0], [20, null, 0]]); // prettier-ignore
  assert.deepEqual(
    told([
      { at: 0, kmh: 5, alarms },
      { at: 10, kmh: 5 },
      { at: 20, kmh: 5, alarms },
    ]).length,
    2,
  );
  assert.deepEqual(
    told(
      [
        { at: 0, kmh: 97, alarms },
        { at: 10, kmh: 99 },
      ],
      [ALWAYS(120)],
    ),
    [],
  );
});

test('a fix without a place has its events at the last place that is known, or at none', () => {
  const places = run([
    { at: 0, alarms: ['panic'], placed: false },
    { at: 10 },
    { at: 20, alarms: ['panic'], placed: false, latitude: NaN, longitude: NaN },
  ]).map(({ latitude, longitude }) => [latitude, longitude]);
  assert.deepEqual(places, [
    [null, null],
    [47 + 10 / 1e5, 19],
  ]);
});

/** Some hours of a device, in few values, so that everything happens often. */
const day: fc.Arbitrary<Sketch[]> = fc
  .array(
    fc.record(
      {
        after: fc.constantFrom(0, 1, 5, 5, 10, 61, 700, 2000),
        kmh: fc.constantFrom(0, 50, 88, 91, 95, 120),
        placed: fc.boolean(),
        ignition: fc.constantFrom(0, 1),
        power: fc.constantFrom(0, 4, 12),
        batteryLevel: fc.constantFrom(10, 20, 25, 31, 90),
        alarms: fc.subarray(Object.keys(ALARM) as Alarm[]),
      },
      { requiredKeys: ['after'] },
    ),
    { maxLength: 60 },
  )
  .map((steps) => {
    let at = 0;
    return steps.map(({ after, ...sketch }) => ({ ...sketch, at: (at += after) }));
  });
const someLimits = fc.constantFrom<SpeedLimit[][]>([], [ALWAYS(90)], [ALWAYS(90), ALWAYS(50)], [[25, START + 300_000, START + 3_000_000]]);

test('what is found does not depend on how the fixes are split, and the state is small JSON', () => {
  fc.assert(
    fc.property(day, someLimits, (sketches, limits) => {
      const whole = run(sketches, limits);
      let text = JSON.stringify(newSensorState());
      const split: DerivedEvent[] = [];
      for (const sketch of sketches) {
        const state = JSON.parse(text) as SensorState;
        split.push(...run([sketch], limits, state));
        text = JSON.stringify(state);
        assert.ok(text.length < 600, text);
        assert.deepEqual(JSON.parse(text), state);
      }
      assert.deepEqual(split, whole);
    }),
  );
});

test('the state forgets: two pasts that differ come to the same state', () => {
  fc.assert(
    fc.property(day, day, someLimits, (one, other, limits) => {
      const later: Sketch[] = [
        { at: 100_000, kmh: 40, ignition: 1, power: 12, batteryLevel: 90 },
        { at: 100_030, kmh: 40 },
      ];
      const [a, b] = [newSensorState(), newSensorState()];
      run([...one, ...later], limits, a);
      run([...other, ...later], limits, b);
      assert.equal(JSON.stringify(a), JSON.stringify(b));
    }),
  );
});

const fixesOf = (sketches: readonly Sketch[]): Fix[] => sketches.map(fixOf);

test('each episode once: ignition', () => {
  fc.assert(
    fc.property(day, (sketches) => {
      const known = sketches.filter(({ ignition }) => ignition !== undefined).map(({ ignition }) => ignition);
      const changes = known.filter((value, i) => i > 0 && value !== known[i - 1]);
      const events = run(sketches).filter(({ type }) => type === EVENT.ignitionOn || type === EVENT.ignitionOff);
      assert.deepEqual(events.map(({ type }) => Number(type === EVENT.ignitionOn)), changes); // prettier-ignore
    }),
  );
});

test('each episode once: a loss of the supply, a low battery', () => {
  const check = (sketches: Sketch[], type: EventType, alarm: Alarm, value: (fix: Fix) => number, low: number, good: number): void => {
    const apart = sketches.map((sketch, i) => ({ ...sketch, at: sketch.at + i / 100 }));
    const times = new Set(run(apart).filter((event) => event.type === type).map(({ time }) => time)); // prettier-ignore
    const fixes = fixesOf(apart);
    const isRaised = (fix: Fix): boolean => (fix.alarms & ALARM[alarm]) !== 0;
    let overSince = true;
    let seenGood = false;
    for (const [i, fix] of fixes.entries()) {
      const before = fixes[i - 1];
      const wasWell = before !== undefined && !isRaised(before) && value(before) > good;
      const isBad = isRaised(fix) || value(fix) <= low;
      if (isBad && wasWell) assert.ok(times.has(fix.time), `fix ${i} begins one`);
      if (times.has(fix.time)) {
        assert.ok(isRaised(fix) || (isBad && seenGood), `fix ${i} shows one`);
        assert.ok(overSince, `the last one was over before fix ${i}`);
        overSince = seenGood = false;
      } else if (!isBad) overSince = true;
      if (value(fix) > good && !isRaised(fix)) seenGood = true;
    }
  };
  fc.assert(
    fc.property(day, (sketches) => {
      check(sketches, EVENT.batteryDisconnected, 'batteryDisconnected', ({ power }) => power, 3, 6);
      check(sketches, EVENT.batteryLow, 'batteryLow', ({ batteryLevel: level }) => level, batteryLow, batteryLow + 10);
    }),
  );
});

test('each episode once: overspeed, found again by looking at the whole drive', () => {
  fc.assert(
    fc.property(day, (sketches) => {
      const counted = fixesOf(sketches).filter(({ placed, speed }) => placed && !Number.isNaN(speed));
      const expected: number[][] = [];
      for (let i = 0; i < counted.length;) {
        const first = counted[i++] as Fix;
        if (first.speed <= 25) continue;
        const episode = [first];
        for (let next = counted[i]; next !== undefined && next.speed > 24; next = counted[++i]) {
          if (next.time - (episode.at(-1) as Fix).time > gapTime) break;
          episode.push(next);
        }
        const shown = episode.findIndex(({ time, speed }) => speed > 25 && time - first.time >= overspeedTime);
        if (shown < 0) continue;
        const top = Math.max(...episode.slice(0, shown + 1).map(({ speed }) => speed));
        expected.push([first.time, (episode[shown] as Fix).time, Math.round(top * 36) / 10]);
      }
      const events = run(sketches, [[25, 0, null]]).filter(({ type }) => type === EVENT.overspeed);
      assert.deepEqual(events.map(({ time, made, value }) => [time, made, value]), expected); // prettier-ignore
    }),
  );
});

test('no two events of one type, time and discriminator where no two fixes are of one moment', () => {
  fc.assert(
    fc.property(day, someLimits, (sketches, limits) => {
      const events = run(sketches.map((sketch, i) => ({ ...sketch, at: sketch.at + i / 100 })), limits); // prettier-ignore
      const keys = events.map(({ type, time, discriminator }) => `${type} ${time} ${discriminator}`);
      assert.equal(new Set(keys).size, keys.length);
    }),
  );
});

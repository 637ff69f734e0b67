import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { compileShape, type ShapeType } from '../geo/shape.ts';
import { stepZones, type ZoneState } from './crossings.ts';
import { newOutcome, type DerivedEvent } from './outcome.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';
import type { Leg, Where } from './trips.ts';
import type { ZoneVersion } from './zone-memory.ts';

/** Metres to the east and north of a place on the equator and the 180th meridian. */
const DEGREE = 111_319.49;
const place = (x: number, y: number): { latitude: number; longitude: number } => ({
  latitude: y / 110_574.28,
  longitude: x < 0 ? 180 + x / DEGREE : -180 + x / DEGREE,
});
const START = Date.UTC(2026, 5, 1);

/** A fix so many seconds from the start. */
const where = (seconds: number, x: number, y = 0, more: Partial<Where> = {}): Where => ({
  time: START + seconds * 1000,
  ...place(x, y),
  received: START + seconds * 1000 + 500,
  accuracy: NaN,
  ...more,
});

let last = 0;
function zone(
  type: ShapeType,
  corners: readonly (readonly [x: number, y: number])[],
  radius: number | null,
  more: Partial<ZoneVersion> = {},
) {
  const id = ++last;
  const shape = compileShape(type, corners.map(([x, y]) => place(x, y)), radius); // prettier-ignore
  return { version: id, id, name: `zone ${id}`, shape, since: 0, until: Infinity, ...more } satisfies ZoneVersion;
}

/** 400 m wide and high around the origin. */
const square = zone('polygon', [[-200, -200], [200, -200], [200, 200], [-200, 200]], null); // prettier-ignore

/** Drives through the fixes; the zones are all that there are. */
function drive(fixes: readonly Where[], zones: readonly ZoneVersion[], state: ZoneState = {}, kinds: Record<number, Leg['kind']> = {}) {
  const out = newOutcome();
  for (const [i, to] of fixes.entries()) {
    const inForce = zones.filter(({ since, until }) => since <= to.received && to.received < until);
    stepZones(state, { from: fixes[i - 1] ?? null, to, kind: kinds[i] ?? 'drive' }, inForce, DEFAULT_THRESHOLDS, out);
  }
  return { state, events: out.events };
}

const told = (events: readonly DerivedEvent[]): (string | number)[][] =>
  events.map(({ time, zone: crossed }) => [crossed?.crossType ?? '', Math.round((time - START) / 100) / 10]);

suite('a crossing is told', () => {
  test('with the time and place where the line was crossed, and when it was shown', () => {
    const { events, state } = drive([where(0, -300), where(20, -100), where(40, 100), where(60, 300)], [square]);
    assert.deepEqual(told(events), [['entry', 10], ['exit', 50]]); // prettier-ignore
    const [entry, exit] = events;
    assert.deepEqual(
      [entry?.type, entry?.discriminator, entry?.made, entry?.received, entry?.zone?.id, entry?.zone?.name, entry?.value],
      [12, square.id * 2, START + 20_000, START + 20_500, square.id, square.name, null],
    );
    assert.equal(exit?.discriminator, square.id * 2 + 1);
    assert.ok(Math.abs((entry?.longitude ?? 0) - place(-200, 0).longitude) < 1e-6 && Math.abs(entry?.latitude ?? 1) < 1e-6);
    assert.ok(Number.isInteger(entry?.time));
    assert.deepEqual(state, {});
  });

  test('twice when the way leads right through', () => {
    assert.deepEqual(told(drive([where(0, -1000), where(100, 1000)], [square]).events), [['entry', 40], ['exit', 60]]); // prettier-ignore
  });

  test('when the visit was shallow but long, as of the crossing', () => {
    const { events } = drive(
      [where(0, -300), where(20, -195), where(50, -193), where(75, -195), where(85, -195), where(90, -300)],
      [square],
    );
    assert.deepEqual(told(events), [['entry', 19], ['exit', 85.2]]); // prettier-ignore
    assert.equal(events[0]?.made, START + 85_000, 'the first fix a minute after the crossing shows it');
  });

  test('while the tracker rests just beyond the line', () => {
    const rest = { 2: 'rest', 3: 'rest' } as const;
    const { events } = drive([where(0, -300), where(20, -195), where(50, -195), where(110, -195)], [square], {}, rest);
    assert.deepEqual(told(events), [['entry', 19]]);
    assert.equal(events[0]?.made, START + 110_000);
  });

  test('for zones in zones and across zones independently', () => {
    const inner = zone('circle', [[0, 0]], 50);
    const across = zone('corridor', [[0, -500], [0, 500]], 100); // prettier-ignore
    const { events } = drive([where(0, -1000), where(100, 0), where(200, 1000)], [square, inner, across]);
    const byZone = [square, inner, across].map(({ id }) => told(events.filter((event) => event.zone?.id === id)));
    assert.deepEqual(byZone, [[['entry', 80], ['exit', 120]], [['entry', 95], ['exit', 105]], [['entry', 90], ['exit', 110]]]); // prettier-ignore
  });

  test('after a gap at the fix that shows it, or where the line had been crossed before', () => {
    const gap = { 1: 'gap' } as const;
    assert.deepEqual(told(drive([where(0, -1000), where(9000, 0)], [square], {}, gap).events), [['entry', 9000]]);
    assert.deepEqual(told(drive([where(0, -1000), where(9000, 1000)], [square], {}, gap).events), [], 'no way between is assumed');
    const crossed = drive([where(0, -300), where(20, -195), where(9000, 0)], [square], {}, { 2: 'gap' });
    assert.deepEqual(told(crossed.events), [['entry', 19]]);
    assert.deepEqual(told(drive([where(0, -300), where(20, -195), where(9000, -300)], [square], {}, { 2: 'gap' }).events), []);
  });
});

suite('no crossing is told', () => {
  test('at the first fix of all', () => {
    const { events, state } = drive([where(0, 0)], [square]);
    assert.deepEqual([events, state], [[], { [square.id]: { inside: true, crossed: null } }]);
    assert.deepEqual(told(drive([where(0, 0), where(20, 300)], [square]).events), [['exit', 13.3]]);
  });

  test('when a fix strays over the line and comes back', () => {
    const fixes = [where(0, -300), where(20, -190), where(40, -210), where(60, -185), where(80, -300)];
    assert.deepEqual(drive(fixes, [square]), { events: [], state: {} });
    const rough = [where(0, -300), where(20, -150, 0, { accuracy: 80 }), where(40, -300)];
    assert.deepEqual(told(drive(rough, [square]).events), []);
    assert.equal(told(drive([where(0, -300), where(20, -150), where(40, -300)], [square]).events).length, 2);
  });

  test('when a zone is made, altered or removed around a tracker', () => {
    const fixes = [where(0, 0), where(100, 0), where(200, 0), where(300, 0), where(400, 0)];
    const made = { ...square, since: START + 150_000, until: START + 250_000 };
    const away = { ...zone('circle', [[5000, 0]], 100), id: square.id, since: START + 250_000, until: START + 350_000 };
    for (const kind of ['rest', 'drive', 'gap'] as const) {
      const kinds = Object.fromEntries(fixes.map((_, i) => [i, kind]));
      assert.deepEqual(drive(fixes, [made], {}, kinds), { events: [], state: {} });
      assert.deepEqual(drive(fixes.slice(0, 4), [made, away], {}, kinds), { events: [], state: {} });
      assert.deepEqual(drive(fixes.slice(0, 3), [made], {}, kinds).state, { [square.id]: { inside: true, crossed: null } });
    }
  });

  test('of what lies before a zone was made; what follows is judged by it', () => {
    const made = { ...square, since: START + 30_000 };
    assert.deepEqual(told(drive([where(0, -300), where(20, 0), where(40, 0), where(60, 300)], [made]).events), [['exit', 53.3]]);
    assert.deepEqual(told(drive([where(0, -300), where(20, -250), where(40, 0)], [made]).events), [['entry', 24]]);
  });
});

test('a small zone takes a smaller margin', () => {
  const post = zone('circle', [[0, 0]], 10);
  assert.equal(drive([where(0, -300), where(20, 300)], [post]).events.length, 2);
  assert.equal(drive([where(0, -300, 7), where(20, 300, 7)], [post]).events.length, 0, 'it led 3 m inside only');
});

test('a tracker that stands on the line with fixes that stray crosses it once at most', () => {
  const strays = fc.array(fc.tuple(fc.double({ min: -19, max: 19, noNaN: true }), fc.double({ min: -19, max: 19, noNaN: true })), {
    minLength: 200,
    maxLength: 400,
  });
  fc.assert(
    fc.property(strays, fc.boolean(), (fixes, isInside) => {
      const start = isInside ? 0 : -400;
      const way = fixes.map(([x, y], i) => where(20 + i, -200 + x, y));
      const changes = fixes.filter(([x], i) => i > 0 && x > 0 !== (fixes[i - 1]?.[0] ?? 0) > 0).length;
      const { events } = drive([where(0, start), ...way], [square]);
      if (changes > 20) assert.ok(events.length <= 1, JSON.stringify(told(events)));
    }),
    { numRuns: 50 },
  );
});

/** Ways that turn by and by, on and around the square. */
const ways = fc
  .array(
    fc.tuple(
      fc.double({ min: -400, max: 400, noNaN: true }),
      fc.double({ min: -400, max: 400, noNaN: true }),
      fc.integer({ min: 1, max: 100 }),
    ),
    {
      minLength: 2,
      maxLength: 8,
    },
  )
  .map((stops) => {
    let seconds = 0;
    return stops.map(([x, y, pause]) => where((seconds += pause), x, y));
  });

const SHAPES = [square, zone('circle', [[50, 50]], 120), zone('corridor', [[-300, -300], [0, 100], [300, -100]], 40)]; // prettier-ignore

test('entries and exits of a zone take turns in time, and who is well inside or outside at the end is known to be', () => {
  fc.assert(
    fc.property(ways, fc.array(fc.constantFrom<Leg['kind']>('drive', 'drive', 'gap'), { maxLength: 30 }), (fixes, kinds) => {
      const { events, state } = drive(fixes, SHAPES, {}, Object.fromEntries(kinds.entries()));
      const first = fixes[0] as Where;
      const end = fixes.at(-1) as Where;
      for (const { id, shape } of SHAPES) {
        const own = events.filter((event) => event.zone?.id === id);
        let inside = shape.depth(first.latitude, first.longitude) > 0;
        for (const [i, event] of own.entries()) {
          assert.equal(event.zone?.crossType, inside ? 'exit' : 'entry');
          inside = !inside;
          assert.ok(event.time <= event.made && event.time >= (own[i - 1]?.time ?? 0));
        }
        assert.equal(state[id]?.inside ?? false, inside);
        const depth = shape.depth(end.latitude, end.longitude);
        if (Math.abs(depth) > 21) assert.deepEqual(state[id], depth > 0 ? { inside: true, crossed: null } : undefined);
      }
    }),
  );
});

test('more fixes on the same straight ways tell the same crossings', () => {
  fc.assert(
    fc.property(ways, fc.integer({ min: 2, max: 7 }), (fixes, parts) => {
      const finer = fixes.flatMap((to, i) => {
        const from = fixes[i - 1];
        if (from === undefined) return [to];
        return Array.from({ length: parts }, (_, n) => {
          const share = (n + 1) / parts;
          const dx = to.longitude - from.longitude;
          const longitude = from.longitude + share * (dx - 360 * Math.round(dx / 360));
          return {
            ...to,
            time: Math.round(from.time + share * (to.time - from.time)),
            latitude: from.latitude + share * (to.latitude - from.latitude),
            longitude: longitude - 360 * Math.round(longitude / 360),
          };
        });
      });
      const near = (a: number, b: number): boolean => Math.abs(a - b) < 1;
      // What hangs on a metre or a second may come out either way.
      fc.pre(!isCloseCall(fixes));
      const [coarse, fine] = [drive(fixes, SHAPES), drive(finer, SHAPES)];
      const key = ({ discriminator, time }: DerivedEvent): [number, number] => [discriminator, time];
      const sort = (events: readonly DerivedEvent[]) => events.map(key).toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
      const [a, b] = [sort(coarse.events), sort(fine.events)];
      assert.equal(a.length, b.length, JSON.stringify([a, b]));
      for (const [i, [discriminator, time]] of a.entries()) {
        assert.equal(b[i]?.[0], discriminator);
        assert.ok(near(time / 1000, (b[i]?.[1] ?? 0) / 1000));
      }
    }),
    { numRuns: 200 },
  );

  /** An excursion was about as deep as the margin, or about as long as the dwell time. */
  function isCloseCall(fixes: readonly Where[]): boolean {
    const { latitude = 0, longitude = 0 } = fixes[0] ?? {};
    const excursions = SHAPES.map(({ shape }) => ({ shape, side: shape.depth(latitude, longitude) > 0, start: 0, deepest: Infinity }));
    const isDoubtful = ({ deepest, start }: (typeof excursions)[0], time: number, end: boolean): boolean =>
      Math.abs(deepest - 20) < 1 || (deepest < 20 && (Math.abs(time - start - 60_000) < 1500 || (!end && deepest < 1)));
    for (const [i, to] of fixes.entries()) {
      const from = fixes[i - 1] ?? to;
      let dx = to.longitude - from.longitude;
      dx -= 360 * Math.round(dx / 360);
      for (let n = 0; n <= 500; n++) {
        const time = from.time + (n / 500) * (to.time - from.time);
        for (const one of excursions) {
          const depth = one.shape.depth(from.latitude + (n / 500) * (to.latitude - from.latitude), from.longitude + (n / 500) * dx);
          if (depth > 0 !== one.side) {
            if (isDoubtful(one, time, false)) return true;
            Object.assign(one, { side: depth > 0, start: time, deepest: 0 });
          }
          one.deepest = Math.max(one.deepest, Math.abs(depth));
        }
      }
    }
    return excursions.some((one) => isDoubtful(one, fixes.at(-1)?.time ?? 0, true));
  }
});

// Replays fixes through the trip machine, and checks on the way what holds for every one of them. A tracker that moves in
// metres about a place, for made-up fixes.
import assert from 'node:assert/strict';
import { distance } from '../src/geo/distance.ts';
import type { Fix } from '../src/pipeline/fix.ts';
import { BUCKET, newOutcome, type Outcome, type Part } from '../src/pipeline/outcome.ts';
import { DEFAULT_THRESHOLDS, type Thresholds } from '../src/pipeline/thresholds.ts';
import { heldFixes, newTripState, openPartsOf, stepTrip, type Leg, type TripState } from '../src/pipeline/trips.ts';

/** What of a fix a test has to say. */
export type Sketch = Pick<Fix, 'time' | 'latitude' | 'longitude'> & Partial<Fix>;

export const fixOf = (sketch: Sketch, digest: number): Fix => ({
  digest,
  received: sketch.time + 1000,
  placed: true,
  speed: NaN,
  accuracy: NaN,
  ignition: NaN,
  batteryLevel: NaN,
  power: NaN,
  alarms: 0,
  ...sketch,
});

export interface Trip {
  start: number;
  /** Null while it is open. */
  end: number | null;
  /** m. */
  distance: number;
  /** ms. */
  driveTime: number;
  idleTime: number;
  /** m/s. */
  maxSpeed: number;
}

export interface Replayed {
  trips: Trip[];
  /** Of all trips, m. */
  distance: number;
  out: Outcome;
  state: TripState;
  legs: Leg[];
}

const LARGEST_STATE = 1500;

export function replay(sketches: readonly Sketch[], thresholds: Partial<Thresholds> = {}): Replayed {
  const out = newOutcome();
  const legs: Leg[] = [];
  let state = newTripState();
  for (const [i, sketch] of sketches.entries()) {
    const text = JSON.stringify(state);
    assert.ok(text.length < LARGEST_STATE, `a state of ${text.length} characters`);
    // As it is taken up from a checkpoint now and then.
    if (i % 50 === 0) state = JSON.parse(text) as TripState;
    for (const leg of stepTrip(state, fixOf(sketch, i), { ...DEFAULT_THRESHOLDS, ...thresholds }, out)) {
      assert.deepEqual(leg.from, legs.at(-1)?.to ?? null, 'each leg begins where the one before ended');
      assert.ok(leg.from === null || leg.from.time <= leg.to.time);
      legs.push(leg);
    }
  }
  const parts = [...out.parts, ...openPartsOf(state)];
  checkParts(parts);
  const trips = out.opened.map(({ time }) => tripOf(time, out, parts));
  checkTrips(trips, state);
  const lost = sketches.filter(({ placed }) => placed !== false).length - legs.length - out.jumps.length - heldFixes(state).length;
  assert.equal(lost, 0, 'a fix is believed, a jump, or in doubt');
  return { trips, distance: trips.reduce((sum, trip) => sum + trip.distance, 0), out, state, legs };
}

function tripOf(start: number, out: Outcome, parts: readonly Part[]): Trip {
  const own = parts.filter(({ trip }) => trip === start);
  const sum = (name: 'distance' | 'driveTime' | 'idleTime'): number => own.reduce((total, part) => total + part[name], 0);
  return {
    start,
    end: out.closed.find(({ trip }) => trip === start)?.time ?? null,
    distance: sum('distance') / 1000,
    driveTime: sum('driveTime'),
    idleTime: sum('idleTime'),
    maxSpeed: Math.max(...own.map(({ maxSpeed }) => maxSpeed)),
  };
}

function checkParts(parts: readonly Part[]): void {
  assert.equal(new Set(parts.map(({ trip, bucket }) => `${trip} ${bucket}`)).size, parts.length, 'a part comes once');
  for (const { trip, bucket, distance: way, driveTime, idleTime, maxSpeed } of parts) {
    assert.ok(bucket % BUCKET === 0 && bucket + BUCKET > trip);
    for (const count of [way, driveTime, idleTime]) assert.ok(Number.isSafeInteger(count) && count >= 0, `${count}`);
    assert.ok(driveTime + idleTime <= BUCKET && Number.isFinite(maxSpeed) && maxSpeed >= 0);
  }
}

function checkTrips(trips: readonly Trip[], state: TripState): void {
  for (const [i, { start, end, driveTime, idleTime }] of trips.entries()) {
    assert.ok(start < (end ?? Infinity), 'a trip takes time');
    assert.ok(start >= (i === 0 ? -Infinity : (trips[i - 1]?.end ?? Infinity)), 'trips do not overlap');
    assert.equal(driveTime + idleTime, (end ?? state.at?.time ?? NaN) - start, 'its time is driving and standing');
  }
}

/** A tracker about a place: `x` metres east and `y` north of it. */
export class Walker {
  readonly fixes: Sketch[] = [];
  x = 0;
  y = 0;
  time = Date.UTC(2026, 5, 1, 8);
  readonly #random: () => number;
  #drift = [0, 0];
  readonly options: { interval: number; noise: number; latitude: number; longitude: number; saysSpeed: boolean; more: Partial<Fix> };

  constructor(options: Partial<Walker['options']> = {}, seed = 1) {
    this.options = { interval: 10_000, noise: 0, latitude: 48.1, longitude: 11.5, saysSpeed: false, more: {}, ...options };
    this.#random = random(seed);
  }

  #gauss(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }

  /** A fix here and now; noise is partly that of the fix before, as receivers have it. */
  fix(more: Partial<Fix> = {}): this {
    const { noise } = this.options;
    this.#drift = this.#drift.map((drift) => 0.8 * drift + 0.6 * noise * this.#gauss());
    const [east = 0, north = 0] = this.#drift;
    this.fixes.push({ time: this.time, ...this.#at(this.x + east, this.y + north), ...this.options.more, ...more });
    return this;
  }

  #at(x: number, y: number): { latitude: number; longitude: number } {
    const { latitude, longitude } = this.options;
    const south = { latitude: latitude - 0.5, longitude };
    const metres = [
      distance(south, { ...south, latitude: latitude + 0.5 }),
      100 * distance({ latitude, longitude: 0 }, { latitude, longitude: 0.01 }),
    ];
    const east = longitude + x / (metres[1] as number);
    return { latitude: latitude + y / (metres[0] as number), longitude: east - 360 * Math.round(east / 360) };
  }

  /** Time goes by without a fix. */
  silent(ms: number): this {
    this.time += ms;
    return this;
  }

  stay(ms: number, more: Partial<Fix> = {}): this {
    for (const end = this.time + ms; this.time < end;) {
      this.time += this.options.interval;
      this.fix(this.options.saysSpeed ? { speed: 0, ...more } : more);
    }
    return this;
  }

  /** Straight on for so many metres at m/s. */
  go(east: number, north: number, speed: number, more: Partial<Fix> = {}): this {
    const way = Math.hypot(east, north);
    const [x, y] = [this.x, this.y];
    for (let gone = 0; gone < way;) {
      const step = Math.min((speed * this.options.interval) / 1000, way - gone);
      gone += step;
      this.x = x + (east * gone) / way;
      this.y = y + (north * gone) / way;
      this.time += Math.round((1000 * step) / speed);
      this.fix(this.options.saysSpeed ? { speed, ...more } : more);
    }
    return this;
  }

  /** A fix this far away, and none of it true. */
  stray(metres: number, more: Partial<Fix> = {}): this {
    const angle = 2 * Math.PI * this.#random();
    const [x, y] = [this.x, this.y];
    this.time += this.options.interval;
    this.x += metres * Math.cos(angle);
    this.y += metres * Math.sin(angle);
    this.fix(more);
    [this.x, this.y] = [x, y];
    return this;
  }
}

/** The same numbers for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// A vehicle's day: it parks, drives to the next place, and parks again, and its GPS unit measures that with the errors that such units have.
// A pure function of seed and start: no clock, no sockets. Speaks in the units of the inside: metres, m/s, degrees, volts.
import { Drive, type DrivingStyle, type Motion } from './drive.ts';
import type { Network } from './network.ts';
import { toDegrees, type Point } from './plane.ts';
import { seededRandom, uniform, wobble, type Random } from './random.ts';
import { findRoute } from './route.ts';

/** What the GPS unit of a vehicle knows at a moment. */
export interface Fix {
  /** ms since 1970 UTC, whole seconds. */
  time: number;
  latitude: number;
  longitude: number;
  altitude: number;
  speed: number;
  /** 0 <= heading < 360. */
  heading: number;
  satellites: number;
  hdop: number;
  ignition: boolean;
  /** The speed is not 0. */
  moving: boolean;
  /** Metres since the unit was built in. */
  odometer: number;
  /** Volts of the vehicle's battery. */
  power: number;
  /** Volts of the unit's own battery. */
  battery: number;
  /** The driver pressed the panic button just now. */
  panic: boolean;
}

export interface Role {
  readonly style: DrivingStyle;
  /** Shortest and longest time at a destination, seconds. */
  readonly stay: readonly [number, number];
  /** The node to go to next; it may be the present one, which means to stay once more. */
  next(random: Random, here: number): number;
}

/** How long a vehicle's past can be asked for once a later moment has been, seconds. */
const memory = 6 * 3600;
/** Seconds for which the ignition is on before leaving and after arriving. */
const ignitionLead = 12;
/** At one stop in so many the driver presses the panic button, this long after arriving, seconds. */
const panic = { stops: 80, after: 6 };

type Stretch =
  | { kind: 'stay'; from: number; to: number; at: Point; heading: number; metres: number; panic: number | null }
  | { kind: 'drive'; from: number; to: number; drive: Drive; metres: number };

export class Vehicle {
  readonly #network: Network;
  readonly #role: Role;
  readonly #start: number;
  readonly #random: Random;
  /** Chance of its own, so that who panics drives no other way. */
  readonly #nerves: Random;
  readonly #errors: { east: Wave; north: Wave; up: Wave; sky: Wave; supply: Wave };
  #stretches: Stretch[] = [];
  #node: number;
  #found = 0;

  /** `start`: ms since 1970 UTC; nothing is known from before it. The same seed and start give the same life. */
  constructor(network: Network, role: Role, home: number, seed: number, start: number) {
    this.#network = network;
    this.#role = role;
    this.#node = home;
    this.#start = start;
    this.#random = seededRandom(seed);
    this.#nerves = seededRandom(seed ^ 0xfea4);
    const wave = (): Wave => wobble(this.#random);
    this.#errors = { east: wave(), north: wave(), up: wave(), sky: wave(), supply: wave() };
    const at = network.nodes[home];
    if (at === undefined) throw new RangeError(`no node ${home}`);
    const odometer = Math.round(uniform(this.#random, 8_000_000, 180_000_000));
    this.#stretches.push({
      kind: 'stay',
      from: 0,
      to: uniform(this.#random, 20, 400),
      at,
      heading: uniform(this.#random, 0, 360),
      metres: odometer,
      panic: null,
    });
  }

  /** The fix at a moment, ms since 1970 UTC. RangeError before the start, or more than 6 hours before the latest moment asked for. */
  state(time: number): Fix {
    const whole = Math.floor(time / 1000);
    const second = whole - Math.floor(this.#start / 1000);
    const stretch = this.#stretchAt(second);
    const motion: Motion =
      stretch.kind === 'drive'
        ? stretch.drive.at(second - stretch.from)
        : { at: stretch.at, speed: 0, heading: stretch.heading, metres: 0 };
    const idles = stretch.to - stretch.from < 90;
    const ignition = stretch.kind === 'drive' || idles || second - stretch.from < ignitionLead || stretch.to - second <= ignitionLead;
    const { east, north, up, sky, supply } = this.#errors;
    // A parked receiver averages: its place wanders less. Within the first and last seconds of a stay it fades over, so that nothing jumps.
    const settled = stretch.kind === 'drive' ? 0 : Math.min(1, (second - stretch.from) / 20, (stretch.to - second) / 20);
    const error = 1.7 * (1 - 0.65 * settled);
    const at = { x: motion.at.x + error * east(whole), y: motion.at.y + error * north(whole) };
    const { latitude, longitude } = toDegrees(at);
    const satellites = Math.round(Math.min(16, Math.max(7, 12 + 2 * sky(whole) - (Math.hypot(at.x, at.y) < 1100 ? 2 : 0))));
    const moving = motion.speed > 0.3;
    return {
      time: whole * 1000,
      latitude: round(latitude, 7),
      longitude: round(longitude, 7),
      altitude: round(ground(at) + 1.5 * up(whole), 1),
      speed: moving ? round(motion.speed, 2) : 0,
      heading: round(motion.heading, 1) % 360,
      satellites,
      hdop: round(Math.max(0.5, 1.9 - 0.09 * satellites), 1),
      ignition,
      moving,
      odometer: Math.round(stretch.metres + motion.metres),
      power: round(ignition ? Math.min(14.2, 14 + 0.1 * supply(whole)) : Math.max(12.3, 12.6 + 0.1 * supply(whole)), 3),
      battery: round(4.02 + 0.03 * sky(whole / 7), 3),
      panic: stretch.kind === 'stay' && stretch.panic === second,
    };
  }

  #stretchAt(second: number): Stretch {
    const oldest = this.#stretches[0];
    if (oldest === undefined || second < oldest.from) throw new RangeError('a moment before all that this vehicle remembers');
    for (let last = this.#stretches.at(-1); last !== undefined && last.to <= second; last = this.#stretches.at(-1)) this.#goOn(last);
    while ((this.#stretches[0]?.to ?? Infinity) < second - memory) this.#stretches.shift();
    // Moments are mostly asked for in order: the stretch is the one found before, or near it.
    let found = Math.min(this.#found, this.#stretches.length - 1);
    while (found > 0 && (this.#stretches[found]?.from ?? 0) > second) found--;
    while ((this.#stretches[found]?.to ?? Infinity) <= second) found++;
    this.#found = found;
    const stretch = this.#stretches[found];
    if (stretch === undefined) throw new RangeError('a moment that this vehicle does not reach');
    return stretch;
  }

  /** Adds what comes after the last stretch. */
  #goOn(last: Stretch): void {
    const { to: from } = last;
    if (last.kind === 'drive') {
      const end = last.drive.at(last.drive.duration);
      this.#stretches.push({
        kind: 'stay',
        from,
        to: from + this.#stay(),
        at: end.at,
        heading: end.heading,
        metres: last.metres + last.drive.length,
        panic: this.#nerves() * panic.stops < 1 ? Math.ceil(from) + panic.after : null,
      });
      return;
    }
    const goal = this.#role.next(this.#random, this.#node);
    if (goal === this.#node) {
      last.to += this.#stay();
      return;
    }
    const drive = new Drive(this.#network, findRoute(this.#network, this.#node, goal), this.#role.style, this.#random);
    this.#node = goal;
    this.#stretches.push({ kind: 'drive', from, to: from + drive.duration, drive, metres: last.metres });
  }

  #stay(): number {
    // Most stays are short, a few are long.
    const [least, most] = this.#role.stay;
    return least + (most - least) * this.#random() ** 2;
  }
}

type Wave = (seconds: number) => number;

function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

/** Metres above sea level: the plain, with a few low swells. */
function ground({ x, y }: Point): number {
  return 96 + 7 * Math.sin(x / 2900 + 0.4) + 5 * Math.cos(y / 2300) + 3 * Math.sin((x + y) / 1300);
}

/**
 * What the unit reports from `from` on, as such units do: every `moving` seconds on the way and every `parked` seconds at rest, and at once when the
 * ignition turns, the vehicle takes a bend or the driver panics. Each call of `until` goes on where the last one ended.
 */
export class Recorder {
  readonly #vehicle: Vehicle;
  readonly #every: { moving: number; parked: number };
  #next: number;
  #last: Fix | undefined;

  constructor(vehicle: Vehicle, from: number, every: { moving: number; parked: number } = { moving: 5, parked: 60 }) {
    this.#vehicle = vehicle;
    this.#every = every;
    this.#next = Math.ceil(from / 1000) * 1000;
  }

  /** The reports up to and including a moment, ms since 1970 UTC. */
  *until(time: number): Generator<Fix> {
    for (; this.#next <= time; this.#next += 1000) {
      const fix = this.#vehicle.state(this.#next);
      const last = this.#last;
      if (last !== undefined && !isDue(last, fix, this.#every)) continue;
      this.#last = fix;
      yield fix;
    }
  }
}

function isDue(last: Fix, fix: Fix, every: { moving: number; parked: number }): boolean {
  const passed = (fix.time - last.time) / 1000;
  if (fix.panic || fix.ignition !== last.ignition || (fix.moving && !last.moving)) return true;
  const turn = Math.abs(((fix.heading - last.heading + 540) % 360) - 180);
  // The last report of a stop says that it is one.
  return passed >= (fix.ignition ? every.moving : every.parked) || (fix.moving && turn >= 18) || (!fix.moving && last.moving);
}

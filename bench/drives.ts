// What the devices of the benchmarks report on their way: a straight line there and back, or drives through a city that is none, with
// bends, halts and parking. The same numbers give the same ways everywhere. Knows no protocol and no storage.

/** A round of records in columns: it is read while the load is measured. After the last one the round begins anew where it began. */
export interface Route {
  readonly count: number;
  /** ms from the first record; the whole round takes `lasts`. */
  readonly time: Float64Array;
  readonly lasts: number;
  /** 1e-7 degrees. */
  readonly latitude: Int32Array;
  readonly longitude: Int32Array;
  /** Whole degrees from north, whole km/h, 0 or 1. */
  readonly heading: Uint16Array;
  readonly speed: Uint8Array;
  readonly ignition: Uint8Array;
}

/** How a vehicle is used: parked for so many minutes between two drives, and one record every so many seconds meanwhile. */
export interface Habit {
  parked: readonly [least: number, most: number];
  parkedEvery: number;
}

/** A van on its round: so that most of what it sends is driven. */
export const DELIVERING: Habit = { parked: [6, 30], parkedEvery: 60 };
/** Some eight trips a day. */
export const TRAVELLING: Habit = { parked: [60, 260], parkedEvery: 300 };

/** A square on the ground, its side in metres. */
export interface Region {
  latitude: number;
  longitude: number;
  side: number;
}

export const CITY: Region = { latitude: 47.5, longitude: 19.05, side: 50_000 };
const METRES_OF_DEGREE = 111_200;

/** The place that lies so many metres to the east and the north of the region's corner, degrees. */
export function placeIn({ latitude, longitude, side }: Region, east: number, north: number): { latitude: number; longitude: number } {
  return {
    latitude: latitude + (north - side / 2) / METRES_OF_DEGREE,
    longitude: longitude + (east - side / 2) / (METRES_OF_DEGREE * Math.cos((latitude * Math.PI) / 180)),
  };
}

/** Numbers from 0 to 1 that look like chance and are the same for the same seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function emptyRoute(count: number): Route {
  return {
    count,
    time: new Float64Array(count),
    lasts: 0,
    latitude: new Int32Array(count),
    longitude: new Int32Array(count),
    heading: new Uint16Array(count),
    speed: new Uint8Array(count),
    ignition: new Uint8Array(count),
  };
}

/** 10 m each step to the east for 3600 steps, and back: in longitudes from 0. */
export function straightRoute(step: number): Route {
  const route = emptyRoute(7200);
  for (let i = 0; i < route.count; i++) {
    const isOut = i < 3600;
    route.time[i] = i * step;
    route.longitude[i] = Math.round(((10 * (isOut ? i : 7200 - i)) / 75_950) * 1e7);
    route.heading[i] = isOut ? 90 : 270;
    route.speed[i] = 36;
    route.ignition[i] = 1;
  }
  return { ...route, lasts: 7200 * step };
}

/** Records on the way out of a drive's round; on the way back there are as many. */
const OUT = 2000;
/** Seconds from record to record while the ignition is on. */
const DRIVEN_EVERY = 10;

/** The drives of the vehicle with this number, through the city and back the same way: 10 to 20 m/s between halts, 8 to 40 minutes each. */
export function driveRoute(number: number, { parked: [least, most], parkedEvery }: Habit): Route {
  const route = emptyRoute(2 * OUT);
  const random = chance(number);
  let [east, north] = [(0.1 + 0.8 * random()) * CITY.side, (0.1 + 0.8 * random()) * CITY.side];
  let [heading, seconds, count] = [360 * random(), 0, 0];
  const note = (speed: number, ignition: 0 | 1, until: number): void => {
    if (count === OUT) return;
    // A receiver's noise, parked or not.
    const { latitude, longitude } = placeIn(CITY, east + 6 * random() - 3, north + 6 * random() - 3);
    route.time[count] = seconds * 1000;
    route.latitude[count] = Math.round(latitude * 1e7);
    route.longitude[count] = Math.round(longitude * 1e7);
    route.heading[count] = Math.round(heading) % 360;
    route.speed[count] = Math.round(speed * 3.6);
    route.ignition[count++] = ignition;
    seconds += until;
  };

  while (count < OUT) {
    let [speed, turn, halt] = [0, 0, 0];
    for (let left = Math.round(48 + 192 * random()); left > 0; left--) {
      note(speed, 1, DRIVEN_EVERY);
      if (halt === 0 && random() < 0.03) halt = Math.round(2 + 4 * random());
      const wanted = halt > 0 ? 0 : 10 + 10 * random();
      if (halt > 0) halt--;
      speed += Math.max(-10, Math.min(6, wanted - speed));
      turn = 0.6 * turn + 24 * (random() - 0.5);
      const isNearEdge = Math.max(Math.abs(east - CITY.side / 2), Math.abs(north - CITY.side / 2)) > 0.45 * CITY.side;
      const inward = (Math.atan2(CITY.side / 2 - east, CITY.side / 2 - north) * 180) / Math.PI;
      const off = ((inward - heading + 540) % 360) - 180;
      heading = (heading + (isNearEdge ? Math.max(-30, Math.min(30, off)) : turn) + 360) % 360;
      east += DRIVEN_EVERY * speed * Math.sin((heading * Math.PI) / 180);
      north += DRIVEN_EVERY * speed * Math.cos((heading * Math.PI) / 180);
    }
    note(0, 1, DRIVEN_EVERY);
    for (let left = 60 * (least + (most - least) * random()); left > 0; left -= parkedEvery) note(0, 0, parkedEvery);
  }
  return thereAndBack(route, seconds * 1000);
}

/** Fills the second half of a route with the first one backwards, of which all takes `lasts`. */
function thereAndBack(route: Route, lasts: number): Route {
  const { time, latitude, longitude, heading, speed, ignition } = route;
  const last = time[OUT - 1] ?? 0;
  for (let there = 0, back = 2 * OUT - 1; there < OUT; there++, back--) {
    time[back] = lasts + last - (time[there] ?? 0);
    latitude[back] = latitude[there] ?? 0;
    longitude[back] = longitude[there] ?? 0;
    heading[back] = ((heading[there] ?? 0) + 180) % 360;
    speed[back] = speed[there] ?? 0;
    ignition[back] = ignition[there] ?? 0;
  }
  return { ...route, lasts: lasts + last + 60_000 };
}

/** The way of one device: `go` to a record, and read it off. Nothing is allocated from record to record. */
export class Way {
  /** ms since 1970. */
  time = 0;
  /** 1e-7 degrees. */
  latitude = 0;
  longitude = 0;
  heading = 0;
  /** km/h. */
  speed = 0;
  ignition = 0;
  readonly #route: Route;
  readonly #from: { latitude: number; longitude: number };
  readonly #phase: number;
  readonly #origin: number;

  /** Record 0 is the route's of the number `phase`, at the time `start`, ms; `from` is added to all places, 1e-7 degrees. */
  constructor(route: Route, start: number, { phase = 0, from = { latitude: 0, longitude: 0 } } = {}) {
    this.#route = route;
    this.#phase = phase;
    this.#from = from;
    this.#origin = start - (route.time[phase] ?? 0);
  }

  /** Records before 0 are those that came earlier. */
  go(number: number): void {
    const { count, lasts, time, latitude, longitude, heading, speed, ignition } = this.#route;
    const round = Math.floor((number + this.#phase) / count);
    const i = number + this.#phase - round * count;
    this.time = this.#origin + round * lasts + (time[i] ?? 0);
    this.latitude = this.#from.latitude + (latitude[i] ?? 0);
    this.longitude = this.#from.longitude + (longitude[i] ?? 0);
    this.heading = heading[i] ?? 0;
    this.speed = speed[i] ?? 0;
    this.ignition = ignition[i] ?? 0;
  }

  /** In the middle between a record and the next: what was never sent, and may come late. */
  goBetween(number: number): void {
    this.go(number + 1);
    const { time, latitude, longitude } = this;
    this.go(number);
    this.time = Math.round((this.time + time) / 2);
    this.latitude = Math.round((this.latitude + latitude) / 2);
    this.longitude = Math.round((this.longitude + longitude) / 2);
  }
}

/** How many vehicles drive ways of their own; of more than these, some drive the same ways at other times. */
const WAYS = 100;
const routes = new Map<string, Route>();

/** The drives of the device with this index, from `start` on, ms. */
export function driveWay(index: number, start: number, habit: Habit): Way {
  const number = index % WAYS;
  const key = `${number} ${habit.parkedEvery}`;
  let route = routes.get(key);
  if (route === undefined) routes.set(key, (route = driveRoute(number, habit)));
  return new Way(route, start, { phase: (Math.floor(index / WAYS) * 397) % route.count });
}

/** One record of so many comes hours late, when late reports are asked for. */
export const LATE_OF = 100;
/** The record that such a one stands behind is so many records older than those it is sent with: two to six hours, driving and parked. */
export const latenessOf = (number: number): number => 400 + ((number * 617) % 1000);
/** What a record must have before it, so that every late one falls among others. */
export const LATEST = 1500;

// Made-up journeys, the same for the same seed: what a tracker reports of a day in town, with stops, jitter, spikes and holes.
import type { Report } from '../src/kinds/report.ts';

export type Trace = Report[];

const START = Date.UTC(2026, 2, 2, 6);
const DEGREE = 111_195;

function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Journey {
  reports: Trace;
  time: number;
  latitude: number;
  longitude: number;
}

const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;

function add(journey: Journey, noise: number, next: () => number, more: Partial<Report>): void {
  const jitter = () => ((next() + next() + next() - 1.5) * noise) / DEGREE;
  journey.reports.push({
    time: journey.time,
    latitude: round(journey.latitude + jitter()),
    longitude: round(journey.longitude + jitter() / Math.cos((journey.latitude * Math.PI) / 180)),
    fixed: true,
    ...more,
  });
}

function park(journey: Journey, minutes: number, interval: number, next: () => number): void {
  for (const end = journey.time + minutes * 60_000; journey.time < end; journey.time += interval * 1000) {
    add(journey, 15, next, { speed: 0 });
    // Now and then a spike, as among high buildings.
    if (next() < 0.02)
      journey.reports.push({
        ...(journey.reports.at(-1) as Report),
        time: journey.time + 1000,
        latitude: round(journey.latitude + (next() - 0.5) * 0.003),
      });
  }
}

function drive(journey: Journey, minutes: number, interval: number, next: () => number): void {
  let heading = next() * 2 * Math.PI;
  for (const end = journey.time + minutes * 60_000; journey.time < end; journey.time += interval * 1000) {
    const speed = next() < 0.15 ? 0 : 4 + next() * 14;
    heading += (next() - 0.5) * 0.8;
    const way = (speed * interval) / DEGREE;
    journey.latitude += way * Math.cos(heading);
    journey.longitude += (way * Math.sin(heading)) / Math.cos((journey.latitude * Math.PI) / 180);
    // A town has an edge.
    if (Math.abs(journey.latitude - 48.2) > 0.03 || Math.abs(journey.longitude - 16.38) > 0.05)
      heading = Math.atan2((16.38 - journey.longitude) * 0.67, 48.2 - journey.latitude);
    add(journey, 4, next, { speed });
  }
}

/** Trips of some minutes with stops between, around a town. */
export function cityDrive(seed: number, { hours, interval = 15 }: { hours: number; interval?: number }): Trace {
  const next = random(seed);
  const journey: Journey = { reports: [], time: START, latitude: 48.2, longitude: 16.37 };
  park(journey, 20, 60, next);
  while (journey.time < START + hours * 3_600_000) {
    drive(journey, 4 + next() * 20, interval, next);
    park(journey, 2 + next() * 40, 60, next);
    if (next() < 0.3) journey.reports.push({ ...(journey.reports.at(-1) as Report), time: journey.time - 500, latitude: 47.1 });
  }
  return journey.reports;
}

/** The same with the ignition reported: on while it drives and a little longer. */
export function withIgnition(trace: Trace): Trace {
  return trace.map((report, i) => ({
    ...report,
    ignition: trace.slice(Math.max(0, i - 2), i + 2).some(({ speed = 0 }) => speed > 0),
    power: 12.5,
  }));
}

/** Hours on the road: a tunnel of four minutes, and a hole of three hours. */
export function longHaul(seed: number): Trace {
  const next = random(seed);
  const journey: Journey = { reports: [], time: START, latitude: 48.2, longitude: 15.9 };
  park(journey, 15, 60, next);
  for (let minute = 0; minute < 400; minute++) {
    const hidden = (minute >= 60 && minute < 64) || (minute >= 150 && minute < 330);
    for (let i = 0; i < 3; i++) {
      journey.time += 20_000;
      journey.longitude += 440 / (DEGREE * 0.667);
      if (!hidden) add(journey, 4, next, { speed: 22 });
    }
  }
  park(journey, 30, 60, next);
  return journey.reports;
}

const ALARMS = ['panic', 'towed', 'batteryLow', 'batteryDisconnected', 'overspeed'] as const;

/** What nobody would expect: many fixes of one moment, an ignition that flickers, spikes, silences, reports without a place. */
export function oddities(seed: number, count: number): Trace {
  const next = random(seed * 7919);
  const chance = (share: number): boolean => next() < share;
  const interval = [1000, 5000, 30_000, 60_000][Math.floor(next() * 4)] ?? 1000;
  const journey: Journey = { reports: [], time: START, latitude: 48.2, longitude: 16.37 };
  const [knowsIgnition, knowsSpeed] = [chance(0.5), chance(0.6)];
  let [isMoving, heading] = [false, 0];
  for (let i = 0; i < count; i++) {
    journey.time += chance(0.15) ? 0 : chance(0.9) ? interval : chance(0.7) ? 10 * interval : chance(0.8) ? 700_000 : 8_000_000;
    if (chance(0.03)) [isMoving, heading] = [!isMoving, next() * 2 * Math.PI];
    if (Math.abs(journey.latitude - 48.2) > 0.03 || Math.abs(journey.longitude - 16.38) > 0.05)
      heading = Math.atan2((16.38 - journey.longitude) * 0.67, 48.2 - journey.latitude);
    const way = isMoving ? (interval * 0.015) / DEGREE : 0;
    journey.latitude += way * Math.cos(heading);
    journey.longitude += way * Math.sin(heading);
    add(journey, 15, next, {
      altitude: i,
      ...(knowsSpeed && { speed: isMoving ? 10 + Math.floor(next() * 30) : chance(0.1) ? 20 : 0 }),
      ...(knowsIgnition && chance(0.7) && { ignition: isMoving !== chance(0.05) }),
      ...(chance(0.04) && { latitude: round(journey.latitude + (next() - 0.5) * 3) }),
      ...(chance(0.05) && { latitude: null, longitude: null, fixed: false }),
      ...(chance(0.05) && { accuracy: Math.round(next() * 200) }),
      ...(chance(0.05) && { alarms: [ALARMS[Math.floor(next() * ALARMS.length)] ?? 'panic'] }),
      ...(chance(0.05) && { power: next() * 14, batteryLevel: next() * 100 }),
    });
  }
  return journey.reports;
}

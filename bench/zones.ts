// Intake with few and many zones in the account: what a position costs the thread that writes, against the same with a thousand zones.
// Many zones in one city also mean more crossings; the same number spread as thinly as the thousand shows the cost of looking alone.
import { existsSync } from 'node:fs';
import { addZones } from './city.ts';
import { startDriving, type Driving, type Round } from './driving.ts';
import { CITY, type Region } from './drives.ts';
import { figure, meanDetails, type Figure } from './figure.ts';
import type { Measurement } from './measurement.ts';

const CONNECTIONS = 100;
const RECORDS = 10;
const DAY = 86_400_000;

/** Ten times as long and as wide. */
const COUNTRY: Region = { ...CITY, side: 10 * CITY.side };

interface Case {
  name: string;
  zones: number;
  region: Region;
}

const few: Case = { name: '1,000 zones', zones: 1000, region: CITY };
const cases: readonly Case[] = [
  { name: 'no zones', zones: 0, region: CITY },
  few,
  { name: '10,000 zones', zones: 10_000, region: CITY },
  { name: '100,000 zones', zones: 100_000, region: CITY },
  { name: '100,000 zones, as thinly spread as 1,000', zones: 100_000, region: COUNTRY },
];

export const zones: Measurement = {
  name: 'zones',
  title: `Zones: intake of ${CONNECTIONS} trackers that drive through a city, ${RECORDS} records to a packet`,
  async measure({ quick, data, step, skip }) {
    if (!existsSync('/proc/self/task')) {
      skip('cost of zones', "a thread's processor time is read from /proc, and this system has none");
      return [];
    }
    await using stack = new AsyncDisposableStack();
    const start = Math.floor(Date.now() / DAY - 30) * DAY;
    const services = new Map<Case, { driving: Driving; made: number; rounds: Round[] }>();
    for (const one of quick ? cases.slice(0, 3) : cases) {
      step(`zones, making ${one.name}`);
      const copy = stack.use(await data.fleet(CONNECTIONS));
      const made = await addZones(copy.folder, one.zones, one.region);
      const driving = stack.use(await startDriving(copy, { connections: CONNECTIONS, start, late: false }));
      services.set(one, { driving, made, rounds: [] });
    }
    for (const [{ name }, { driving }] of services) {
      step(`zones, ${name}, warming up`);
      await driving.drive(RECORDS, quick ? 1 : 1.5);
    }
    const count = quick ? 1 : 3;
    for (let round = 1; round <= count; round++) {
      for (const [{ name }, { driving, rounds }] of services) {
        step(`zones, ${name}, round ${round} of ${count}`);
        rounds.push(await driving.drive(RECORDS, 1));
      }
    }

    const limit = { name: few.name, rounds: services.get(few)?.rounds.map(({ writer }) => writer) ?? [] };
    const figures: Figure[] = [];
    for (const [one, { made, rounds }] of services) {
      const details = { 'positions/s': 0, ...meanDetails(rounds.map(({ details: found }) => found)) };
      details['positions/s'] = meanDetails(rounds.map(({ perSecond }) => ({ perSecond })))['perSecond'] ?? NaN;
      if (one.zones > 0) Object.assign(details, { 'zones made a second': made });
      figures.push(
        figure({
          measurement: 'zones',
          name: one.name,
          unit: 'us of the writer',
          rounds: rounds.map(({ writer }) => writer),
          ...(one === few ? {} : { limit }),
          ...(one.zones > few.zones ? { aim: { of: 'ratio', at: 'most', bound: 2 } } : {}),
          details,
        }),
      );
    }
    return figures;
  },
};

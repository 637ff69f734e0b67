// Intake when one report of a hundred is hours old and falls among positions that are there, against intake with none that is late.
import { cpSync } from 'node:fs';
import { addDrives, addRules, addZones } from './city.ts';
import { deriving } from './data.ts';
import { named, startDriving, type Round } from './driving.ts';
import { CITY, DELIVERING, LATEST } from './drives.ts';
import { figure, meanDetails } from './figure.ts';
import type { Measurement } from './measurement.ts';

const CONNECTIONS = 100;
const RECORDS = 10;
const ZONES = 1000;
const DAY = 86_400_000;

export const late: Measurement = {
  name: 'late',
  title: `Late reports: intake of ${CONNECTIONS} driving trackers with a record of hours, ${RECORDS} records to a packet`,
  async measure({ quick, data, step }) {
    step('late, preparing');
    await using stack = new AsyncDisposableStack();
    const start = Math.floor(Date.now() / DAY - 30) * DAY;
    const punctual = stack.use(await data.fleet(CONNECTIONS));
    await addZones(punctual.folder, ZONES, CITY);
    await addRules(punctual.folder, CONNECTIONS);
    await addDrives(punctual.folder, { trackers: CONNECTIONS, habit: DELIVERING, start, first: -LATEST, last: 0 }, deriving);
    const belated = stack.use(data.empty());
    cpSync(punctual.folder, belated.folder, { recursive: true });

    const fleet = { connections: CONNECTIONS, start };
    const services = {
      'with late ones': stack.use(await startDriving(belated, { ...fleet, late: true })),
      without: stack.use(await startDriving(punctual, { ...fleet, late: false })),
    };
    const seconds = quick ? 1 : 1.5;
    for (const service of Object.values(services)) await service.drive(RECORDS, seconds);
    type Kind = keyof typeof services;
    const found: Record<Kind, Round[]> = { 'with late ones': [], without: [] };
    const count = quick ? 1 : 3;
    for (let round = 1; round <= count; round++) {
      // Neither is always the one that comes after the other.
      const kinds: Kind[] = ['with late ones', 'without'];
      for (const kind of round % 2 === 1 ? kinds : kinds.toReversed()) {
        step(`late, ${kind}, round ${round} of ${count}`);
        found[kind].push(await services[kind].drive(RECORDS, seconds));
      }
    }
    const details = (kind: Kind) => named(meanDetails(found[kind].map((round) => round.details)), kind);
    return [
      figure({
        measurement: 'late',
        name: '1 of 100 hours old',
        unit: 'positions/s',
        rounds: found['with late ones'].map(({ perSecond }) => perSecond),
        limit: { name: 'none late', rounds: found['without'].map(({ perSecond }) => perSecond) },
        aim: { of: 'ratio', at: 'least', bound: 0.8 },
        details: { ...details('with late ones'), ...details('without') },
      }),
    ];
  },
};

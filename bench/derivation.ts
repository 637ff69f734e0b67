// Intake with all that is derived from positions against intake that only stores them: drives through a city, in an account with zones
// and rules.
import { cpSync } from 'node:fs';
import { addRules, addZones } from './city.ts';
import { named, startDriving, type Round } from './driving.ts';
import { CITY } from './drives.ts';
import { figure, meanDetails, type Figure } from './figure.ts';
import type { Measurement } from './measurement.ts';

const CONNECTIONS = 1000;
const ZONES = 1000;
const DAY = 86_400_000;

export const derivation: Measurement = {
  name: 'derivation',
  title: `Derivation: intake of ${CONNECTIONS} driving trackers, ${ZONES} zones and ${3 * CONNECTIONS} rules, with --derivation on and off`,
  async measure({ quick, data, step }) {
    step('derivation, preparing');
    await using stack = new AsyncDisposableStack();
    const fleet = { connections: CONNECTIONS, start: Math.floor(Date.now() / DAY - 30) * DAY, late: false };
    const copies = { on: stack.use(await data.fleet(CONNECTIONS)), off: stack.use(data.empty()) };
    await addZones(copies.on.folder, ZONES, CITY);
    await addRules(copies.on.folder, CONNECTIONS);
    cpSync(copies.on.folder, copies.off.folder, { recursive: true });
    const startWith = async (setting: 'on' | 'off') =>
      stack.use(await startDriving(copies[setting], { ...fleet, env: { WAYPOST_DERIVATION: setting } }));
    const services = { on: await startWith('on'), off: await startWith('off') };
    const seconds = quick ? 1 : 1.5;
    for (const service of Object.values(services)) await service.drive(25, seconds);

    const figures: Figure[] = [];
    for (const records of quick ? [25] : [1, 10, 25]) {
      const found: Record<'on' | 'off', Round[]> = { on: [], off: [] };
      const count = quick ? 1 : 3;
      for (let round = 1; round <= count; round++) {
        // Neither is always the one that comes after the other.
        for (const setting of round % 2 === 1 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
          step(`derivation ${setting}, ${records} to a packet, round ${round} of ${count}`);
          found[setting].push(await services[setting].drive(records, seconds));
        }
      }
      const details = (setting: 'on' | 'off') => named(meanDetails(found[setting].map((round) => round.details)), setting);
      figures.push(
        figure({
          measurement: 'derivation',
          name: `${records} to a packet`,
          unit: 'positions/s',
          rounds: found.on.map(({ perSecond }) => perSecond),
          limit: { name: 'derivation off', rounds: found.off.map(({ perSecond }) => perSecond) },
          aim: { of: 'ratio', at: 'least', bound: 0.6 },
          details: { ...details('on'), ...details('off') },
        }),
      );
    }
    return figures;
  },
};

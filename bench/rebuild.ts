// `waypost rebuild`: positions a second of a record that is derived for the first time, and of one where nothing comes out differently;
// against reading the rows, and against the state machines alone.
import type { BareSteps } from './bare-steps.ts';
import { addDrives } from './city.ts';
import { figure } from './figure.ts';
import type { Measurement } from './measurement.ts';
import { databaseFile } from '../src/storage/open.ts';
import { DELIVERING } from './drives.ts';
import { runOurs, start } from './process.ts';
import { waypost } from './server.ts';

const TRACKERS = 50;
const DAY = 86_400_000;

export const rebuild: Measurement = {
  name: 'rebuild',
  title: `Rebuild: the records of ${TRACKERS} trackers, no zones`,
  async measure({ quick, data, step }) {
    const positions = quick ? 50_000 : 300_000;
    step('rebuild, making the records');
    using copy = await data.fleet(TRACKERS);
    const last = positions / TRACKERS;
    await addDrives(copy.folder, { trackers: TRACKERS, habit: DELIVERING, start: Date.now() - 60 * DAY, first: 0, last }, null);

    const run = async (): Promise<{ perSecond: number; changes: number }> => {
      const began = performance.now();
      const outcomes = await start(waypost, ['rebuild', '--data', copy.folder, '--json'], 120).lastLine;
      const seconds = (performance.now() - began) / 1000;
      const changes = (JSON.parse(outcomes) as { changes: number }[]).reduce((sum, outcome) => sum + outcome.changes, 0);
      return { perSecond: positions / seconds, changes };
    };
    const runBare = (): Promise<BareSteps> => runOurs('bare-steps.ts', [databaseFile(copy.folder)], 120);

    step('rebuild, for the first time');
    const [first, bareFirst] = [await run(), await runBare()];
    const again: number[] = [];
    const bare: BareSteps[] = [];
    const count = quick ? 1 : 2;
    for (let round = 1; round <= count; round++) {
      step(`rebuild, again, round ${round} of ${count}`);
      const { perSecond, changes } = await run();
      if (changes > 0) throw new Error(`a rebuild of what was just rebuilt changed ${changes} rows`);
      again.push(perSecond);
      bare.push(await runBare());
    }
    const common = { measurement: 'rebuild', unit: 'positions/s' };
    const reading = 'reading the rows';
    const machines = 'machines without storage';
    return [
      figure({
        ...common,
        name: 'first time',
        rounds: [first.perSecond],
        limit: { name: reading, rounds: [bareFirst.read] },
        details: { positions, 'rows found': first.changes },
      }),
      figure({ ...common, name: 'first time', rounds: [first.perSecond], limit: { name: machines, rounds: [bareFirst.step] } }),
      figure({ ...common, name: 'again', rounds: again, limit: { name: reading, rounds: bare.map(({ read }) => read) } }),
      figure({ ...common, name: 'again', rounds: again, limit: { name: machines, rounds: bare.map(({ step: steps }) => steps) } }),
    ];
  },
};

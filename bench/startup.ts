// From starting the process to the line that says that everything listens, against node that starts and does nothing.
import { figure } from './figure.ts';
import type { Measurement } from './measurement.ts';
import { start } from './process.ts';
import { startServer } from './server.ts';

export const startup: Measurement = {
  name: 'startup',
  title: 'Start-up: to the line that says that everything listens',
  async measure({ quick, data, step }) {
    using record = await data.record();
    const [empty, full, node]: [number[], number[], number[]] = [[], [], []];
    const startOn = async (folder: string): Promise<number> => {
      await using server = await startServer(folder);
      return server.startSeconds;
    };
    for (let round = 1; round <= (quick ? 2 : 5); round++) {
      step(`startup, round ${round}`);
      using folder = data.empty();
      empty.push(await startOn(folder.folder));
      full.push(await startOn(record.folder));
      const began = performance.now();
      await start(process.execPath, ['-e', 'console.log(1)'], 10).firstLine;
      node.push((performance.now() - began) / 1000);
    }
    const common = {
      measurement: 'startup',
      unit: 's',
      limit: { name: 'node alone', rounds: node },
      aim: { of: 'value', at: 'most', bound: 1 },
    } as const;
    return [
      figure({ ...common, name: 'new database', rounds: empty }),
      figure({ ...common, name: `${data.recorded.toLocaleString('en')} positions`, rounds: full }),
    ];
  },
};

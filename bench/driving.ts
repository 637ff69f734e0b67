// A service and the vehicles that drive around under it, as fast as they are acknowledged: what it does with them, and what that takes.
import type { LoadResult } from './load.ts';
import { eventsIn } from './city.ts';
import type { Copy } from './data.ts';
import { runOurs } from './process.ts';
import { startServer, watchThreads } from './server.ts';

export interface Fleet {
  connections: number;
  /** Time of every device's record 0, ms. */
  start: number;
  late: boolean;
  env?: Record<string, string>;
}

export interface Round {
  perSecond: number;
  /** What a position took of the writer's thread, microseconds; NaN where there is no /proc. */
  writer: number;
  details: Record<string, number>;
}

export interface Driving extends AsyncDisposable {
  /** Goes on from where the vehicles are, with so many records to a packet, for so many seconds. */
  drive(records: number, seconds: number): Promise<Round>;
}

/** Starts the service on `copy`; ending this ends it. */
export async function startDriving({ folder }: Copy, { connections, start, late, env = {} }: Fleet): Promise<Driving> {
  const server = await startServer(folder, env);
  let first = 0;
  return {
    async drive(records, seconds) {
      const events = await eventsIn(folder);
      const before = await server.metrics();
      const taken = watchThreads(server.program.pid);
      const words = ['--port', server.teltonikaPort, '--connections', `${connections}`, '--records', `${records}`, '--max', '--drives'];
      const from = ['--start', `${start}`, '--first', `${first}`, '--seconds', `${seconds}`, ...(late ? ['--late'] : [])];
      const result = await runOurs<LoadResult>('devices.ts', [...words, ...from], seconds + 30);
      if (result.refused + result.unreachable + result.disconnected > 0)
        throw new Error(`connections were lost: ${JSON.stringify(result)}`);
      const details = taken(result.acknowledged);
      const after = await server.metrics();
      const grown = (name: string): number => (after.get(name) ?? NaN) - (before.get(name) ?? NaN);
      first += result.most;
      return {
        perSecond: result.perSecond,
        writer: details['writer us'] ?? NaN,
        details: {
          ...details,
          'rows a commit': Math.round(grown('waypost_positions_stored_total') / grown('waypost_commit_seconds_count')),
          'events of a position': ((await eventsIn(folder)) - events) / result.acknowledged,
          'ack p99 ms': result.latency.p99,
        },
      };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Details of several rounds side by side, each name with the words of what it belongs to. */
export function named(details: Record<string, number>, words: string): Record<string, number> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [`${words}: ${name}`, value]));
}

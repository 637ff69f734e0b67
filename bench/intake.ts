// Durable intake: positions a second that are committed and acknowledged, with what is derived from them, against a bare loop that
// inserts the same rows and derives nothing. How much of the difference is derivation: derivation.ts.
import type { LoadResult } from './load.ts';
import { databaseFile } from '../src/storage/open.ts';
import type { BareResult } from './bare-loop.ts';
import { figure, meanDetails, type Figure } from './figure.ts';
import type { Bench, Measurement } from './measurement.ts';
import { runOurs } from './process.ts';
import { startServer, watchThreads } from './server.ts';

const CONNECTIONS = 1000;
const DAY = 86_400_000;

export const intake: Measurement = {
  name: 'intake',
  title: `Durable intake: Teltonika over ${CONNECTIONS} connections, acknowledged after the commit`,
  async measure(bench) {
    const figures: Figure[] = [];
    for (const records of bench.quick ? [1, 25] : [1, 10, 25]) {
      const rounds: Round[] = [];
      const count = bench.quick ? 1 : 3;
      for (let i = 1; i <= count; i++) {
        bench.step(`intake, ${records} to a packet, round ${i} of ${count}`);
        rounds.push(await measureRound(bench, records));
      }
      figures.push(
        figure({
          measurement: 'intake',
          name: `${records} to a packet, derivation on`,
          unit: 'positions/s',
          rounds: rounds.map(({ ours }) => ours),
          limit: { name: 'bare insert loop', rounds: rounds.map(({ bare }) => bare) },
          aim: { of: 'ratio', at: 'least', bound: 0.5 },
          details: meanDetails(rounds.map(({ details }) => details)),
        }),
      );
    }
    return figures;
  },
};

interface Round {
  ours: number;
  bare: number;
  details: Record<string, number>;
}

async function measureRound({ quick, data }: Bench, records: number): Promise<Round> {
  using copy = await data.fleet();
  const [warmUp, seconds] = quick ? [1, 1] : [1, 3];
  // What is sent to warm up lies before `since`, so that both sides can tell it apart.
  const since = Math.floor(Date.now() / DAY - 30) * DAY;
  let ours: LoadResult;
  let details: Record<string, number>;
  let rowsOfCommit: number;
  {
    await using server = await startServer(copy.folder);
    const { pid } = server.program;
    const send = (start: number, length: number): Promise<LoadResult> => sendRecords(server.teltonikaPort, records, null, start, length);
    await send(since - 30 * DAY, warmUp);
    const before = await server.metrics();
    const taken = watchThreads(pid);
    const began = performance.now();
    ours = await send(since, seconds);
    details = taken(ours.acknowledged);
    const wall = (performance.now() - began) / 1000;
    const after = await server.metrics();
    const grown = (name: string): number => (after.get(name) ?? NaN) - (before.get(name) ?? NaN);
    rowsOfCommit = Math.round(grown('waypost_positions_stored_total') / grown('waypost_commit_seconds_count'));
    details['commits under way'] = grown('waypost_commit_seconds_sum') / wall;
    details['rows a commit'] = rowsOfCommit;
    details['ack p50 ms'] = ours.latency.p50;
    details['ack p99 ms'] = ours.latency.p99;
  }
  if (ours.refused + ours.unreachable + ours.disconnected > 0) throw new Error(`connections were lost: ${JSON.stringify(ours)}`);
  using bareFolder = data.empty();
  const bare = await runOurs<BareResult>(
    'bare-loop.ts',
    [databaseFile(copy.folder), databaseFile(bareFolder.folder), `${since}`, `${rowsOfCommit}`],
    60,
  );
  details['bare commit ms'] = bare.commitMs;
  return { ours: ours.perSecond, bare: bare.perSecond, details };
}

/** Plays the devices. `rate`: records a second, or null for as fast as acknowledgements come. `start`: the time of the first records, ms. */
export function sendRecords(port: string, records: number, rate: number | null, start: number, seconds: number): Promise<LoadResult> {
  const words = ['--port', port, '--connections', `${CONNECTIONS}`, '--records', `${records}`, '--start', `${start}`];
  const pace = rate === null ? ['--max'] : ['--rate', `${Math.round(rate)}`];
  return runOurs('devices.ts', [...words, ...pace, '--seconds', `${seconds}`], seconds + 30);
}

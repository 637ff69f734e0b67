// All at once: how long the gateway keeps its askers waiting while devices send at half of what the intake can take, and one client
// exports the long record.
import { RECORDED } from './data.ts';
import { figure, type Figure } from './figure.ts';
import { sendRecords } from './intake.ts';
import type { Measurement } from './measurement.ts';
import type { Probed } from './probe.ts';
import { runOurs, startOurs } from './process.ts';
import { startServer, watchThreads } from './server.ts';

const RECORDS = 10;
/** Requests a second to the gateway. */
const RATE = 200;
const DAY = 86_400_000;

const record = `/rest/v2/trackers/${RECORDED}/positions`;
const loads = [
  { name: 'nothing else', path: null },
  { name: 'with a CSV export', path: `${record}?_format=csv` },
  { name: 'with an export in JSON pages of 1,000', path: `${record}?limit=1000` },
  { name: 'with an export in JSON pages of 10,000', path: `${record}?limit=10000` },
] as const;

export const together: Measurement = {
  name: 'together',
  title: `All at once: the gateway's p99 at ${RATE} requests/s, intake at half its limit, one export`,
  async measure({ quick, data, step }) {
    using copy = await data.record();
    await using server = await startServer(copy.folder);
    const token = await server.token(data.key);
    const url = `${server.http}/rest/v2/gateway`;
    const probe = (length: number): Promise<Probed> => runOurs('probe.ts', [url, token, `${RATE}`, `${length}`], length + 30);
    const seconds = quick ? 2 : 6;
    const first = Math.floor(Date.now() / DAY - 80) * DAY;

    step('together, what the intake can take');
    await sendRecords(server.teltonikaPort, RECORDS, null, first, quick ? 1 : 2);
    const most = (await sendRecords(server.teltonikaPort, RECORDS, null, first + 10 * DAY, quick ? 1 : 3)).perSecond;
    step('together, the gateway alone');
    const alone = await probe(seconds / 2);

    const figures: Figure[] = [];
    for (const [i, { name, path }] of (quick ? loads.slice(0, 2) : loads).entries()) {
      step(`together, ${name}`);
      // The devices send for as long as the gateway is asked, and a little before and after.
      const sending = sendRecords(server.teltonikaPort, RECORDS, most / 2, first + (20 + 10 * i) * DAY, seconds + 2);
      await using exporting = path === null ? undefined : startOurs('export.ts', [server.http + path, token], seconds + 30);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const taken = watchThreads(server.program.pid);
      const { p50, p99, max } = await probe(seconds);
      const details: Record<string, number> = { 'p50 ms': p50, 'max ms': max };
      for (const [thread, us] of Object.entries(taken(1))) details[thread.replace(' us', ' busy')] = us / 1e6 / (seconds + 0.5);
      await exporting?.stop();
      if (exporting !== undefined) details['exported positions/s'] = Number(await exporting.lastLine);
      const sent = await sending;
      details['intake positions/s'] = sent.perSecond;
      details['intake wanted'] = Math.round(most / 2);
      details['intake ack p99 ms'] = sent.latency.p99;
      figures.push(
        figure({
          measurement: 'together',
          name,
          unit: 'ms p99',
          rounds: [p99],
          limit: { name: 'gateway alone', rounds: [alone.p99] },
          aim: { of: 'value', at: 'most', bound: 50 },
          details,
        }),
      );
    }
    return figures;
  },
};

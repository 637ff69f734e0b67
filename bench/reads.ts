// Reads: requests a second and p99 of the addresses that clients ask most, against fastify that answers the very same bytes as a
// constant; pages also against JSON.stringify on the same rows, alone and after reading them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BarePage } from './bare-page.ts';
import type { Constant } from './constant.ts';
import { databaseFile } from '../src/storage/open.ts';
import { RECORDED } from './data.ts';
import { figure, meanDetails, type Figure } from './figure.ts';
import type { Measurement } from './measurement.ts';
import { runOurs, startOurs } from './process.ts';
import { ask, CLIENTS, type Answered } from './requests.ts';
import { startServer, watchThreads } from './server.ts';

const page = `/rest/v2/trackers/${RECORDED}/positions`;
const targets = [
  { name: 'gateway', path: '/rest/v2/gateway', accept: 'application/json', isPage: false },
  { name: 'tracker', path: `/rest/v2/trackers/${RECORDED}`, accept: 'application/json', isPage: false },
  { name: '1,000 positions, JSON', path: page, accept: 'application/json', isPage: true },
  { name: '1,000 positions, XML', path: page, accept: 'application/xml', isPage: true },
] as const;

interface Round {
  ours: Answered;
  constant: Answered;
  /** Only of a page. */
  bare: BarePage | null;
  details: Record<string, number>;
}

export const reads: Measurement = {
  name: 'reads',
  title: `Reads: ${CLIENTS} connections, signed in with a token`,
  async measure({ quick, data, step }) {
    using copy = await data.record();
    await using server = await startServer(copy.folder);
    const authorization = `X-Token ${await server.token(data.key)}`;

    const answers: Constant[] = [];
    for (const { path, accept } of targets) {
      const answer = await fetch(server.http + path, { headers: { authorization, accept } });
      if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
      answers.push({ headers: Object.fromEntries(answer.headers), body: await answer.text() });
    }
    const constants = join(copy.folder, 'answers.json');
    writeFileSync(constants, JSON.stringify(answers));
    await using fastify = startOurs('constant.ts', [constants], 300);
    const constantHttp = await fastify.firstLine;
    const rows = join(copy.folder, 'page.json');
    writeFileSync(rows, answers[2]?.body ?? '');

    const [count, seconds] = quick ? [1, 0.6] : [3, 2];
    const figures: Figure[] = [];
    for (const [i, { name, path, accept, isPage }] of targets.entries()) {
      const headers = { authorization, accept };
      const rounds: Round[] = [];
      for (let round = 1; round <= count; round++) {
        step(`reads, ${name}, round ${round} of ${count}`);
        const limitUrl = `${constantHttp}/${i}`;
        if (round === 1) for (const url of [server.http + path, limitUrl]) await ask({ url, headers, seconds: quick ? 0.5 : 1 });
        const taken = watchThreads(server.program.pid);
        const ours = await ask({ url: server.http + path, headers, seconds });
        const details = taken(ours.requests);
        const takenByLimit = watchThreads(fastify.pid);
        const constant = await ask({ url: limitUrl, headers, seconds });
        details["fastify's main us"] = takenByLimit(constant.requests)['main us'] ?? NaN;
        const bare = isPage
          ? await runOurs<BarePage>('bare-page.ts', [rows, databaseFile(copy.folder), RECORDED, `${seconds / 4}`], 30)
          : null;
        rounds.push({ ours, constant, bare, details });
      }
      const found = { measurement: 'reads', unit: 'requests/s', rounds: rounds.map(({ ours }) => ours.perSecond) };
      const aim = { of: 'ratio', at: 'least', bound: 0.5 } as const;
      const details = {
        'p99 ms': Math.max(...rounds.map(({ ours }) => ours.p99)),
        "fastify's p99 ms": Math.max(...rounds.map(({ constant }) => constant.p99)),
        bytes: Buffer.byteLength(answers[i]?.body ?? ''),
        ...meanDetails(rounds.map((round) => round.details)),
      };
      const asConstant = { name: 'fastify, constant', rounds: rounds.map(({ constant }) => constant.perSecond) };
      if (isPage) {
        const of = (kind: keyof BarePage): number[] => rounds.map(({ bare }) => bare?.[kind] ?? NaN);
        figures.push(figure({ ...found, name, limit: { name: 'JSON.stringify alone', rounds: of('stringify') }, aim, details }));
        figures.push(figure({ ...found, name, limit: { name: 'read from SQLite and stringify', rounds: of('readAndStringify') } }));
        figures.push(figure({ ...found, name, limit: asConstant }));
      } else figures.push(figure({ ...found, name, limit: asConstant, aim, details }));
    }
    return figures;
  },
};

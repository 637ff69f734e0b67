// A month of one tracker over the interface: its trips and its days at a steady pace, against fastify that answers the very same bytes;
// and the export of the trips with all positions on their way as GPX, against a bare loop that writes the same positions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../src/storage/open.ts';
import { addDrives } from './city.ts';
import type { Constant } from './constant.ts';
import { deriving, imeis } from './data.ts';
import { driveWay, TRAVELLING } from './drives.ts';
import { figure, median, type Figure } from './figure.ts';
import type { Measurement } from './measurement.ts';
import type { Probed } from './probe.ts';
import { runOurs, startOurs } from './process.ts';
import { startServer } from './server.ts';

const DAY = 86_400_000;
const DAYS = 31;
/** Requests a second. */
const RATE = 50;

export const trips: Measurement = {
  name: 'trips',
  title: `Trips: a month of one tracker at ${RATE} requests/s, and its export`,
  async measure({ quick, data, step }) {
    step('trips, making a month');
    using copy = await data.fleet(1);
    const to = Math.floor(Date.now() / DAY) * DAY;
    const from = to - DAYS * DAY;
    const way = driveWay(0, from, TRAVELLING);
    let last = 0;
    for (way.go(0); way.time < to; way.go(last)) last++;
    await addDrives(copy.folder, { trackers: 1, habit: TRAVELLING, start: from, first: 0, last }, deriving);

    await using server = await startServer(copy.folder);
    const token = await server.token(data.key);
    const tracker = `/rest/v2/trackers/${imeis[0]}`;
    const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
    const month = `${tracker}/trips?from_ts=${from / 1000}&to_ts=${to / 1000}`;
    const targets = [
      { name: 'trips of a month', path: month },
      { name: 'days of a month', path: `${tracker}/days?from_dt=${dateOf(from)}&to_dt=${dateOf(to - DAY)}` },
    ];
    const headers = { authorization: `X-Token ${token}`, accept: 'application/json' };
    const answers: Constant[] = [];
    for (const { path } of targets) {
      const answer = await fetch(server.http + path, { headers });
      if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
      answers.push({ headers: Object.fromEntries(answer.headers), body: await answer.text() });
    }
    const list = JSON.parse(answers[0]?.body ?? '') as { trips: unknown[]; next_url: string | null };
    if (list.next_url !== null) throw new Error('the trips of a month do not fit one page');
    const constants = join(copy.folder, 'answers.json');
    writeFileSync(constants, JSON.stringify(answers));
    await using fastify = startOurs('constant.ts', [constants], 300);
    const constantHttp = await fastify.firstLine;

    const [count, seconds] = quick ? [1, 1] : [2, 1.5];
    const probe = (url: string): Promise<Probed> => runOurs('probe.ts', [url, token, `${RATE}`, `${seconds}`], seconds + 30);
    const figures: Figure[] = [];
    for (const [i, { name, path }] of targets.entries()) {
      const [ours, constant]: [Probed[], Probed[]] = [[], []];
      for (let round = 1; round <= count; round++) {
        step(`trips, ${name}, round ${round} of ${count}`);
        ours.push(await probe(server.http + path));
        constant.push(await probe(`${constantHttp}/${i}`));
      }
      figures.push(
        figure({
          measurement: 'trips',
          name,
          unit: 'ms p99',
          rounds: ours.map(({ p99 }) => p99),
          limit: { name: 'fastify, constant', rounds: constant.map(({ p99 }) => p99) },
          aim: { of: 'value', at: 'most', bound: 50 },
          details: {
            'p50 ms': median(ours.map(({ p50 }) => p50)),
            'max ms': Math.max(...ours.map(({ max }) => max)),
            "fastify's p50 ms": median(constant.map(({ p50 }) => p50)),
            bytes: Buffer.byteLength(answers[i]?.body ?? ''),
            trips: list.trips.length,
            positions: last,
          },
        }),
      );
    }

    const [exported, bare]: [number[], number[]] = [[], []];
    let bytes = 0;
    for (let round = 1; round <= count; round++) {
      step(`trips, export, round ${round} of ${count}`);
      const began = performance.now();
      const answer = await fetch(`${server.http}${month}&_format=gpx`, { headers: { authorization: headers.authorization } });
      bytes = (await answer.arrayBuffer()).byteLength;
      if (!answer.ok) throw new Error(`the export answers ${answer.status}`);
      exported.push(performance.now() - began);
      const beganBare = performance.now();
      writeBare(databaseFile(copy.folder), from, to);
      bare.push(performance.now() - beganBare);
    }
    figures.push(
      figure({
        measurement: 'trips',
        name: 'export of a month as GPX',
        unit: 'ms',
        rounds: exported,
        limit: { name: 'reading and writing the positions', rounds: bare },
        details: { bytes, trips: list.trips.length },
      }),
    );
    return figures;
  },
};

/** The least that an export must do: read the positions of the trips, and write each as GPX has it. */
function writeBare(file: string, from: number, to: number): Uint8Array {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare(
    `select p.time, p.latitude, p.longitude, p.altitude from trips t
     join positions p on p.tracker_id = t.tracker_id and p.time between t.start_time and t.end_time
     where t.vanished = 0 and t.end_time > ? and t.start_time <= ? order by t.start_time, p.time`,
  );
  let text = '';
  for (const row of rows.iterate(from, to)) {
    const { time, latitude, longitude, altitude } = row as Record<string, number>;
    text += `<trkpt lat="${latitude}" lon="${longitude}"><ele>${altitude}</ele><time>${new Date(time ?? 0).toISOString()}</time></trkpt>\n`;
  }
  database.close();
  return Buffer.from(text);
}

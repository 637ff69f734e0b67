// The limits of pages: `node bench/bare-page.ts FILE DATABASE IMEI SECONDS` prints, as JSON, how often a second the page in the JSON of FILE
// can be written again, and how often when its rows are read from the database anew each time.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { NUMBERS } from '../src/storage/storage.ts';

export interface BarePage {
  stringify: number;
  readAndStringify: number;
}

const [file = '', database = '', imei = '', seconds = '1'] = process.argv.slice(2);
const page = JSON.parse(readFileSync(file, 'utf8')) as { positions: unknown[] };
const rows = new DatabaseSync(database, { readOnly: true }).prepare(
  `select ${NUMBERS.join(', ')} from positions where tracker_id = (select id from trackers where imei = ?) order by time, digest limit ?`,
);

function perSecond(work: () => unknown, length: number): number {
  const began = performance.now();
  let count = 0;
  let now = began;
  for (; now - began < length * 1000; now = performance.now(), count++) work();
  return (count / (now - began)) * 1000;
}

function measure(work: () => unknown): number {
  perSecond(work, 0.3);
  return perSecond(work, Number(seconds));
}

const result: BarePage = {
  stringify: measure(() => JSON.stringify(page)),
  readAndStringify: measure(() => JSON.stringify({ ...page, positions: rows.all(imei, page.positions.length) })),
};
process.stdout.write(`${JSON.stringify(result)}\n`);

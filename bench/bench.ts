// `npm run bench`: the measured claims of this project, for anyone to measure again. Prints a table and writes bench-result.json.
// How each is measured is in a file of its own; this one lists them.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { table } from '../src/cli/terminal.ts';
import { version } from '../src/version.ts';
import { createData } from './data.ts';
import { derivation } from './derivation.ts';
import { detailsText, HEADINGS, rowOf, type Figure } from './figure.ts';
import { idle } from './idle.ts';
import { intake } from './intake.ts';
import { late } from './late.ts';
import { describeMachine, watchOthers } from './machine.ts';
import type { Bench, Measurement } from './measurement.ts';
import { killAll } from './process.ts';
import { reads } from './reads.ts';
import { rebuild } from './rebuild.ts';
import { startup } from './startup.ts';
import { together } from './together.ts';
import { trips } from './trips.ts';
import { zones } from './zones.ts';

const measurements: readonly Measurement[] = [startup, intake, derivation, zones, late, rebuild, trips, reads, together, idle];
const names = measurements.map(({ name }) => name).join(',');

const help = `npm run bench -- [options]
  --only LIST     of ${names}, with commas between
  --quick         under two minutes: fewer and shorter rounds, a tenth of the data; to see that it works, not to quote
  --folder DIR    where the data are, on the disk to be measured; ${tmpdir()}
  --result FILE   bench-result.json
  --help
Everything runs on this machine and its loopback address. Limits are measured in turn with what stands against them, because
machines are shared: look at the ratios and at their spread rather than at the figures. Exit code 1 when a measurement failed.
`;

function readArguments() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', default: names },
        quick: { type: 'boolean', default: false },
        folder: { type: 'string', default: tmpdir() },
        result: { type: 'string', default: 'bench-result.json' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    return process.exit(2);
  }
}

const { only, quick, folder, result, help: isHelp } = readArguments();
if (isHelp) {
  process.stdout.write(help);
  process.exit(0);
}
const unknown = only.split(',').filter((name) => !measurements.some((measurement) => measurement.name === name));
if (unknown.length > 0) {
  process.stderr.write(`--only takes names of ${names}, not ${unknown.join(',')}\n`);
  process.exit(2);
}

const machine = await describeMachine(folder);
const data = createData(folder, quick ? 100_000 : 1_000_000);
const began = performance.now();
const clear = process.stderr.isTTY ? '\r\u001b[K' : '';
const skipped: { name: string; why: string }[] = [];
const failed: { name: string; error: string }[] = [];
const figures: Figure[] = [];
/** Cores that other programs had during a measurement. */
const others: Record<string, number | null> = {};

const bench: Bench = {
  quick,
  data,
  // Only a person at a terminal watches; the table says the rest.
  step: (text) => void (process.stderr.isTTY && process.stderr.write(`${clear}${text} ...`)),
  skip: (name, why) => void skipped.push({ name, why }),
};

process.on('exit', () => {
  killAll();
  data[Symbol.dispose]();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const { cores, coresUsed, processor, node, sqlite } = machine;
process.stdout.write(
  `Waypost ${version()} on ${coresUsed} of ${cores} cores (${processor}), Node ${node}, SQLite ${sqlite}, data in ${folder}\n`,
);
if (machine.inMemory)
  process.stdout.write('These data are in memory, so commits cost nothing here: give a folder of a disk with --folder.\n');

for (const { name, title, measure } of measurements) {
  if (!only.split(',').includes(name)) continue;
  const othersSince = watchOthers();
  try {
    const found = await measure(bench);
    figures.push(...found);
    if (found.length > 0) process.stdout.write(`${clear}\n${title}\n${table(HEADINGS, found.map(rowOf))}`);
    const taken = (others[name] = othersSince());
    if (taken !== null)
      process.stdout.write(
        `  Other programs took ${taken.toFixed(2)} cores meanwhile${taken > 0.2 ? ': too much for these figures to be quoted' : ''}.\n`,
      );
    for (const one of found) if (Object.keys(one.details).length > 0) process.stdout.write(`  ${detailsText(one)}\n`);
  } catch (error) {
    failed.push({ name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    process.stdout.write(`${clear}\n${title}\n  failed: ${failed.at(-1)?.error ?? ''}\n`);
  }
}
for (const { name, why } of skipped) process.stdout.write(`Not measured, ${name}: ${why}.\n`);

const seconds = Math.round((performance.now() - began) / 1000);
const written = { waypost: version(), when: new Date().toISOString(), quick, seconds, machine, others, figures, skipped, failed };
writeFileSync(result, `${JSON.stringify(written, null, 2)}\n`);
process.stdout.write(`\n${quick ? 'A quick look' : 'Measured'} in ${seconds} s; all of it is in ${result}.\n`);
process.exitCode = failed.length > 0 ? 1 : 0;

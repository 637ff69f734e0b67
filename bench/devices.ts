// The load generator as a program of its own: `node bench/devices.ts --help`. Prints one JSON line at the end,
// with --every-second one a second before.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LATE_OF } from './drives.ts';
import { benchImeis } from './imeis.ts';
import { startLoad } from './load.ts';

const help = `node bench/devices.ts --port N [options]
  --host HOST         where Teltonika devices connect, 127.0.0.1
  --port N
  --imeis FILE        one IMEI a line; without it those of --print-imeis
  --connections N     1000
  --records N         records in a packet, 25
  --rate N            records a second over all; 0 logs in and stays silent
  --max               as fast as acknowledgements come; the default
  --seconds N         10
  --start MS          time of each device's first record, ms since 1970; 90 days ago
  --step MS           time from record to record, 1000
  --drives            drive through a city of 50 km, every 10 s a record, instead of along a line; without --step and --journal
  --first N           with --drives: the number of the first record, 0, which is the one at --start
  --late              with --drives: one record of ${LATE_OF} is two to six hours old
  --journal FILE      what was acknowledged, a line a device: IMEI, first time, last time, step (all records between are acknowledged)
  --every-second      a JSON line a second
  --print-imeis N     print so many IMEIs for registration and end
Exit code 0 also when the service went away; 1 when no device could log in; 2 for wrong arguments.
`;

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function whole(name: string, text: string | undefined, preset: number, most: number): number {
  if (text === undefined) return preset;
  if (!/^\d{1,15}$/.test(text) || Number(text) > most) fail(`--${name} takes a whole number up to ${most}`);
  return Number(text);
}

function duration(text: string | undefined): number {
  if (text === undefined) return 10;
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text)) fail('--seconds takes seconds, such as 10 or 1.5');
  return Number(text);
}

function readArguments() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      options: {
        host: text,
        port: text,
        imeis: text,
        connections: text,
        records: text,
        rate: text,
        max: flag,
        seconds: text,
        start: text,
        step: text,
        drives: flag,
        first: text,
        late: flag,
        journal: text,
        'every-second': flag,
        'print-imeis': text,
        help: flag,
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const values = readArguments();
if (values.help === true) {
  process.stdout.write(help);
  process.exit(0);
}
if (values['print-imeis'] !== undefined) {
  process.stdout.write(`${benchImeis(whole('print-imeis', values['print-imeis'], 0, 1_000_000)).join('\n')}\n`);
  process.exit(0);
}
if (values.port === undefined) fail(help);
if (values.max === true && values.rate !== undefined) fail('--max or --rate, not both');
if (values.drives === true ? values.step !== undefined || values.journal !== undefined : values.first !== undefined || values.late === true)
  fail('--step and --journal go without --drives, --first and --late with it');

const connections = whole('connections', values.connections, 1000, 60_000);
const imeis =
  values.imeis === undefined
    ? benchImeis(connections)
    : readFileSync(values.imeis, 'utf8').split(/\s+/).filter(Boolean).slice(0, connections);
if (imeis.length < connections) fail(`${values.imeis} has only ${imeis.length} IMEIs for ${connections} connections`);
const records = whole('records', values.records, 25, 255);
if (records === 0) fail('--records takes 1 to 255');

const load = startLoad({
  host: values.host ?? '127.0.0.1',
  port: whole('port', values.port, 0, 65_535),
  imeis,
  records,
  rate: values.rate === undefined ? null : whole('rate', values.rate, 0, 100_000_000),
  seconds: duration(values.seconds),
  start: whole('start', values.start, Math.floor(Date.now() / 1000) * 1000 - 90 * 86_400_000, 253_402_300_799_999),
  step: whole('step', values.step, 1000, 86_400_000),
  ...(values.drives === true ? { drives: { first: whole('first', values.first, 0, 1e9), late: values.late === true } } : {}),
});
if (values['every-second'] === true) {
  let [second, before] = [0, 0];
  setInterval(() => {
    const acknowledged = load.acknowledged();
    process.stdout.write(`${JSON.stringify({ second: ++second, acknowledged, perSecond: acknowledged - before })}\n`);
    before = acknowledged;
  }, 1000).unref();
}

const { result, journal } = await load.done;
if (values.journal !== undefined)
  writeFileSync(values.journal, journal.map(({ imei, from, to, step }) => `${imei} ${from} ${to} ${step}\n`).join(''));
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exitCode = result.unreachable + result.refused === result.connections ? 1 : 0;

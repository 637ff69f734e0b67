// Memory of devices that are connected and silent, against sockets that node alone keeps open.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEVICES } from './data.ts';
import { figure, type Figure } from './figure.ts';
import type { Bench, Measurement } from './measurement.ts';
import { residentBytes, startOurs, start, type Program } from './process.ts';
import { startServer } from './server.ts';

/** Files that a process has open beside its connections. */
const OTHER_FILES = 200;
/** How long a process has to give back what it does not need any more, ms. */
const SETTLING = 700;

const collector = fileURLToPath(new URL('collector.ts', import.meta.url));

export const idle: Measurement = {
  name: 'idle',
  title: 'Idle devices: memory after garbage collection',
  async measure(bench) {
    const figures: Figure[] = [];
    if (!existsSync('/proc/self/status')) {
      bench.skip('memory of idle devices', 'memory is read from /proc, and this system has none');
      return figures;
    }
    for (const count of bench.quick ? [1000] : [1000, DEVICES]) {
      const needed = count + OTHER_FILES;
      if (openFilesAllowed() < needed) {
        bench.skip(
          `${count} idle devices`,
          `${count} connections need ${needed} open files, and this shell allows ${openFilesAllowed()}: run "ulimit -n ${needed}" first`,
        );
        continue;
      }
      figures.push(await measureCount(bench, count));
    }
    return figures;
  },
};

/** Node has raised the soft limit to the hard one by now. */
function openFilesAllowed(): number {
  const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === 'unlimited' ? Infinity : Number(soft);
}

async function measureCount({ data, step }: Bench, count: number): Promise<Figure> {
  step(`idle, ${count} devices`);
  using copy = await data.fleet();
  await using server = await startServer(copy.folder, { NODE_OPTIONS: `--expose-gc --import ${collector}` });
  const ours = await grownBy(count, server.program, server.teltonikaPort, async () => {
    return (await server.metrics()).get('waypost_device_connections') ?? 0;
  });
  step(`idle, ${count} bare sockets`);
  await using bare = start(
    process.execPath,
    ['--expose-gc', '--import', collector, fileURLToPath(new URL('bare-sockets.ts', import.meta.url))],
    120,
  );
  const [port = '', metrics = ''] = (await bare.firstLine).split(' ');
  const limit = await grownBy(count, bare, port, async () => Number(await (await fetch(metrics)).text()));
  const kilobytes = (bytes: number): number => Math.round((bytes / count / 1024) * 100) / 100;
  return figure({
    measurement: 'idle',
    name: `${count} devices`,
    unit: 'KB each',
    rounds: [kilobytes(ours.after - ours.before)],
    limit: { name: 'bare node socket', rounds: [kilobytes(limit.after - limit.before)] },
    details: {
      'MB before': ours.before / 1048576,
      'MB with all connected': ours.peak / 1048576,
      'MB after garbage collection': ours.after / 1048576,
      'bare MB after': limit.after / 1048576,
    },
  });
}

/** Resident bytes of a process before `count` devices log in at `port`, once they have, and after collection. */
async function grownBy(
  count: number,
  program: Program,
  port: string,
  connected: () => Promise<number>,
): Promise<{ before: number; peak: number; after: number }> {
  const before = await settledBytes(program);
  await using devices = startOurs('devices.ts', ['--port', port, '--connections', `${count}`, '--rate', '0', '--seconds', '60'], 90);
  const last = performance.now() + 30_000;
  while ((await connected()) < count) {
    if (performance.now() > last) throw new Error(`only ${await connected()} of ${count} devices connected within 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  // The last of them may still be logging in.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const peak = residentBytes(program.pid);
  const after = await settledBytes(program);
  await devices.stop();
  return { before, peak, after };
}

async function settledBytes(program: Program): Promise<number> {
  program.signal('SIGUSR2');
  await new Promise((resolve) => setTimeout(resolve, SETTLING));
  return residentBytes(program.pid);
}

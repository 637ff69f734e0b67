// `waypost serve`: the service, until it is told to stop.
import type { Command } from 'commander';
import { startService, type Listening } from '../assemble.ts';
import { openLog } from '../basics/log.ts';
import { serveSettings } from '../settings.ts';
import { version } from '../version.ts';
import { addSettings, settingsOf } from './options.ts';

export function registerServe(program: Command): void {
  const command = addSettings(program.command('serve').description('run the service'), serveSettings).option(
    '--json',
    'print one line of JSON when everything listens, for programs',
  );
  command.action(async () => {
    const settings = settingsOf(command, serveSettings);
    const log = openLog(settings.logLevel);
    const service = await startService(settings, version(), log);
    stopOnSignal(async (signal) => {
      log.info({ signal }, 'stopping: what has arrived is committed and acknowledged first');
      await service.stop();
      log.info('stopped');
    });
    console.log(command.opts()['json'] === true ? JSON.stringify(service.listening) : describe(service.listening));
    log.info({ ...service.listening, data: settings.data, version: version() }, 'listening');
  });
}

/** Runs `stop` once at SIGTERM or SIGINT, then ends the process; a second signal ends it at once. */
export function stopOnSignal(stop: (signal: string) => Promise<void>): void {
  let since: number | null = null;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // The same signal often comes twice at once, from a terminal and from whoever passes it on: that is no impatience.
      if (since !== null && performance.now() - since > 1000) process.exit(1);
      if (since !== null) return;
      since = performance.now();
      stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
}

export function describe({ http, protocols, metrics }: Listening): string {
  const devices = Object.entries(protocols).flatMap(([name, places]) =>
    Object.entries(places).map(([transport, place]) => `  ${name} over ${transport}: ${place}`),
  );
  return [
    `Waypost listens.`,
    http === undefined ? '' : `  interface: ${http}/`,
    ...devices,
    metrics === undefined ? '' : `  metrics:   ${metrics}/metrics`,
  ]
    .filter(Boolean)
    .join('\n');
}

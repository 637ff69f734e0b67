// `waypost demo`: the service with an account and a simulated fleet that reports through real sockets, to look around in.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { passwordColumns } from '../api/auth/auth.ts';
import { createHasher } from '../api/auth/password.ts';
import { makeKey } from '../api/auth/tokens.ts';
import { startService } from '../assemble.ts';
import { openLog } from '../basics/log.ts';
import { readSettings, serveSettings } from '../settings.ts';
import { version } from '../version.ts';
import { createDemoAccount, TARGET } from './demo/account.ts';
import { createFleet, createWorld } from './demo/fleet.ts';
import { messageLine, openReceiver, RECEIVER_HOST } from './demo/receiver.ts';
import { startSimulation } from './demo/simulation.ts';
import { WrongUsage } from './failure.ts';
import { stopOnSignal } from './serve.ts';
import { secretBoxOf, withStorage } from './store.ts';

const USERNAME = 'demo';
/** Where the demo's town, which is made up, would be. */
const TIMEZONE = 'Europe/Budapest';
const SEED = 7;
/** How much the devices have recorded before the demo starts, ms. */
const HISTORY = 3 * 3600_000;

interface Flags {
  host: string;
  port: string;
  json?: true;
}

export function registerDemo(program: Command): void {
  const command = program
    .command('demo')
    .description('run the service with a demo account and 25 simulated vehicles; nothing is kept when it ends')
    .option('--host <address>', 'the address where it listens', '127.0.0.1')
    .option('--port <port>', 'where the interface listens; 0 for any free port', '8080')
    .option('--json', 'print one line of JSON when the data is there, for programs');
  command.action(async () => {
    const { host, port, json = false } = command.opts<Flags>();
    const data = mkdtempSync(join(tmpdir(), 'waypost-demo-'));
    process.once('exit', () => rmSync(data, { recursive: true, force: true }));
    let messages = 0;
    let isShowing = false;
    const receiver = await openReceiver((pairs) => {
      messages++;
      if (isShowing) console.log(messageLine(pairs, TIMEZONE));
    });
    const anyPorts = { teltonikaPort: '0', osmandPort: '0', metricsPort: '0' };
    const flags = { data, host, port, ...anyPorts, logLevel: 'warn', targetNetworks: RECEIVER_HOST };
    const read = readSettings(serveSettings, { flags, env: {}, file: null });
    if ('problems' in read) throw new WrongUsage(read.problems);
    const settings = read.values;

    const start = Date.now() - HISTORY;
    const fleet = createFleet(createWorld(SEED), SEED, start);
    const password = randomBytes(8).toString('hex');
    const { key, ...hashed } = makeKey();
    const columns = await passwordColumns(USERNAME, password, createHasher(), secretBoxOf(settings));
    const account = { username: USERNAME, name: 'Demo fleet', email: null, timezone: TIMEZONE, created_time: start, ...columns, ...hashed };
    const made = await withStorage(settings, (storage) => createDemoAccount(storage, account, fleet, receiver.address), true);

    const service = await startService(settings, version(), openLog(settings.logLevel));
    const { http = '', protocols } = service.listening;
    const doors = {
      teltonikaTcp: protocols['teltonika']?.['tcp'] ?? '',
      teltonikaUdp: protocols['teltonika']?.['udp'] ?? '',
      osmandHttp: new URL(protocols['osmand']?.['http'] ?? '').host,
    };
    const simulation = startSimulation(fleet, doors, start, Date.now);
    stopOnSignal(async () => {
      await simulation.stop();
      await service.stop();
      await receiver.stop();
    });

    const root = `${http}/rest/v2`;
    const address = `${root}/gateway`;
    const access = { address, username: USERNAME, password, key };
    if (!json)
      console.log(
        [
          `Waypost runs at  ${address}\n`,
          `  user name  ${USERNAME}`,
          `  password   ${password}`,
          `  key        ${key}\n`,
          `  live       ${root}/live`,
          `  trips      ${root}/${made.tracker}/trips`,
          `  events     ${root}/events`,
          `  zones      ${root}/zones`,
          `  messages   ${root}/${made.target}/deliveries`,
          `  devices    http://${doors.osmandHttp} (OsmAnd, Traccar Client), ${doors.teltonikaTcp} (Teltonika)\n`,
          `  curl -u ${USERNAME}:${password} ${root}/trackers\n`,
        ].join('\n'),
      );
    // Every device has delivered what it recorded before now.
    const begun = performance.now();
    do await pause(100);
    while (simulation.state().acknowledged < fleet.length || simulation.state().waiting > 0);
    const { acknowledged } = simulation.state();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(
      json
        ? JSON.stringify({ ...service.listening, event: 'ready', ...access })
        : `25 vehicles delivered ${acknowledged} positions of the last three hours in ${seconds} s, and go on driving.\n` +
            `${messages} messages about them came to the target "${TARGET}". Each new one is a line below.\n` +
            'Ctrl-C ends the demo and forgets everything.\n',
    );
    isShowing = !json;
  });
}

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
import { createFleet, createWorld } from './demo/fleet.ts';
import { startSimulation } from './demo/simulation.ts';
import { WrongUsage } from './failure.ts';
import { stopOnSignal } from './serve.ts';
import { secretBoxOf, withStorage } from './store.ts';

const USERNAME = 'demo';
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
    const flags = { data, host, port, teltonikaPort: '0', osmandPort: '0', metricsPort: '0', logLevel: 'warn' };
    const read = readSettings(serveSettings, { flags, env: {}, file: null });
    if ('problems' in read) throw new WrongUsage(read.problems);
    const settings = read.values;

    const start = Date.now() - HISTORY;
    const fleet = createFleet(createWorld(SEED), SEED, start);
    const password = randomBytes(8).toString('hex');
    const { key, ...hashed } = makeKey();
    const columns = await passwordColumns(USERNAME, password, createHasher(), secretBoxOf(settings));
    await withStorage(
      settings,
      async (storage) => {
        const account = {
          username: USERNAME,
          name: 'Demo fleet',
          email: null,
          timezone: 'Europe/Budapest',
          created_time: start,
          ...columns,
          ...hashed,
        };
        const accountId = await storage.accounts.create(account);
        if (accountId === null) throw new Error('the demo account is in the new database already');
        for (const { imei, name, model } of fleet) await storage.trackers.create({ accountId, imei, name, model, now: start });
        for (const zone of ZONES) await storage.zones.create(accountId, { ...zone, points: JSON.stringify(zone.points) }, start);
      },
      true,
    );

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
    });

    const address = `${http}/rest/v2/gateway`;
    const access = { address, username: USERNAME, password, key };
    if (!json)
      console.log(
        [
          `Waypost runs at  ${address}\n`,
          `  user name  ${USERNAME}`,
          `  password   ${password}`,
          `  key        ${key}`,
          `  devices    http://${doors.osmandHttp} (OsmAnd, Traccar Client), ${doors.teltonikaTcp} (Teltonika)\n`,
          `  curl -u ${USERNAME}:${password} ${http}/rest/v2/trackers\n`,
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
        : `25 vehicles delivered ${acknowledged} positions of the last three hours in ${seconds} s, and go on driving.\nCtrl-C ends the demo and forgets everything.`,
    );
  });
}

/** In the demo's town, which is made up. */
const ZONES = [
  { name: 'Old town', type: 'circle', points: [[47.55, 20.96]], radius: 600, color: '#c2410c' },
  { name: 'Eastern works', type: 'polygon', points: [[47.556, 20.99], [47.556, 21.01], [47.545, 21.012], [47.543, 20.992]], radius: null, color: '#1d4ed8' },
]; // prettier-ignore

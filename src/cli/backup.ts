// `waypost backup`: a copy of everything, as it is at one moment, while the server goes on. The copy is a data folder itself.
import { existsSync, mkdirSync, copyFileSync, chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Refusal } from '../basics/errors.ts';
import { storeSettings } from '../settings.ts';
import { backUp, databaseFile } from '../storage/open.ts';
import { addSettings, settingsOf } from './options.ts';
import { tell } from './store.ts';

export function registerBackup(program: Command): void {
  const command = addSettings(
    program.command('backup <folder>').description('copy everything to a new folder, beside a running server'),
    storeSettings,
  )
    .option('--without-key', 'leave out the key file that encrypts secrets; keep your own copy of it elsewhere')
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', '\nTo restore, start the service with --data FOLDER, or copy its files to an empty data folder.');
  command.action(async (folder: string) => {
    const { withoutKey = false, json = false } = command.opts<{ withoutKey?: true; json?: true }>();
    const settings = settingsOf(command, storeSettings);
    const source = databaseFile(settings.data);
    if (!existsSync(source)) throw new Refusal(404, `there is no database in ${settings.data}; say where with --data`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const copy = databaseFile(folder);
    if (existsSync(copy)) throw new Refusal(409, `${copy} is there already; back up to a new folder`);
    if (process.stderr.isTTY) console.error(`copying ${(statSync(source).size / 1e6).toFixed(1)} MB and checking the copy ...`);
    await backUp(settings.data, copy);
    if (!withoutKey) {
      const key = join(folder, 'secret.key');
      copyFileSync(settings.secretKeyFile, key);
      chmodSync(key, 0o600);
    }
    const bytes = statSync(copy).size;
    tell(
      json,
      { folder, bytes, key: !withoutKey },
      `Backed up ${(bytes / 1e6).toFixed(1)} MB to ${folder}, checked.${withoutKey ? ' The key file is not in it.' : ' It holds the key file too: keep it as safe as the service itself.'}`,
    );
  });
}

// How a database is opened: by several processes at once, not when a newer program wrote it, and for its owner's eyes alone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { operations } from '../../src/operations.ts';
import { databaseFile, openStorage } from '../../src/storage/open.ts';
import { newFolder, operationsModule } from './engines.ts';

test('two processes that open a new database at once both find it whole', async () => {
  const data = newFolder();
  const program = `
    import { openStorage } from ${JSON.stringify(new URL('../../src/storage/open.ts', import.meta.url).href)};
    import { operations } from ${JSON.stringify(operationsModule.href)};
    const { storage, close } = await openStorage(${JSON.stringify(data)}, operations);
    await storage.unknownDevices.note([{ imei: String(process.pid), protocol: 'p', address: 'a', last_time: 1, count: 1 }]);
    await close();`;
  const ends = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'inherit', 'inherit'] });
      return (await once(child, 'exit'))[0] as number;
    }),
  );
  assert.deepEqual(ends, [0, 0, 0]);
  const { storage, close } = await openStorage(data, operations);
  assert.equal((await storage.unknownDevices.list()).length, 3);
  await close();
});

test('a database that a newer program wrote is refused with a sentence, and left as it is', async () => {
  const data = newFolder();
  await (await openStorage(data, operations)).close();
  const database = new DatabaseSync(databaseFile(data));
  database.exec('pragma user_version = 999');
  for (const module of [undefined, operationsModule])
    await assert.rejects(openStorage(data, operations, module), /schema 999.*newer Waypost/);
  assert.deepEqual({ ...database.prepare('pragma user_version').get() }, { user_version: 999 });
  database.close();
});

test('what the file system holds is for its owner alone', async () => {
  const data = join(newFolder(), 'inner');
  await (await openStorage(data, operations)).close();
  assert.deepEqual([statSync(data).mode & 0o777, statSync(databaseFile(data)).mode & 0o777], [0o700, 0o600]);
});

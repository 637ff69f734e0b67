// One connection to a migrated database, for tests that look below the storage's interface.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openConnection, type Connection } from '../../src/storage/sqlite/connection.ts';
import { migrate } from '../../src/storage/sqlite/migrate.ts';
import { accounts } from '../../src/storage/tables/accounts.ts';
import { account } from './engines.ts';

export interface Bare {
  connection: Connection;
  newAccount(): Promise<number>;
}

/** Closed and removed after the tests of the file. */
export async function openBare(): Promise<Bare> {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-bare-'));
  const connection = openConnection(join(folder, 'waypost.db'));
  await migrate(connection);
  after(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });
  let names = 0;
  return {
    connection,
    async newAccount() {
      const id = await accounts.create.work(connection, account(`name ${++names}`));
      assert.ok(id !== null);
      return id;
    },
  };
}

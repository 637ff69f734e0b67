// What goes with an account that is removed.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAcceptance } from '../../pipeline/accept.ts';
import { operations } from '../../operations.ts';
import { openStorage } from '../open.ts';

test('the positions of a removed account are left to the sweep, and then gone', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'waypost-'));
  const { storage, close } = await openStorage(data, operations);
  t.after(async () => {
    await close();
    rmSync(data, { recursive: true });
  });
  const row = {
    username: 'anna',
    name: 'Anna',
    email: null,
    timezone: 'UTC',
    created_time: 0,
    password_hash: '',
    key_hash: null,
    key_hint: null,
  };
  const accountId = (await storage.accounts.create({ ...row, digest_secret: new Uint8Array(1) })) ?? 0;
  const id = (await storage.trackers.create({ accountId, imei: '356307042441013', name: 'Van', model: null, now: 0 })) ?? 0;
  const committed = (): void => undefined;
  const acceptance = createAcceptance({
    commit: (batch) => storage.pipeline.commit(batch, null),
    clock: Date.now,
    commitRows: 10,
    waitingRows: 10,
    committed,
  });
  await acceptance.accept(id, [{ time: Date.now(), latitude: 47, longitude: 20, fixed: true }]);
  const count = async (): Promise<number> => {
    const range = { trackerId: id, from: 0, to: Date.now(), after: null, limit: 10, attributes: false };
    return (await storage.positions.page(range)).count;
  };
  assert.equal(await count(), 1);

  await storage.accounts.remove(accountId);
  assert.equal(await storage.trackers.byImei('356307042441013'), undefined);
  while ((await storage.positions.sweep(1000)) > 0);
  assert.equal(await count(), 0);
});

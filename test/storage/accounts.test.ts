// What every storage engine keeps of accounts: tokens, trackers, zones, samples; and of devices that nobody has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, batchOf, deriving, newHash, onEveryEngine, report, start } from './engines.ts';

onEveryEngine(({ storage, newName, newImei, newAccount, newTracker, count }) => {
  test('an account is found by id, name and key, as it was put in; its name and its key are its own', async () => {
    const keyHash = newHash();
    const row = account(newName(), { key_hash: keyHash, key_hint: 'abcd', email: 'é@example.org' });
    const id = await storage.accounts.create(row);
    assert.ok(id !== null);
    const { key_hash: _, digest_secret: secret, ...shown } = row;
    for (const found of [
      await storage.accounts.byId(id),
      await storage.accounts.byName(row.username),
      await storage.accounts.byKey(keyHash),
    ])
      assert.deepEqual({ ...found }, { id, ...shown }, 'secrets are not read along');
    assert.deepEqual((await storage.accounts.withDigestSecret(row.username))?.digest_secret, secret);
    assert.equal(await storage.accounts.create(account(row.username)), null, 'taken');
    await assert.rejects(storage.accounts.create(account(newName(), { key_hash: keyHash })));
    assert.equal(await storage.accounts.byName(row.username.toUpperCase()), undefined, 'names differ by case');
    assert.equal(await storage.accounts.byId(-1), undefined);
    await newTracker(id);
    const listed = (await storage.accounts.list()).find((one) => one.id === id);
    assert.equal(listed?.trackers, 1);
  });

  test('an account is altered; a new key takes the place of the old; a new password ends every token', async () => {
    const [oldKey, newKey] = [newHash(), newHash()];
    const id = await newAccount({ key_hash: oldKey });
    await storage.accounts.alter(id, { name: 'new', email: null, timezone: 'Asia/Tokyo' }, null);
    await storage.accounts.setKey(id, newKey, 'beef');
    assert.equal(await storage.accounts.byKey(oldKey), undefined);
    assert.equal((await storage.accounts.byKey(newKey))?.timezone, 'Asia/Tokyo');
    const { password_hash: passwordHash = '' } = (await storage.accounts.byId(id)) ?? {};
    const token = { accountId: id, passwordHash, hash: newHash(), label: null, now: 1000, expires: 2000 };
    assert.equal(await storage.tokens.create(token), true);
    await storage.accounts.setPassword(id, { password_hash: 'another hash', digest_secret: Uint8Array.of(1) });
    assert.deepEqual(await storage.tokens.list(id, 1000), []);
    assert.equal(await storage.tokens.create(token), false, 'the password that was right is so no more');
  });

  test('tokens live until they expire or are revoked, and are their account’s alone', async () => {
    const [id, other] = [await newAccount(), await newAccount()];
    const { password_hash: passwordHash = '' } = (await storage.accounts.byId(id)) ?? {};
    const hash = (n: number): Uint8Array => Uint8Array.of(n, id % 256, id >> 8);
    for (const [n, expires] of [
      [1, 2000],
      [2, 3000],
      [3, 3000],
    ] as const)
      await storage.tokens.create({ accountId: id, passwordHash, hash: hash(n), label: `token ${n}`, now: 1000, expires });
    assert.equal((await storage.tokens.byHash(hash(1), 1999))?.id, id);
    assert.equal(await storage.tokens.byHash(hash(1), 2000), undefined);
    const [, second, third] = await storage.tokens.list(id, 1500);
    assert.ok(second !== undefined && third !== undefined);
    assert.deepEqual(
      { ...second },
      { id: second.id, account_id: id, label: 'token 2', created_time: 1000, expires_time: 3000, used_time: 1000 },
    );
    await storage.tokens.touch([
      [second.id, 1700],
      [second.id, 1600],
    ]);
    assert.equal((await storage.tokens.byId(id, second.id, 1700))?.used_time, 1700);
    assert.equal(await storage.tokens.byId(other, second.id, 1700), undefined);
    assert.equal(await storage.tokens.revoke(other, second.id), 0);
    assert.equal(await storage.tokens.revoke(id, second.id), 1);
    assert.equal(await storage.tokens.byHash(hash(2), 1700), undefined);
    await storage.tokens.expire(2500, 1000);
    assert.deepEqual(
      (await storage.tokens.list(id, 0)).map((row) => row.id),
      [third.id],
    );
  });

  test('a tracker is its account’s, its IMEI the service’s; its view joins what is known of it', async () => {
    const [id, other] = [await newAccount(), await newAccount()];
    const imei = newImei();
    await storage.unknownDevices.note([{ imei, protocol: 'p', address: 'a', last_time: 5, count: 1 }]);
    const trackerId = await newTracker(id, imei);
    assert.ok(!(await storage.unknownDevices.list()).some((row) => row.imei === imei), 'it is known from now on');
    assert.equal(await storage.trackers.create({ accountId: other, imei, name: 'x', model: null, now: 1 }), null);
    assert.deepEqual({ ...(await storage.trackers.byImei(imei)) }, { id: trackerId, imei, account_id: id });
    assert.equal(await storage.trackers.view(other, imei), undefined);
    await storage.trackers.alter(trackerId, { name: 'Van', model: 'M', dataRetention: 7, odometerOffset: 1.5 });
    const view = await storage.trackers.view(id, imei);
    const { name, model, data_retention, odometer_offset, start_time, pos_time, comm_time } = view ?? {};
    assert.deepEqual(
      { name, model, data_retention, odometer_offset, start_time, pos_time, comm_time },
      { name: 'Van', model: 'M', data_retention: 7, odometer_offset: 1.5, start_time: start, pos_time: null, comm_time: null },
    );
    assert.deepEqual(
      (await storage.trackers.list(id, '', 10)).map((row) => row.imei),
      [imei],
    );
    assert.equal(await storage.trackers.remove(other, trackerId), 0);
    assert.equal(await storage.trackers.remove(id, trackerId), 1);
    assert.equal(await storage.trackers.byImei(imei), undefined);
  });

  test('a zone’s name is its own within the account', async () => {
    const [id, other] = [await newAccount(), await newAccount()];
    const zone = { name: 'Depot', type: 'circle', points: '[[1,2]]', radius: 5.5, color: null };
    const made = await storage.zones.create(id, zone, 1000);
    const second = await storage.zones.create(id, { ...zone, name: 'Second' }, 1000);
    assert.ok(made !== null && second !== null);
    assert.deepEqual({ ...(await storage.zones.byId(id, made)) }, { id: made, account_id: id, ...zone, created_time: 1000 });
    assert.equal(await storage.zones.create(id, zone, 1000), null);
    assert.ok((await storage.zones.create(other, zone, 1000)) !== null);
    assert.equal((await storage.zones.idOfName(id, 'Depot'))?.id, made);
    assert.equal(await storage.zones.alter(id, second, zone), false);
    assert.equal(await storage.zones.alter(id, second, { ...zone, name: 'Third', radius: null }), true);
    assert.deepEqual(
      (await storage.zones.list(id, '', 10)).map(({ name, radius }) => [name, radius]),
      [
        ['Depot', 5.5],
        ['Third', null],
      ],
    );
    assert.equal(await storage.zones.remove(other, made), 0);
    assert.equal(await storage.zones.remove(id, made), 1);
    assert.equal(await storage.zones.byId(id, made), undefined);
  });

  test('a sample is put and replaced; unknown devices are added up, last seen first', async () => {
    const id = await newAccount();
    assert.equal(await storage.samples.of(id), undefined);
    for (const document of ['{"a":1}', '{"a":2}']) await storage.samples.put(id, document);
    assert.equal((await storage.samples.of(id))?.document, '{"a":2}');
    const device = { imei: newImei(), protocol: 'p', address: 'a', last_time: 10, count: 2 };
    await storage.unknownDevices.note([device]);
    await storage.unknownDevices.note([
      { ...device, address: 'b', last_time: 20, count: 3 },
      { ...device, imei: newImei(), last_time: 15 },
    ]);
    const rows = (await storage.unknownDevices.list()).slice(0, 2).map(({ ...row }) => row);
    assert.deepEqual(rows[0], { imei: device.imei, protocol: 'p', address: 'b', first_time: 10, last_time: 20, count: 5 });
    assert.equal(rows[1]?.last_time, 15);
  });

  test('an account goes with all that is its own', async () => {
    const id = await newAccount();
    const hash = newHash();
    const { password_hash: passwordHash = '' } = (await storage.accounts.byId(id)) ?? {};
    await storage.tokens.create({ accountId: id, passwordHash, hash, label: null, now: 1, expires: 9e12 });
    await storage.zones.create(id, { name: 'z', type: 'circle', points: '[]', radius: null, color: null }, 1);
    await storage.samples.put(id, '{}');
    const imei = newImei();
    const trackerId = await newTracker(id, imei);
    await storage.pipeline.commit(batchOf([[trackerId, report(start)]]), deriving);
    await storage.accounts.remove(id);
    assert.equal(await storage.accounts.byId(id), undefined);
    assert.equal(await storage.tokens.byHash(hash, 1), undefined);
    assert.deepEqual(await storage.zones.list(id, '', 10), []);
    assert.equal(await storage.samples.of(id), undefined);
    assert.equal(await storage.trackers.byImei(imei), undefined);
    while ((await storage.positions.sweep(1000)) > 0);
    assert.equal(await count(trackerId), 0, 'nothing is left behind');
  });
});

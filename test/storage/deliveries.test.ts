// What every storage engine keeps of messages: whose turn it is, what was tried, and the secret that they are signed with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newHash, onEveryEngine, start } from './engines.ts';

onEveryEngine(({ storage: { accounts, deliveries, targets }, newAccount }) => {
  const newTarget = (accountId: number): Promise<number> =>
    targets.create(accountId, { name: 'x', type: 'email', address: 'a@example.org', active: 1 }, start);

  async function newDelivery(accountId: number, targetId: number, now = start): Promise<number> {
    const id = await deliveries.create(accountId, targetId, now);
    assert.ok(id !== null);
    return id;
  }

  const attemptAt = (deliveryId: number, targetId: number, time: number) => ({ deliveryId, targetId, time, seconds: 0.5, status: 500 });

  test('the oldest that waits has its turn, and comes with what is needed to send it', async () => {
    const accountId = await newAccount({ timezone: 'Asia/Tokyo' });
    const targetId = await newTarget(accountId);
    assert.equal(await deliveries.head(targetId), undefined);
    const [first, second] = [await newDelivery(accountId, targetId), await newDelivery(accountId, targetId)];
    const head = await deliveries.head(targetId);
    assert.equal(head?.id, first);
    const { type, address, active, timezone, attempts, first_time, next_time } = head;
    assert.deepEqual(
      [type, address, active, timezone, attempts, first_time, next_time],
      ['email', 'a@example.org', 1, 'Asia/Tokyo', 0, null, null],
    );
    assert.ok((await deliveries.waitingTargets()).includes(targetId));
    await deliveries.record([{ ...attemptAt(first, targetId, start), error: null, outcome: 'delivered' }]);
    assert.equal((await deliveries.head(targetId))?.id, second);
    await deliveries.record([{ ...attemptAt(second, targetId, start), error: 'no', outcome: 'given_up' }]);
    assert.equal(await deliveries.head(targetId), undefined);
    assert.ok(!(await deliveries.waitingTargets()).includes(targetId));
  });

  test('a failure holds up what waits behind; what was held up long enough is given up together', async () => {
    const accountId = await newAccount();
    const targetId = await newTarget(accountId);
    const ids = [await newDelivery(accountId, targetId), await newDelivery(accountId, targetId)];
    const outcome = { retry: start + 9 };
    await deliveries.record([{ ...attemptAt(ids[0] ?? 0, targetId, start + 5), error: 'no', outcome }]);
    const late = await newDelivery(accountId, targetId, start + 6);
    assert.deepEqual([(await deliveries.head(targetId))?.first_time, (await deliveries.head(targetId))?.next_time], [start + 5, start + 9]);
    await deliveries.hurry(targetId);
    assert.equal((await deliveries.head(targetId))?.next_time, null);
    assert.equal(await deliveries.giveUp(targetId, start + 4, 'why', 10), 0);
    assert.deepEqual(
      [await deliveries.giveUp(targetId, start + 5, 'why', 1), await deliveries.giveUp(targetId, start + 5, 'why', 10)],
      [1, 1],
    );
    assert.equal((await deliveries.head(targetId))?.id, late);
    const row = await deliveries.byId(accountId, targetId, ids[1] ?? 0);
    assert.deepEqual([row?.state, row?.error, row?.attempts], ['given_up', 'why', 0]);
  });

  test('deliveries are read newest first, a page at a time, by their own account alone', async () => {
    const [accountId, other] = [await newAccount(), await newAccount()];
    const targetId = await newTarget(accountId);
    const ids: number[] = [];
    for (let i = 0; i < 5; i++) ids.unshift(await newDelivery(accountId, targetId));
    const page = async (before: number | null): Promise<number[]> =>
      (await deliveries.list(accountId, targetId, before, 2)).map(({ id }) => id);
    assert.deepEqual(
      [await page(null), await page(ids[1] ?? 0), await page(ids[3] ?? 0)],
      [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)],
    );
    assert.deepEqual(await deliveries.list(other, targetId, null, 2), []);
    assert.equal(await deliveries.byId(other, targetId, ids[0] ?? 0), undefined);
    assert.equal(await deliveries.create(other, targetId, start), null);
    const { oldest, count } = await deliveries.waiting();
    assert.ok(oldest !== null && count >= 5);
    await targets.remove(accountId, targetId);
    assert.deepEqual(await deliveries.list(accountId, targetId, null, 2), []);
  });

  test('of a target that is to go, messages are deleted some at a time, and no others', async () => {
    const [accountId, other] = [await newAccount(), await newAccount()];
    const [targetId, kept] = [await newTarget(accountId), await newTarget(accountId)];
    for (const target of [targetId, targetId, targetId, kept]) await newDelivery(accountId, target);
    assert.equal(await deliveries.clear(other, targetId, 2), 0);
    assert.deepEqual([await deliveries.clear(accountId, targetId, 2), await deliveries.clear(accountId, targetId, 2)], [2, 1]);
    assert.deepEqual(await deliveries.list(accountId, targetId, null, 9), []);
    assert.equal((await deliveries.list(accountId, kept, null, 9)).length, 1);
  });

  test('an attempt at what is gone changes nothing', async () => {
    await deliveries.record([{ ...attemptAt(1e9, 1e9, start), error: null, outcome: 'delivered' }]);
    assert.deepEqual(await deliveries.attempts(1e9), []);
  });

  test('the first signing secret stays until it is replaced', async () => {
    const id = await newAccount();
    assert.equal(await accounts.storedSigningSecret(id), null);
    const [first, second, third] = [newHash(), newHash(), newHash()];
    assert.deepEqual([await accounts.signingSecret(id, first), await accounts.signingSecret(id, second)], [first, first]);
    await accounts.replaceSigningSecret(id, third);
    assert.deepEqual(await accounts.storedSigningSecret(id), third);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accounts } from './accounts.ts';
import { zones } from './zones.ts';
import { openBare } from '../../../test/storage/bare.ts';

const { connection, newAccount } = await openBare();

const depot = { name: 'Depot', type: 'circle', points: '[[48,16]]', radius: 100, color: null };
const versions = (account: number) =>
  connection.all<{ id: number; name: string; radius: number; since: number; until: number | null }>(
    'select id, name, radius, since, until from zone_versions where account_id = $1 order by id',
    account,
  );
const count = async (text: string, ...values: number[]): Promise<number> =>
  Number((await connection.get<{ n: number }>(`select count(*) as n from ${text}`, ...values))?.n);
const changes = async (account: number): Promise<number> =>
  Number((await connection.get<{ zones_change: number }>('select zones_change from accounts where id = $1', account))?.zones_change);

test('a zone has a version for every name and shape that it had, without a hole between them', async () => {
  const account = await newAccount();
  const before = Date.now();
  const id = (await zones.create.work(connection, account, depot, 1000)) ?? 0;
  const [made] = await versions(account);
  assert.ok(made !== undefined && made.since > before && made.since <= Date.now() + 1);
  assert.ok((await count('zone_cells where version_id = $1', made.id)) > 0);
  await zones.alter.work(connection, account, id, { ...depot, radius: 200 });
  await zones.alter.work(connection, account, id, { ...depot, radius: 200, name: 'Yard' });
  const [first, second, third, ...more] = await versions(account);
  assert.deepEqual([first?.until, second?.until, third?.until, more], [second?.since, third?.since, null, []]);
  assert.deepEqual([third?.name, third?.radius, await changes(account)], ['Yard', 200, 3]);
  assert.equal(await zones.remove.work(connection, account, id), 1);
  assert.ok((await versions(account)).every(({ until }) => until !== null));
  assert.ok((await count('zone_cells where version_id = $1', made.id)) > 0, 'the past is judged by it');
  assert.equal(await changes(account), 4);
});

test('what neither alters name nor shape makes no version, and a zone of another account is left alone', async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const id = (await zones.create.work(connection, account, depot, 1000)) ?? 0;
  assert.equal(await zones.create.work(connection, account, depot, 1000), null);
  await zones.alter.work(connection, account, id, depot);
  await zones.alter.work(connection, account, id, { ...depot, color: '#3366cc' });
  await zones.alter.work(connection, other, id, { ...depot, radius: 5 });
  assert.equal(await zones.remove.work(connection, other, id), 0);
  assert.deepEqual([(await versions(account)).length, await changes(account), await changes(other)], [1, 1, 0]);
  assert.equal((await zones.byId.work(connection, account, id))?.color, '#3366cc');
});

test('zones from before there were versions are given theirs, as of when they were made', async () => {
  const account = await newAccount();
  for (let n = 0; n < 5; n++)
    await connection.run(
      `insert into zones (account_id, name, type, points, radius, created_time) values ($1, $2, 'circle', '[[1,2]]', 50, $3)`,
      account,
      `zone ${n}`,
      1000 + n,
    );
  const counts = [];
  for (let n = -1; n !== 0; counts.push(n)) n = await zones.indexMissing.work(connection, 2);
  assert.deepEqual(counts, [2, 2, 1, 0]);
  assert.deepEqual((await versions(account)).map(({ since }) => since), [1000, 1001, 1002, 1003, 1004]); // prettier-ignore
  assert.ok((await changes(account)) > 0);
});

test('an account takes the versions and cells of its zones along', async () => {
  const account = await newAccount();
  await zones.create.work(connection, account, depot, 1000);
  await accounts.remove.work(connection, account);
  assert.equal(await count('zone_versions where account_id = $1', account), 0);
  assert.equal(await count('zone_cells where account_id = $1', account), 0);
});

// Acknowledged means durable: killed, stopped or refused by its own database, the service keeps every report that it acknowledged, once.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { benchImeis } from '../../bench/imeis.ts';
import { startLoad, type Acknowledged } from '../../bench/load.ts';
import { Device, record } from '../devices.ts';
import { ask, Client } from '../http.ts';
import { World } from '../world.ts';

const imeis = benchImeis(48);
const [imei = '', other = ''] = imeis;
const day = 86_400_000;
const start = Math.floor(Date.now() / day) * day - 60 * day;

/** Devices that send as fast as they are acknowledged. */
const load = (world: World, round: number) => {
  const [host = '', port = ''] = world.place('teltonika', 'tcp').split(':');
  return startLoad({ host, port: Number(port), imeis, records: 10, rate: null, seconds: 30, start: start + round * 10 * day, step: 1000 });
};

/** Every acknowledged report is in the record, and nothing is there twice. How many were acknowledged. */
function checkRecord(world: World, journal: readonly Acknowledged[]): number {
  const database = new DatabaseSync(join(world.data, 'waypost.db'), { readOnly: true });
  const found = database.prepare(
    `select count(*) as n, count(distinct time) as times from positions join trackers on trackers.id = tracker_id
     where imei = ? and time between ? and ?`,
  );
  let acknowledged = 0;
  for (const entry of journal) {
    const wanted = (entry.to - entry.from) / entry.step + 1;
    const { n, times } = found.get(entry.imei, entry.from, entry.to) as { n: number; times: number };
    assert.deepEqual({ imei: entry.imei, n, times }, { imei: entry.imei, n: wanted, times: wanted });
    acknowledged += wanted;
  }
  const twice = database.prepare('select tracker_id, time from positions group by tracker_id, time having count(*) > 1').all();
  assert.deepEqual(twice, []);
  database.close();
  return acknowledged;
}

async function newWorld(): Promise<{ world: World; key: string }> {
  const world = await World.open();
  const key = await world.addAccount('anna');
  const anna = await Client.signIn(world.http, { key });
  await Promise.all(imeis.map((one) => anna.addTracker(one)));
  return { world, key };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

suite('acknowledged means durable', { concurrency: true }, () => {
  test('killed under full load and started again, three times over, every acknowledged report is there, and none twice', async (t) => {
    const { world, key } = await newWorld();
    const journal: Acknowledged[] = [];
    for (const [round, milliseconds] of [400, 650, 900].entries()) {
      if (round > 0) await world.start();
      const running = load(world, round);
      while (running.acknowledged() === 0) await pause(10);
      await pause(milliseconds);
      assert.equal(await world.stop('SIGKILL'), 'SIGKILL');
      journal.push(...(await running.done).journal);
    }
    await world.start();
    assert.ok(checkRecord(world, journal) > 3 * imeis.length, 'the devices were under way');

    await t.test('the interface shows the same, and the tracker stands where its last position was', async () => {
      const anna = await Client.signIn(world.http, { key });
      const tracker = await anna.tracker(imei);
      const times = new Set((await anna.positions(tracker, '?limit=10000')).map(({ ts }) => Number(ts)));
      assert.equal(tracker.object['pos_ts'], Math.max(...times));
      for (const { from, to, step } of journal.filter((entry) => entry.imei === imei))
        for (let time = from; time <= to; time += step) assert.ok(times.has(time / 1000), new Date(time).toISOString());
    });

    await t.test('told to stop under full load it drains, ends with 0, and every acknowledged report is there', async () => {
      const running = load(world, 3);
      while (running.acknowledged() === 0) await pause(10);
      await pause(300);
      const asked = performance.now();
      assert.equal(await world.stop('SIGTERM'), 0);
      assert.ok(performance.now() - asked < 8000, 'it does not dawdle');
      assert.ok(checkRecord(world, (await running.done).journal) > imeis.length);
    });
    await world.close();
  });

  test('what cannot be committed is not acknowledged, and what is sent again then is', async () => {
    const { world } = await newWorld();
    const device = await Device.login(world.place('teltonika', 'tcp'), imei);
    const holder = new DatabaseSync(join(world.data, 'waypost.db'));
    holder.exec('begin immediate');
    const lost = device.send([record(start), record(start + 1000)]);
    await pause(200);
    const waiting = ask(`${world.place('osmand', 'http')}/?id=${other}&timestamp=${start / 1000}&lat=48&lon=16`);
    assert.equal(await lost, null, 'hung up without an acknowledgement');
    holder.exec('rollback');
    holder.close();
    assert.equal((await waiting).status, 200, 'what could wait is taken');
    assert.equal(await world.metric('waypost_reports_failed_total', { transport: 'tcp' }), 2);
    assert.equal(await world.metric('waypost_reports_acknowledged_total', { transport: 'tcp' }), 0);

    const again = await Device.login(world.place('teltonika', 'tcp'), imei);
    assert.equal(await again.send([record(start), record(start + 1000)]), 2);
    again.close();
    assert.equal(checkRecord(world, [{ imei, from: start, to: start + 1000, step: 1000 }]), 2);
    await world.close();
  });
});

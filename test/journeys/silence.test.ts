// What needs no report to come: a tracker that is silent for too long is offline, and a trip on which nothing more is heard is over.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Thing } from '../http.ts';
import { until, World } from '../world.ts';

const world = await World.open('--offline-after', '3', '--gap-time', '10');
after(() => world.close());
const anna = await world.newClient('anna');

const report = async (imei: string, time: number, latitude: number, more = ''): Promise<void> => {
  const query = `id=${imei}&timestamp=${time}&lat=${latitude}&lon=16&speed=20${more}`;
  assert.equal((await ask(`${world.place('osmand', 'http')}/?${query}`)).status, 200);
};

const events = async (imei: string): Promise<Thing[]> => (await anna.ask((await anna.tracker(imei)).link('events_url'))).list('events');

const named = async (imei: string, name: string): Promise<Thing | null> =>
  (await events(imei)).find((event) => event['event_name'] === name) ?? null;

test('a tracker that is silent for too long is offline though nothing comes, and online again when it is heard, each once', async () => {
  const imei = '356307042441013';
  await anna.addTracker(imei);
  const now = Math.floor(Date.now() / 1000);
  await report(imei, now, 48);
  const offline = await until('offline', () => named(imei, 'offline'), 15_000);
  assert.ok(Math.abs(Number(offline['ts']) - (now + 3)) <= 2);
  assert.equal(offline['latitude'], 48);
  await report(imei, now + 5, 48);
  await until('online', () => named(imei, 'online'));
  await report(imei, now + 6, 48);
  assert.deepEqual(
    (await events(imei)).map((event) => event['event_name']),
    ['offline', 'online'],
  );
});

test('a trip ends when its tracker falls silent; a report that leads on takes that back', async () => {
  const imei = '356307042441021';
  const tracker = await anna.addTracker(imei);
  const start = Math.floor(Date.now() / 1000) - 7200;
  for (let i = 0; i < 20; i++) {
    await report(imei, start + 5 * i, 48 + 0.001 * i);
    // While a device sends what it recorded hours ago, it is not silent: no end is told in between.
    if (i > 16) await pause(1500);
    assert.equal(await named(imei, 'trip end'), null);
  }
  const trips = async (): Promise<Thing[]> => (await anna.ask(tracker.link('trips_url'))).list('trips');
  const end = await until('the end of the trip', () => named(imei, 'trip end'), 25_000);
  assert.equal(end['ts'], start + 95);
  const [ended] = await trips();
  assert.deepEqual([ended?.['end_ts'], (ended?.['end'] as Thing | undefined)?.['latitude']], [start + 95, 48.019]);

  await report(imei, start + 100, 48.02);
  await until('the new end', async () => ((await named(imei, 'trip end'))?.['ts'] === start + 100 ? true : null), 25_000);
  assert.equal((await trips()).length, 1);
  // A hole behind which it goes on elsewhere: the end that was told is the end that the fix shows.
  await report(imei, start + 5000, 48.5);
  assert.deepEqual(
    (await events(imei)).filter((event) => event['event_name'] === 'trip end').map(({ ts }) => ts),
    [start + 100],
  );
  const { code, stdout, stderr } = await world.run(['rebuild', '--imei', imei, '--gap-time', '10']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /nothing came out differently|a running server/);
});

test('with derivation off, what is heard is told all the same', async () => {
  const bare = await World.open('--offline-after', '3', '--derivation', 'off');
  const bert = await bare.newClient('bert');
  const tracker = await bert.addTracker('356307042441013');
  const made = await bert.ask(bert.gateway.link('targets_url'), { json: { name: 'Bert', type: 'email', address: 'bert@example.org' } });
  const target = await bert.ask(made.location);
  for (const event_id of [10, 11])
    await bert.ask(tracker.link('event_notifications_url'), { json: { event_id, target_url: target.link('url') } });
  const told = async (): Promise<number> => (await bert.ask(target.link('deliveries_url'))).list('deliveries').length;
  const send = () => ask(`${bare.place('osmand', 'http')}/?id=356307042441013&timestamp=${Math.floor(Date.now() / 1000)}&lat=48&lon=16`);
  await send();
  await until('offline', async () => ((await told()) === 1 ? true : null), 15_000);
  await send();
  await until('online', async () => ((await told()) === 2 ? true : null));
  await bare.close();
});

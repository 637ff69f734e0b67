// The command as programs and people rely on it: words, standard output, exit codes, beside a running server.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Device, record } from '../devices.ts';
import { ask, Client, type Thing } from '../http.ts';
import { PASSWORD, run, World, type Run } from '../world.ts';

const world = await World.open();
after(() => world.close());
const imei = '356307042441013';
const start = Date.UTC(2026, 0, 1);

/** The JSON of a command that must succeed: one line. */
async function told(words: readonly string[], input = ''): Promise<unknown> {
  const { code, stdout, stderr } = await world.run([...words, '--json'], input);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^[^\n]+\n$/);
  return JSON.parse(stdout);
}

/** What a command that must fail says. */
function refusal({ code, stdout, stderr }: Run, wanted: number): string {
  assert.equal(code, wanted, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /^(waypost|error): \S/m);
  assert.doesNotMatch(stderr, /\n\s+at /, 'a stack is for bugs');
  return stderr;
}

test('account add prints the name and a key of 40 hexadecimal digits that lets in at once', async () => {
  const made = (await told(
    ['account', 'add', 'anna', '--email', 'anna@example.org', '--timezone', 'Europe/Vienna', '--password-stdin'],
    `${PASSWORD}\nmore`,
  )) as Thing;
  assert.deepEqual(Object.keys(made), ['username', 'key']);
  assert.equal(made['username'], 'anna');
  assert.match(String(made['key']), /^[0-9a-f]{40}$/);
  const byKey = await Client.signIn(world.http, { key: made['key'] });
  assert.equal(byKey.gateway.object['timezone'], 'Europe/Vienna');
  await Client.signIn(world.http, { username: 'anna', password: PASSWORD });
});

test('account list, password and key do what they say beside the running server', async () => {
  const [row] = (await told(['account', 'list'])) as Thing[];
  const { created_ts, ...rest } = row ?? {};
  assert.ok(Number(created_ts) > 1_700_000_000);
  assert.deepEqual(rest, { username: 'anna', name: 'anna', email: 'anna@example.org', timezone: 'Europe/Vienna', trackers: 0 });
  const before = await Client.signIn(world.http, { username: 'anna', password: PASSWORD });
  await told(['account', 'password', 'anna', '--password-stdin'], 'another password\n');
  assert.equal((await before.ask(before.gateway.url)).status, 401, 'tokens die with the old password');
  await Client.signIn(world.http, { username: 'anna', password: 'another password' });
  const { key } = (await told(['account', 'key', 'anna'])) as { key: string };
  await Client.signIn(world.http, { key });
});

test('tracker add lets a device in at once; list shows when it was heard; remove turns it away', async () => {
  const add = ['tracker', 'add', '--account', 'anna', '--imei', imei, '--name', 'Van 3', '--model', 'FMB920'];
  assert.deepEqual(await told(add), { imei, name: 'Van 3', model: 'FMB920', account: 'anna' });
  const device = await Device.login(world.place('teltonika', 'tcp'), imei);
  assert.equal(await device.send([record(start)]), 1);
  device.close();
  const [row] = (await told(['tracker', 'list', '--account', 'anna'])) as Thing[];
  const { comm_ts, ...rest } = row ?? {};
  assert.ok(Math.abs(Number(comm_ts) - Date.now() / 1000) < 60);
  assert.deepEqual(rest, { account: 'anna', imei, name: 'Van 3', model: 'FMB920', pos_ts: start / 1000 });
  refusal(await world.run(add), 3);
  refusal(await world.run(['tracker', 'remove', '--imei', imei]), 2);
  assert.deepEqual(await told(['tracker', 'remove', '--imei', imei, '--yes']), { imei });
  await assert.rejects(Device.login(world.place('teltonika', 'tcp'), imei), /answered 00/);
  await told(add);
});

test('what a person reads is there without --json, too', async () => {
  for (const [words, wanted] of [
    [['account', 'list'], /user name\s+name\s+email[^\n]*\n.*anna\s+anna\s+anna@example\.org\s+Europe\/Vienna/s],
    [['tracker', 'list'], /356307042441013\s+Van 3\s+FMB920\s+never\s+never/],
    [['tracker', 'list', '--unknown'], /unknown device|imei\s+protocol/],
  ] as const) {
    const { code, stdout } = await world.run(words);
    assert.equal(code, 0);
    assert.match(stdout, wanted);
  }
});

test('import reads GPX, CSV and NMEA, packed or not, tells what it left out, and stores nothing twice', async () => {
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(world.data, name), content);
    return join(world.data, name);
  };
  const point = (i: number): string => `<trkpt lat="48.${i}" lon="16.5"><time>2026-03-01T10:00:0${i}Z</time></trkpt>`;
  const gpx = `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${[0, 1, 2].map(point).join('')}</trkseg></trk></gpx>`;
  const files = [
    file('ride.gpx', gpx),
    file('same.gpx.gz', gzipSync(gpx)),
    file('ride.csv', 'time,lat,lon,speed\n2026-03-02T10:00:00Z,48.1,16.1,36\nyesterday,48.1,16.1,36\n1772445601,48.2,16.1,\n'),
    file(
      'ride.nmea',
      '$GPRMC,100000.00,A,4807.038,N,01131.000,E,022.4,084.4,030326,003.1,W*4F\r\n'.replace(
        /\$(.*)\*../,
        (_, body: string) => `$${body}*${checksum(body)}`,
      ),
    ),
  ];
  const outcome = (await told(['import', '--imei', imei, '--account', 'anna', ...files])) as Thing[];
  assert.deepEqual(
    outcome.map(({ format, read, stored, known, skipped }) => [format, read, stored, known, skipped]),
    [
      ['gpx', 3, 3, 0, 0],
      ['gpx', 3, 0, 3, 0],
      ['csv', 2, 2, 0, 1],
      ['nmea', 1, 1, 0, 0],
    ],
  );
  const { stderr } = await world.run(['import', '--imei', imei, String(files[2])]);
  assert.match(stderr, /ride\.csv, line 3: left out: .*yesterday/);
  const { key } = (await told(['account', 'key', 'anna'])) as { key: string };
  const anna = await Client.signIn(world.http, { key });
  assert.equal((await anna.positions(await anna.tracker(imei))).length, 6);

  refusal(await world.run(['import', '--imei', '356307042441021', String(files[0])]), 3);
  refusal(await world.run(['import', '--imei', imei, '--account', 'nobody', String(files[0])]), 3);
  refusal(await world.run(['import', '--imei', imei, join(world.data, 'missing.gpx')]), 1);
  assert.match(refusal(await world.run(['import', '--imei', imei, file('what.txt', 'hello')]), 2), /--format/);
  assert.match(refusal(await world.run(['import', '--imei', imei, file('half.gpx', gpx.slice(0, -30))]), 2), /cannot be read/);
});

const checksum = (body: string): string =>
  Buffer.from(body)
    .reduce((sum, byte) => sum ^ byte, 0)
    .toString(16)
    .toUpperCase()
    .padStart(2, '0');

test('a backup taken beside the running server is a data folder that serves the same data to the same credentials', async () => {
  const { key } = (await told(['account', 'key', 'anna'])) as { key: string };
  const anna = await Client.signIn(world.http, { key });
  const folder = join(world.data, 'backups', 'one');
  const made = (await told(['backup', folder])) as Thing;
  assert.deepEqual([made['folder'], made['key'], Number(made['bytes']) > 0], [folder, true, true]);
  assert.equal(statSync(join(folder, 'waypost.db')).mode & 0o777, 0o600);
  assert.match(refusal(await world.run(['backup', folder]), 3), /there already/);

  const here = await anna.tracker(imei);
  const positions = await anna.positions(here);
  const copy = new World();
  cpSync(folder, copy.data, { recursive: true });
  await copy.start();
  try {
    const there = await Client.signIn(copy.http, { username: 'anna', password: 'another password' });
    const tracker = await there.tracker(imei);
    assert.deepEqual([tracker.object, await there.positions(tracker)], [here.object, positions]);
    const listening = await ask((await ask(copy.http)).location, { headers: { authorization: `X-Token ${anna.token}` } });
    assert.equal(listening.status, 200, 'a token lives on in the copy');
  } finally {
    await copy.close();
  }
});

test('account remove takes its trackers and tokens with it', async () => {
  const { key } = (await told(['account', 'add', 'bert', '--password-stdin'], `${PASSWORD}\n`)) as { key: string };
  const bert = await Client.signIn(world.http, { key });
  await bert.addTracker('356307042441021');
  assert.match(refusal(await world.run(['account', 'remove', 'bert']), 2), /--yes/);
  await told(['account', 'remove', 'bert', '--yes']);
  assert.equal((await bert.ask(bert.gateway.url)).status, 401);
  await assert.rejects(Device.login(world.place('teltonika', 'tcp'), '356307042441021'), /answered 00/);
  refusal(await world.run(['account', 'remove', 'bert', '--yes']), 3);
});

test('what is wrongly called is 2, what is not there or in use 3, each with a sentence that says what to do', async () => {
  const add = (name: string, input: string, ...more: string[]): Promise<Run> =>
    world.run(['account', 'add', name, '--password-stdin', ...more], input);
  assert.match(refusal(await add('a:b', `${PASSWORD}\n`), 2), /user name/);
  assert.match(refusal(await add('carl', 'short\n'), 2), /8 to 1024/);
  assert.match(refusal(await add('carl', ''), 2), /empty/);
  assert.match(refusal(await add('anna', `${PASSWORD}\n`), 3), /already/);
  const both = refusal(await add('carl', `${PASSWORD}\n`, '--email', 'x', '--timezone', 'Mars/Base'), 2);
  assert.match(both, /mail address[^]*time zone/, 'all at once');
  assert.match(refusal(await world.run(['account', 'key', 'nobody']), 3), /account list/);
  assert.match(refusal(await world.run(['tracker', 'add', '--account', 'anna', '--imei', '356307042441014']), 2), /check digit is 3/);
  assert.match(refusal(await world.run(['tracker', 'add', '--account', 'anna']), 2), /--imei/);
  assert.match(refusal(await run(['acount']), 2), /account/);
  assert.match(refusal(await run(['account', 'add', 'x', '--colour', 'red']), 2), /--colour/);
  assert.match(refusal(await run(['account', 'list', '--data', join(world.data, 'waypost.db')]), 3), /waypost\.db/);
});

test('settings come from flags, then the environment, then a file; all that is wrong is told at once', async () => {
  const config = join(world.data, 'settings.json');
  writeFileSync(config, JSON.stringify({ data: join(world.data, 'from-file'), port: 0, 'log-level': 'silent' }));
  const list = (words: string[], variables: Record<string, string>): Promise<Run> =>
    run(['account', 'list', '--json', ...words], '', variables);
  // None of them has a database: the sentence names the folder that was meant.
  assert.match((await list(['--config', config], {})).stderr, /from-file;/);
  assert.match((await list([], { WAYPOST_CONFIG: config, WAYPOST_DATA: join(world.data, 'from-env') })).stderr, /from-env;/);
  const both = { WAYPOST_CONFIG: config, WAYPOST_DATA: join(world.data, 'from-env') };
  assert.match((await list(['--data', join(world.data, 'from-flag')], both)).stderr, /from-flag;/);

  writeFileSync(config, JSON.stringify({ prot: 1, 'body-limit': true }));
  const wrong = refusal(
    await run(['serve', '--port', '70000', '--config', config], '', { WAYPOST_LOG_LEVEL: 'loud', WAYPOST_HOTS: 'x' }),
    2,
  );
  for (const piece of ['--port', 'WAYPOST_LOG_LEVEL', 'WAYPOST_HOST?', '"prot"', 'port?', 'body-limit'])
    assert.ok(wrong.includes(piece), `${piece} in ${wrong}`);
  assert.match(refusal(await run(['serve', '--config', join(world.data, 'missing.json')]), 1), /missing\.json/);
});

test('a port in use and a data folder that cannot be written are told in a sentence', async () => {
  const port = new URL(world.http).port;
  const off = ['--teltonika-port', 'off', '--osmand-port', 'off', '--metrics-port', 'off', '--log-level', 'silent'];
  const inUse = await run(['serve', '--data', join(world.data, 'other'), '--port', port, ...off]);
  assert.match(refusal(inUse, 1), new RegExp(`${port} is in use`));
  const file = await run(['serve', '--data', join(world.data, 'settings.json', 'inside'), '--port', '0', ...off]);
  assert.match(refusal(file, 1), /settings\.json.inside.* cannot be read|not a folder/);
});

test('ports that are off are not listened on, and the line of JSON says what is', async () => {
  const quiet = new World();
  await quiet.start('--teltonika-port', 'off', '--metrics-port', 'off');
  const { event, http, protocols, metrics } = quiet.listening;
  assert.deepEqual([event, Object.keys(protocols), metrics], ['listening', ['osmand'], undefined]);
  assert.match(http ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(protocols['osmand']?.['http'] ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  await quiet.close();
  const { teltonika } = world.listening.protocols;
  assert.equal(teltonika?.['tcp'], teltonika?.['udp']);
});

test('every command tells its use with --help, and the whole its version', async () => {
  const words = [[], ['serve'], ['demo'], ['account'], ['account', 'add'], ['tracker', 'list'], ['import'], ['backup']];
  await Promise.all(
    words.map(async (command) => {
      const { code, stdout, stderr } = await run([...command, '--help']);
      assert.deepEqual([code, stderr], [0, ''], command.join(' '));
      assert.match(stdout, new RegExp(`^Usage: waypost ${command.join(' ')}`.trim()));
    }),
  );
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };
  assert.deepEqual(await run(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('a second service on the same data is refused in a sentence; after SIGKILL the next one starts', async () => {
  const other = await World.open();
  const { code, stderr } = await other.run([
    'serve',
    '--port',
    '0',
    '--teltonika-port',
    'off',
    '--osmand-port',
    'off',
    '--metrics-port',
    'off',
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /another waypost serves .*stop it first/);
  await other.stop('SIGKILL');
  await other.start();
  assert.equal(await other.stop(), 0);
  await other.close();
});

test('a signal that comes twice at once is one: what is under way is finished', async () => {
  const other = await World.open();
  other.signal('SIGTERM');
  assert.equal(await other.stop('SIGTERM'), 0);
  await other.close();
});

test('a mistyped data folder is told, and not made', async () => {
  const folder = join(tmpdir(), `waypost-none-${process.pid}`);
  for (const words of [
    ['account', 'list'],
    ['tracker', 'list'],
  ]) {
    const { code, stderr } = await run([...words, '--data', folder]);
    assert.equal(code, 3);
    assert.match(stderr, /there is no database in .*--data/);
  }
  assert.equal(existsSync(folder), false);
});

test('a data folder with something else for a database is told in a sentence', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-junk-'));
  writeFileSync(join(folder, 'waypost.db'), 'this is no database, however long it is'.repeat(200));
  const { code, stderr } = await run(['account', 'list', '--data', folder]);
  assert.equal(code, 1);
  assert.match(stderr, /this file is no database; restore a backup/);
  rmSync(folder, { recursive: true });
});

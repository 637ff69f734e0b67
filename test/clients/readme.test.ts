// The tour of the README, run as it stands against the demo, with curl. Needs sh and curl, so it is no part of `npm test`.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'waypost-readme-'));
const demo = spawn(join(root, 'bin/waypost'), ['demo', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });

interface Ready {
  http: string;
  protocols: { osmand: { http: string } };
  password: string;
  key: string;
}
let variables: Record<string, string> = {};

before(async () => {
  assert.equal(spawnSync('curl', ['--version']).status, 0, 'the tour is a tour with curl, and there is no curl here: install it');
  for await (const line of createInterface(demo.stdout)) {
    const { http, protocols, password, key } = JSON.parse(line) as Ready;
    variables = { service: `${http}/rest/v2`, devices: protocols.osmand.http, password, key };
    return;
  }
  assert.fail('the demo ended before it was ready');
});

after(() => {
  demo.kill();
  rmSync(folder, { recursive: true });
});

/** What each block of commands must answer, in their order. */
const answers: readonly (readonly RegExp[])[] = [
  [/"token_valid":true/, /"trackers_url":"trackers\?_token=/],
  [/"auth_basic_valid":true/, /"username":"demo"/],
  [/"trackers":\[\{"url":"trackers\/001001000000015"/, /"live_url":"live\?since=\d+"/],
  [/^retry: 5000$/m, /^event: update$/m, /^data: \{"imei":"/m],
  [/"positions":\[\{"ts":\d+/, /"next_url":"positions\?limit=2&after=/],
  [/<positions type="array"><item type="object"><ts>\d+<\/ts>/],
  [/"trips":\[\{"url":"trips\/\d+","start_ts":\d+/, /"days":\[\{"day_dt":"\d{4}-\d\d-\d\d","drive_t":"/],
  [/"name":"Depot","type":"circle"/],
  [/<points type="array"><item type="object"\/?>/, /<latitude>invalid<\/latitude>/, /<name>taken<\/name>/],
  [/"imei":"356307042441013","name":"Phone"/],
  [/"latitude":47\.5437,"longitude":20\.9778,"speed":22\.224/],
  [/"zone_url":"[^"]*zones\/\d+","tracker_url":"[^"]*","cross_type":"entry"/],
  [/"event_name":"zone crossing"[^}]*"zone_name":"Depot"[^}]*"cross_type":"entry"/, /"deliveries":\[\{[^}]*"state":"waiting"/],
];

/** Between the answers to one block and the next. */
const MARK = '-- next --';

test('every command of the tour does what the README says', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const tour = /^## A tour in five minutes$([^]*?)^## /m.exec(readme)?.[1] ?? '';
  const [assignments = '', ...blocks] = [...tour.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  assert.deepEqual(
    assignments
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('=')[0]),
    Object.keys(variables),
  );
  assert.equal(blocks.length, answers.length);
  // In one shell, as a person has it: what a block sets, a later one uses.
  const script = blocks.map((block) => `${block}\necho '${MARK}'\n`).join('');
  const run = spawnSync('sh', ['-eu', '-c', script], {
    cwd: folder,
    env: { ...process.env, ...variables },
    encoding: 'utf8',
    timeout: 60_000,
  });
  const told = run.stdout.split(MARK);
  for (const [i, block] of blocks.entries())
    for (const pattern of answers[i] ?? []) assert.match(told[i] ?? '', pattern, `${block}\n${run.stderr}`);
  assert.equal(run.status, 0, run.stderr);
  for (const file of ['van-1.gpx', 'trips.gpx'])
    assert.match(readFileSync(join(folder, file), 'utf8'), /<trkpt lat="47\.[^]*<\/gpx>\n$/, file);
});

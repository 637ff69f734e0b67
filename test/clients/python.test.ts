// Python's requests, urllib and xml.etree against the real service. Needs python3 with requests; without them these tests fail and say so.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Thing } from '../http.ts';
import { World } from '../world.ts';

const world = await World.open();
after(() => world.close());
const [user, password] = ['anna', 'a pässword for Python'];
const key = await world.addAccount(user, password);

async function python(...words: string[]): Promise<string> {
  const child = spawn('python3', words, { env: { ...process.env, NO_PROXY: '127.0.0.1', PYTHONDONTWRITEBYTECODE: '1' } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const end = await Promise.race([once(child, 'close'), once(child, 'error')]);
  if (end[0] instanceof Error) throw new Error('python3 is not installed; these tests need it, with requests', { cause: end[0] });
  if (stderr.includes("No module named 'requests'")) throw new Error('python3 has no requests; these tests need it (pip install requests)');
  assert.equal(end[0], 0, stderr);
  return stdout;
}

test('a client in Python gets in by every scheme, and reads and writes in JSON, XML and forms', async () => {
  const seen = JSON.parse(await python(join(import.meta.dirname, 'client.py'), world.http, user, password, key)) as Thing;
  const { sample, ...rest } = seen;
  assert.deepEqual(rest, {
    entrance: 401,
    basic: [[200, true], [200, true], [200, true], [200, 'basic'], 401],
    digest: [[200, true], [200, true], [200, true], [200, 'digest'], 401],
    token: [200, 1, 'true', true],
    put: [200, true],
    fault: [400, { driver: { name: 'empty' } }],
    made: [200, 'Füchse & "Dächse" <1>'],
    positions: true,
    gpx: ['{http://www.topografix.com/GPX/1/1}gpx', 25],
    kml: ['{http://www.opengis.net/kml/2.2}kml', 25],
    missing: [404, '404'],
    deleted: 200,
    'urllib basic': [200, true],
    'urllib token': [200, true],
    'urllib cookie': [200, true],
  });
  const { ts, ...shape } = sample as Thing;
  assert.match(String(ts), /^\d+$/);
  assert.deepEqual(shape, {
    url: 'sample',
    trips: [
      { drive_t: '02:33:08', drive_dist: '187.8992' },
      { drive_t: '00:12:40', drive_dist: '7.25' },
    ],
    driver: { name: 'Zaphod', occupation: 'President', speed: '0.7c' },
  });
});

// curl in all its ways of signing in, against the real service. Needs curl; without it these tests fail and say so.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Thing } from '../http.ts';
import { PASSWORD, World } from '../world.ts';

const world = await World.open();
after(() => world.close());
const user = 'änna müller';
const password = `${PASSWORD} ü€"'&`;
const key = await world.addAccount(user, password);
const imei = '356307042441013';
const gateway = `${world.http}/rest/v2/gateway`;

interface Reply {
  /** Status of the last answer, and how many redirects were followed; curl counts answers to challenges among them. */
  status: number;
  redirects: number;
  type: string;
  body: string;
  object: Thing;
}

async function curl(...words: string[]): Promise<Reply> {
  const child = spawn('curl', [
    '--silent',
    '--show-error',
    '--max-time',
    '20',
    '--noproxy',
    '*',
    '--write-out',
    '\n%{http_code} %{num_redirects} %{content_type}',
    ...words,
  ]);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const end = await Promise.race([once(child, 'close'), once(child, 'error')]);
  if (end[0] instanceof Error) throw new Error('curl is not installed; these tests need it (apt-get install curl)', { cause: end[0] });
  assert.equal(end[0], 0, stderr);
  const at = stdout.lastIndexOf('\n');
  const [status, redirects, ...type] = stdout.slice(at + 1).split(' ');
  const body = stdout.slice(0, at);
  const object = body.startsWith('{') ? (JSON.parse(body) as Thing) : {};
  return { status: Number(status), redirects: Number(redirects), type: type.join(' '), body, object };
}

for (const [mode, shown] of [
  ['--basic', 'auth_basic_valid'],
  ['--digest', 'auth_digest_valid'],
  ['--anyauth', 'auth_digest_valid'],
] as const) {
  test(`curl ${mode}: lets in, reads in JSON and XML, creates and follows, changes and deletes`, async () => {
    const auth = [mode, '--user', `${user}:${password}`];
    const read = await curl(...auth, gateway);
    assert.deepEqual([read.status, read.object[shown]], [200, true]);
    const xml = await curl(...auth, '--header', 'Accept: application/xml', gateway);
    assert.match(xml.type, /^application\/xml/);
    assert.ok(xml.body.includes(`<${shown}>true</${shown}>`));

    // A body has to be sent again once the challenge is known.
    const made = await curl(...auth, '--location', '--json', JSON.stringify({ imei, name: mode }), `${world.http}/rest/v2/trackers`);
    assert.deepEqual([made.status, made.object['name']], [200, mode]);
    const tracker = `${world.http}/rest/v2/trackers/${imei}`;
    const file = join(world.data, 'tracker.xml');
    const asXml = await curl(...auth, `${tracker}?_format=xml`);
    writeFileSync(file, asXml.body);
    const put = await curl(
      ...auth,
      '--upload-file',
      file,
      '--header',
      'Content-Type: application/xml',
      '--header',
      'Expect: 100-continue',
      `${tracker}?_format=xml`,
    );
    assert.deepEqual([put.status, put.body], [200, asXml.body]);
    const form = await curl(...auth, '--location', '--data', 'ts=1700000000&latitude=48.2&longitude=16.4', `${tracker}/positions`);
    assert.equal((form.object['positions'] as Thing[])[0]?.['latitude'], 48.2);
    assert.equal((await curl(...auth, '--head', tracker)).status, 200);
    const two = await curl(...auth, '--output', '/dev/null', gateway, tracker);
    assert.deepEqual([two.status, two.body.includes(`"name":"${mode}"`)], [200, true], 'a second request on the same connection counts on');
    const gone = await curl(...auth, '--request', 'DELETE', tracker);
    assert.deepEqual([gone.status, gone.body], [200, '']);
  });

  test(`curl ${mode}: a wrong password is 401, and the address of the scheme leads to the gateway`, async () => {
    assert.equal((await curl(mode, '--user', `${user}:wrong`, gateway)).status, 401);
    const address = `${world.http}/rest/v2/${mode === '--basic' ? 'auth-basic' : 'auth-digest'}`;
    const followed = await curl(mode, '--user', `${user}:${password}`, '--location', address);
    assert.deepEqual([followed.status, followed.object[shown]], [200, true]);
  });
}

test('curl with a cookie jar: one POST and its redirect sign in, the jar alone goes on, signing out empties it', async () => {
  const jar = join(world.data, 'jar');
  const cookies = ['--cookie', jar, '--cookie-jar', jar];
  const token = `${world.http}/rest/v2/token`;
  const form = ['--data-urlencode', `username=${user}`, '--data-urlencode', `password=${password}`];
  const signedIn = await curl(...cookies, '--location', ...form, token);
  assert.deepEqual([signedIn.status, signedIn.redirects, signedIn.object['token_valid']], [200, 1, true]);
  assert.equal(signedIn.object['trackers_url'], 'trackers', 'the cookie came along, so the links need no token');
  assert.match(readFileSync(jar, 'utf8'), /#HttpOnly_127\.0\.0\.1\s+FALSE\s+\/rest\/v2\/\s+FALSE\s+\d+\s+token\s/);
  const byJar = await curl(...cookies, gateway);
  assert.deepEqual([byJar.status, byJar.object['token_valid'], byJar.object['token']], [200, true, undefined]);
  const page = await curl(...cookies, '--header', 'Accept: text/html', gateway);
  assert.match(page.body, /<a href="trackers">/);
  assert.equal((await curl(...cookies, '--request', 'DELETE', token)).status, 200);
  assert.equal((await curl(...cookies, gateway)).status, 401);
});

test('curl without cookies: the token in the redirect is enough, and its links carry it on', async () => {
  const signedIn = await curl('--location', '--json', JSON.stringify({ key }), `${world.http}/rest/v2/token`);
  assert.deepEqual([signedIn.status, signedIn.object['token_valid']], [200, true]);
  const next = new URL(String(signedIn.object['account_url']), gateway).href;
  assert.equal((await curl(next)).object['username'], user);
});

test('curl speaks HTTP/1.0, sends chunks, and asks for what has not changed', async () => {
  const auth = ['--basic', '--user', `${user}:${password}`];
  assert.equal((await curl(...auth, '--http1.0', gateway)).status, 200);
  const sample = `${world.http}/rest/v2/sample`;
  const chunked = ['--request', 'PUT', '--header', 'Transfer-Encoding: chunked', '--json', '{"driver":{"name":"Ford"}}'];
  assert.equal(((await curl(...auth, ...chunked, sample)).object['driver'] as Thing)['name'], 'Ford');
  const etag = join(world.data, 'etag');
  assert.equal((await curl(...auth, '--etag-save', etag, sample)).status, 200);
  assert.equal((await curl(...auth, '--etag-compare', etag, sample)).status, 304);
});

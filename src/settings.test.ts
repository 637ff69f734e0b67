import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { protocols } from './protocols/protocols.ts';
import { flagName, variableName } from './setting.ts';
import { readSettings, serveSettings, settingsTable, storeSettings, type Sources } from './settings.ts';

const read = (sources: Partial<Sources>) => readSettings(serveSettings, { flags: {}, env: {}, file: null, ...sources });

function values(sources: Partial<Sources>) {
  const outcome = read(sources);
  assert.ok('values' in outcome, JSON.stringify(outcome));
  return outcome.values;
}

function problems(sources: Partial<Sources>): string[] {
  const outcome = read(sources);
  assert.ok('problems' in outcome);
  return outcome.problems;
}

test('nothing set: the defaults, and those that follow from others', () => {
  const settings = values({});
  assert.equal(settings.data, resolve('data'));
  assert.equal(settings.secretKeyFile, resolve('data/secret.key'));
  assert.equal(settings.port, 8080);
  assert.equal(settings.deviceHost, '127.0.0.1');
  assert.equal(settings['teltonikaPort'], 5027);
  assert.equal(settings['osmandPort'], 5055);
  assert.equal(settings.publicUrl, null);
  assert.deepEqual(settings.trustProxy, []);
  const moved = values({ flags: { data: '/srv/x', host: '::' } });
  assert.equal(moved.secretKeyFile, '/srv/x/secret.key');
  assert.equal(moved.deviceHost, '::');
});

test('flags go before environment, environment before file, file before default', () => {
  const file = { path: 'w.json', content: { port: 3, 'login-timeout': 7, host: '10.0.0.1', 'trust-proxy': ['10.0.0.0/8', '::1'] } };
  const env = { WAYPOST_PORT: '2', WAYPOST_HOST: '10.0.0.2', WAYPOST_DATA: '', PATH: '/bin' };
  const settings = values({ flags: { port: 'off', password: true }, env, file });
  assert.equal(settings.port, 'off');
  assert.equal(settings.host, '10.0.0.2');
  assert.equal(settings.loginTimeout, 7);
  assert.equal(settings.idleTimeout, 1800);
  assert.equal(settings.data, resolve('data'), 'an empty variable is not set');
  assert.deepEqual(settings.trustProxy, ['10.0.0.0/8', '::1']);
});

test('all problems are told at once, each with its place and what is accepted', () => {
  const told = problems({
    flags: { port: '99999' },
    env: { WAYPOST_PORT: 'x', WAYPOST_REGISTRATON: 'open', WAYPOST_LOGIN_TIMEOUT: '1e1', WAYPOST_CONFIG: 'w.json' },
    file: {
      path: 'w.json',
      content: { hots: 'a', host: 'a b', data: { a: 1 }, 'trust-proxy': ['10.0.0.0/33'], 'public-url': 'https://a.example/b' },
    },
  });
  assert.deepEqual(told.toSorted(), [
    '"data" in w.json: a text, a number or a list of texts is expected',
    '"host" in w.json: "a b" is not an IP address or a host name',
    '"hots" in w.json is no setting; did you mean host?',
    '"public-url" in w.json: "https://a.example/b" is not an address such as https://gps.example.org, without a path',
    '"trust-proxy" in w.json: "10.0.0.0/33" is not a list of IP addresses and ranges such as 10.0.0.0/8, between commas',
    '--port: "99999" is not a port from 1 to 65535, 0 for any free one, or off',
    'WAYPOST_LOGIN_TIMEOUT: "1e1" is not a whole number from 1 to 3600',
    'WAYPOST_PORT: "x" is not a port from 1 to 65535, 0 for any free one, or off',
    'WAYPOST_REGISTRATON is no setting; did you mean WAYPOST_REGISTRATION?',
  ]);
  assert.deepEqual(problems({ file: { path: 'w.json', content: [] } }), [
    'w.json must hold one JSON object of settings, such as { "port": 8080 }',
  ]);
});

test('a command that uses a part of the settings lives with a file and an environment that hold them all', () => {
  const sources = { flags: {}, env: { WAYPOST_PORT: 'nonsense' }, file: { path: 'w.json', content: { data: '/srv/x', 'max-page': 5 } } };
  const outcome = readSettings(storeSettings, sources);
  assert.deepEqual(outcome, { values: { data: '/srv/x', secretKeyFile: '/srv/x/secret.key', logLevel: 'info' } });
});

test('whatever is set, there is an answer, and every number lies within its bounds', () => {
  const anything = fc.dictionary(fc.constantFrom(...Object.keys(serveSettings).map(flagName), '__proto__', 'x'), fc.jsonValue());
  fc.assert(
    fc.property(anything, fc.option(fc.string()), (content, variable) => {
      const outcome = read({ file: { path: 'w.json', content }, env: { WAYPOST_IDLE_TIMEOUT: variable ?? undefined } });
      if ('values' in outcome)
        assert.ok(outcome.values.idleTimeout >= 10 && outcome.values.maxPage <= 100_000 && outcome.values.host !== '');
      else assert.ok(outcome.problems.length > 0 && outcome.problems.every((problem) => problem.length < 500));
    }),
    { numRuns: 200 },
  );
});

test('names are derived one way and the table has a row for each', () => {
  assert.equal(flagName('maxConnectionsPerAddress'), 'max-connections-per-address');
  assert.equal(variableName('maxConnectionsPerAddress'), 'WAYPOST_MAX_CONNECTIONS_PER_ADDRESS');
  for (const { name } of protocols) assert.match(name, /^[a-z][a-z\d]*$/, 'a name that makes a setting');
  const table = settingsTable(serveSettings);
  assert.equal(table.split('\n').length, Object.keys(serveSettings).length + 2);
  for (const row of table.split('\n')) assert.equal(row.match(/(?<!\\)\|/g)?.length, 6, row);
});

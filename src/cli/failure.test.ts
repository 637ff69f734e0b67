import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command } from 'commander';
import { Fault, Refusal } from '../basics/errors.ts';
import { serveSettings } from '../settings.ts';
import { explain, WrongUsage } from './failure.ts';
import { addSettings, settingsOf } from './options.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('each sort of error has its sentence and its exit code', async () => {
  assert.deepEqual(explain(new WrongUsage(['a', 'b'])), { text: 'waypost: a\nwaypost: b', code: 2 });
  assert.deepEqual(explain(new Refusal(404, 'there is no account bert')), { text: 'waypost: there is no account bert', code: 3 });
  assert.deepEqual(explain(new Refusal(409, 'taken')), { text: 'waypost: taken', code: 3 });
  assert.equal(explain(new Refusal(400, 'bad')).code, 2);
  assert.deepEqual(explain(new Fault('the database is busy', true)), {
    text: 'waypost: the database is busy; trying again may help',
    code: 1,
  });
  assert.deepEqual(explain(thrownBy(() => readFileSync('/nowhere/x'))), { text: 'waypost: /nowhere/x: it is not there', code: 1 });
  assert.match(explain(new TypeError('x')).text, /bug in waypost[^]*TypeError: x\n +at /);
  assert.match(explain('text').text, /bug[^]*text/);

  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const { port } = first.address() as AddressInfo;
  const second = createServer();
  second.listen(port, '127.0.0.1');
  const [error] = await once(second, 'error');
  first.close();
  assert.equal(
    explain(error).text,
    `waypost: 127.0.0.1 port ${port} is in use by another program; choose another port, or 0 for any free one`,
  );
});

function parse(...words: string[]) {
  const command = addSettings(new Command('serve').exitOverride().configureOutput({ writeErr: () => undefined }), serveSettings);
  command.parse(words, { from: 'user' });
  return settingsOf(command, serveSettings);
}

test('settings as options: a flag each, a file by name, and what is wrong with it told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-'));
  const file = (content: string): string => {
    writeFileSync(join(folder, 'w.json'), content);
    return join(folder, 'w.json');
  };
  const settings = parse(
    '--teltonika-port',
    'off',
    '--max-connections-per-address',
    '5',
    '--config',
    file('{"port": 1, "teltonika-port": 2}'),
  );
  assert.deepEqual([settings['teltonikaPort'], settings.maxConnectionsPerAddress, settings.port], ['off', 5, 1]);
  assert.match(String(thrownBy(() => parse('--config', file('{'), '--port', '1'))), /is not JSON/);
  assert.match(String(thrownBy(() => parse('--config', file('[]')))), /one JSON object/);
  assert.equal(
    explain(thrownBy(() => parse('--config', join(folder, 'none.json')))).text,
    `waypost: ${join(folder, 'none.json')}: it is not there`,
  );
  assert.match(String(thrownBy(() => parse('--prot', '1'))), /did you mean --port/i);
});

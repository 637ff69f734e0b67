// bin/waypost, started in every way that it can be: what runs in the end, and how it ends.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'waypost '));
const home = join(folder, 'way post');

/** Stands in for the program, so that what is seen is the doorstep's doing alone. */
const program = `
if (process.argv[2] === 'wait') {
  process.on('SIGTERM', () => process.exit(7));
  setInterval(() => undefined, 1000);
}
const words: string = JSON.stringify(process.argv.slice(2));
console.log(process.pid, words);
`;

before(() => {
  cpSync(join(root, 'bin'), join(home, 'bin'), { recursive: true });
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'));
  for (const part of ['src', 'node_modules/node/bin', 'links']) mkdirSync(join(home, part), { recursive: true });
  writeFileSync(join(home, 'src/main.ts'), program);
  symlinkSync(process.execPath, join(home, 'node_modules/node/bin/node'));
  symlinkSync('../bin/waypost', join(home, 'links/near'));
  symlinkSync(join(home, 'links/near'), join(folder, 'far'));
});

after(() => rmSync(folder, { recursive: true }));

test('from a link to a link, from another folder, with spaces in the path: the words arrive as they were', () => {
  for (const [command, words] of [
    [join(folder, 'far'), []],
    [process.execPath, [join(folder, 'far')]],
    ['sh', ['near']],
  ] as const) {
    const run = spawnSync(command, [...words, 'one', 'two  three', '$HOME'], { cwd: join(home, 'links'), encoding: 'utf8' });
    assert.equal(run.stderr, '');
    assert.match(run.stdout, / \["one","two {2}three","\$HOME"\]\n$/);
  }
});

test('one process is left: its id is the one that was started, and its exit code is the end', async () => {
  const child = spawn(join(folder, 'far'), ['wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  assert.equal(Number.parseInt(line.toString(), 10), child.pid);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [7, null]);
});

test('an older Node hands over, with streams, signals and end; without a newer one it says so in one sentence', async (t) => {
  const older = oldNode();
  if (older === null) return t.skip('there is no older Node on the PATH');
  const child = spawn(older, [join(folder, 'far'), 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [7, null]);

  const killed = spawn(older, [join(folder, 'far'), 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  // The pipe closes only when the real server, which holds the other end, is gone too.
  await once(killed.stdout.resume(), 'end');

  const alone = join(folder, 'alone');
  cpSync(join(root, 'bin'), join(alone, 'bin'), { recursive: true });
  const run = spawnSync(older, [join(alone, 'bin/waypost')], { encoding: 'utf8' });
  assert.equal(run.status, 1);
  assert.match(run.stderr, /^waypost needs Node\.js 26 or newer, and this is v\d.* install .*\n$/);
});

function oldNode(): string | null {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'node'));
  return (
    places.find((node) => Number.parseInt(spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout ?? '', 10) < 26) ??
    null
  );
}

test('the real program tells its version and its commands, and refuses what it does not know', () => {
  const run = (...words: string[]) => spawnSync(join(root, 'bin/waypost'), words, { encoding: 'utf8', cwd: folder });
  assert.equal(run('--version').stdout, `${version}\n`);
  const help = run('--help');
  assert.equal(help.status, 0);
  for (const command of ['serve', 'demo', 'account', 'tracker', 'import', 'backup'])
    assert.match(help.stdout, new RegExp(`^  ${command}\\b`, 'm'));
  const unknown = run('serv');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /did you mean serve/i);
  assert.equal(run('serve', '--port', 'x', '--host', 'a b').status, 2);
});

// The documentation against the program, both ways: what it lists is there, and what is there is listed.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { manuals } from '../docs/generate.ts';
import { commandsOf, program } from '../docs/tables.ts';
import { startService } from '../src/assemble.ts';
import { takeElement, type Attributes } from '../src/protocols/teltonika/elements.ts';
import { variableName } from '../src/setting.ts';
import { configVariable, readSettings, serveSettings } from '../src/settings.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...guides.map((file) => `docs/${file}`)];
const texts = [...pages, 'Dockerfile', 'compose.yaml', 'deploy/waypost.service'];
const everything = pages.map(read).join('\n');

const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
const distinct = (words: Iterable<string>): string[] => [...new Set(words)].toSorted();

/** The first cells of the table under this head, without their code marks. */
function firstCells(file: string, head: string): string[] {
  const lines = read(file).split('\n');
  const at = lines.findIndex((line) => line.startsWith(head));
  assert.notEqual(at, -1, `${file} has no table that begins with ${head}`);
  const rows = lines.slice(at + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? rows.length : end).map((row) => (row.split('|')[1] ?? '').trim().replaceAll('`', ''));
}

/** The words of a type that is a union of them, as its file has it. */
const wordsOfType = (file: string, name: string): string[] =>
  found(new RegExp(`type ${name} = ([^;]+);`).exec(read(file))?.[1] ?? '', /'([^']+)'/g);

test('what the program says of itself stands in the manuals as it says it', () => {
  for (const { path, present, wanted } of manuals())
    assert.equal(present, wanted, `run \`npm run docs\`: ${relative(root, path)} is behind`);
});

test('every WAYPOST_ variable that is written about is a setting', () => {
  const known = new Set([configVariable, ...Object.keys(serveSettings).map(variableName)]);
  const named = texts.flatMap((file) => found(read(file), /\bWAYPOST_[A-Z_]*[A-Z]/g).map((name) => ({ file, name })));
  assert.deepEqual(
    named.filter(({ name }) => !known.has(name)),
    [],
  );
});

test('every link leads to a file that is there, and to a heading that it has', () => {
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
  const broken = pages.flatMap((page) => {
    const targets = found(read(page).replaceAll(/^```[^]*?^```/gm, ''), /\]\(([^)\s]+)\)/g).filter((to) => !/^[a-z]+:/.test(to));
    return targets
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? join(root, page) : join(root, dirname(page), path);
        if (!existsSync(file)) return true;
        if (anchor === undefined || statSync(file).isDirectory()) return false;
        return !found(readFileSync(file, 'utf8'), /^#+ (.+)$/gm)
          .map(slug)
          .includes(anchor);
      })
      .map((target) => `${page}: ${target}`);
  });
  assert.deepEqual(broken, []);
});

test('every page of docs/ is reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached)
    for (const target of found(read(page), /\]\(([^)\s#]+\.md)[^)]*\)/g)) {
      const path = relative(root, join(root, dirname(page), target));
      if (pages.includes(path)) reached.add(path);
    }
  assert.deepEqual(
    pages.filter((page) => page.startsWith('docs/') && !reached.has(page)),
    [],
  );
});

const commands = commandsOf(program());
const flagsOf = (words: string): string[] =>
  commands.filter(({ words: own }) => own.join(' ') === words).flatMap(({ command }) => command.options.map(({ long }) => long ?? ''));

test('commands and flags that are written about exist', () => {
  const unknown: string[] = [];
  // A command line, in a block or between code marks, up to its comment, pipe or end.
  for (const [, line = ''] of everything.matchAll(
    /(?:^|[\s`/])waypost ((?:serve|demo|account|tracker|import|rebuild|backup)\b[^`\n#|]*)/g,
  )) {
    const [first = '', second = ''] = line.trim().split(/\s+/);
    const words = commands.some(({ words: own }) => own.length === 1 && own[0] === first) ? first : `${first} ${second}`;
    const isFamily = second === '' || !/^[a-z]+$/.test(second);
    if (flagsOf(words).length === 0 && !isFamily) unknown.push(`waypost ${line}`);
    for (const flag of found(line, /(?:^|\s)(--[a-z-]+)/g))
      if (flag !== '--help' && !flagsOf(words).includes(flag)) unknown.push(`waypost ${line}: ${flag}`);
  }
  const all = new Set(['--help', '--version', ...commands.flatMap(({ command }) => command.options.map(({ long }) => long ?? ''))]);
  const named = found(everything, /`(--[a-z-]+)[^`]*`/g);
  assert.deepEqual([...unknown, ...named.filter((flag) => !all.has(flag))], []);
});

test('npm scripts that are written about exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = found(everything, /npm run ([a-z:]+)/g);
  assert.deepEqual(
    distinct(named).filter((name) => scripts[name] === undefined),
    [],
  );
});

test('the words of errors and refusals are those of the program', () => {
  const same = (file: string, head: string, source: string, type: string): void =>
    assert.deepEqual(distinct(firstCells(file, head)), distinct(wordsOfType(source, type)), `${file}: ${type}`);
  same('docs/interface.md', '| word |', 'src/kinds/kind.ts', 'FaultWord');
  same('docs/protocols.md', '| reason |', 'src/protocols/protocol.ts', 'BadReason');
  same('docs/operation.md', '| reason |', 'src/intake/metrics.ts', 'CutReason');
});

test('every status that the interface refuses with is in its table', () => {
  const sources = ['api', 'api/auth', 'api/resources', 'formats', 'pipeline'].flatMap((folder) =>
    readdirSync(join(root, 'src', folder)).map((file) => join('src', folder, file)),
  );
  const code = sources.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).map(read);
  const used = distinct(code.flatMap((text) => found(text, /(?:new Refusal|super)\(\s*(\d{3})\b/g)));
  const listed = firstCells('docs/interface.md', '| `_status` | `_error` |');
  assert.ok(used.length > 8);
  assert.deepEqual(
    used.filter((status) => !listed.includes(status)),
    [],
  );
});

test('the IO elements that are listed are those that are understood', () => {
  const understood: string[] = [];
  for (let id = 0; id < 65_536; id++) {
    const attributes: Attributes = {};
    takeElement({ time: 0, latitude: 0, longitude: 0, fixed: true }, attributes, id, 1, 1);
    if (attributes[`io${id}`] === undefined) understood.push(String(id));
  }
  assert.deepEqual(firstCells('docs/protocols.md', '| id |'), understood);
});

test('the rooms of the plan and who may import whom are those that the test of the architecture knows', () => {
  const plan = /const allowed[^{]*\{([^}]*)\}/.exec(read('test/architecture.test.ts'))?.[1] ?? '';
  const rooms = found(plan, /^ {2}([a-z]+):/gm).filter((room) => existsSync(join(root, 'src', room)));
  const listed = firstCells('docs/architecture.md', '| room |').flatMap((cell) => cell.split(', '));
  assert.deepEqual(distinct(listed.filter((cell) => !cell.includes(' '))), distinct(rooms));
  for (const room of rooms) {
    const allowed = found(new RegExp(`  ${room}: \\[([^\\]]*)\\]`).exec(plan)?.[1] ?? '', /'([a-z]+)'/g);
    const row =
      read('docs/architecture.md')
        .split('\n')
        .find((line) => line.startsWith('| `') && line.includes(`\`${room}\``)) ?? '';
    const said = (row.split('|')[2] ?? '').replace("storage's interface", 'storage');
    assert.deepEqual(
      distinct(found(said, /\b(basics|geo|kinds|formats|protocols|live|storage|pipeline|intake|api)\b/g)),
      distinct(allowed),
      room,
    );
  }
});

test('examples in JSON are JSON', () => {
  for (const block of found(everything, /^```json\n([^]*?)^```/gm)) assert.doesNotThrow(() => JSON.parse(block), block);
});

test('the metrics that are listed are those of a running service', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'waypost-docs-'));
  t.after(() => rmSync(data, { recursive: true }));
  const flags = { data, port: 'off', teltonikaPort: 'off', osmandPort: 'off', metricsPort: '0' };
  const settings = readSettings(serveSettings, { flags, env: {}, file: null });
  assert.ok('values' in settings);
  const service = await startService(settings.values, '0', pino({ level: 'silent' }));
  const metrics = await fetch(`${service.listening.metrics}/metrics`).then((answer) => answer.text());
  await service.stop();

  const rows = found(metrics, /^# HELP (waypost_.+)$/gm).map((line) => {
    const [name = '', ...help] = line.split(' ');
    const [type] = found(metrics, new RegExp(`^# TYPE ${name} (.+)$`, 'gm'));
    return `| \`${name}\` | ${type} | ${help.join(' ')} |`;
  });
  const manual = read('docs/operation.md').split('\n');
  assert.deepEqual(distinct(manual.filter((line) => line.startsWith('| `waypost_'))), distinct(rows));
  const known = new Set(found(metrics, /^# HELP (\S+)/gm));
  const named = found(everything, /\b((?:waypost|process|nodejs)_[a-z\d]+(?:_[a-z\d]+)+)/g).map((name) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  );
  assert.deepEqual(
    distinct(named).filter((name) => !known.has(name)),
    [],
  );
});

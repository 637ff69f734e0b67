// The plan of the house as a test: which room may import which, and the habits that a program can check.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '../src');

/** The table of docs/architecture.md. `storage` stands for its interface; within itself a room is free. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  basics: [],
  geo: ['basics'],
  kinds: ['basics', 'geo'],
  formats: ['basics', 'geo', 'kinds'],
  protocols: ['basics', 'geo', 'kinds'],
  live: ['basics', 'geo', 'kinds'],
  storage: ['basics', 'geo', 'kinds'],
  pipeline: ['basics', 'geo', 'kinds', 'storage'],
  notify: ['basics', 'geo', 'kinds', 'storage'],
  intake: ['basics', 'kinds', 'protocols', 'pipeline', 'storage'],
  api: ['basics', 'geo', 'kinds', 'formats', 'live', 'storage', 'pipeline'],
};

/** What the other rooms see of storage, and the one file that sees the engines. */
const storageInterface = ['storage/storage.ts', 'storage/operation.ts'];
const storageEntry = 'storage/open.ts';
const engines = ['sqlite', 'postgres'];

const forbiddenNames = /^(utils?|helpers?|manager|common|misc)$/;
const maxLines = 400;

interface Import {
  /** Paths below src, such as `kinds/report.ts`. */
  from: string;
  to: string;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const code = files.filter((file) => !file.endsWith('.test.ts'));
const read = (file: string): string => readFileSync(join(source, file), 'utf8');

/** What follows `from`, a bare `import`, `import(` and `new URL(`: every way in which one file names another. */
const specifier = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(['"])(?<name>[^'"\n]+)\1/g;

function specifiers(file: string): string[] {
  return [...read(file).matchAll(specifier)].map((match) => match.groups?.['name'] ?? '');
}

function importsOf(file: string): Import[] {
  const local = specifiers(file).filter((name) => name.startsWith('.'));
  return local.map((name) => ({ from: file, to: relative(source, join(source, dirname(file), name)) }));
}

/** The room of a file; '' for the files at the top and for the command line, which may import anything. */
function roomOf(file: string): string {
  const [room = '', ...rest] = file.split('/');
  return rest.length === 0 || room === 'cli' ? '' : room;
}

/** Why an import is not allowed, or null. */
function objection({ from, to }: Import): string | null {
  const [room, other] = [roomOf(from), roomOf(to)];
  const engine = other === 'storage' ? engines.find((name) => to.startsWith(`storage/${name}/`)) : undefined;
  if (engine !== undefined && from !== storageEntry && !from.startsWith(`storage/${engine}/`))
    return `only ${storageEntry} may import an engine`;
  if (room === '' || room === other) return null;
  if (other === '') return 'a room may not import the command line or the files at the top';
  if (allowed[room]?.includes(other) !== true) return `${room} may not import ${other}`;
  return other === 'storage' && !storageInterface.includes(to) ? `only ${storageInterface.join(' and ')} are storage's interface` : null;
}

test('the check itself sees what is not allowed', () => {
  const isAllowed = (from: string, to: string): boolean => objection({ from, to }) === null;
  assert.ok(
    isAllowed('api/a.ts', 'storage/storage.ts') &&
      isAllowed('cli/a.ts', 'storage/open.ts') &&
      isAllowed('storage/open.ts', 'storage/sqlite/a.ts'),
  );
  assert.ok(isAllowed('storage/sqlite/a.ts', 'storage/sqlite/b.ts') && isAllowed('storage/sqlite/a.ts', 'storage/operation.ts'));
  assert.ok(
    !isAllowed('api/a.ts', 'storage/tables/a.ts') &&
      !isAllowed('cli/a.ts', 'storage/sqlite/a.ts') &&
      !isAllowed('storage/tables/a.ts', 'storage/sqlite/a.ts'),
  );
  assert.ok(!isAllowed('kinds/a.ts', 'formats/a.ts') && !isAllowed('intake/a.ts', 'settings.ts') && !isAllowed('basics/a.ts', 'geo/a.ts'));
  assert.deepEqual(
    [
      ...`import a from './a.ts';\nexport * from "./b.ts"; import './c.ts'; await import('./d.ts'); new URL('./e.ts', x)`.matchAll(
        specifier,
      ),
    ].map((m) => m[2]),
    ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts'],
  );
});

test('every folder under src is a room of the plan', () => {
  const rooms = new Set(code.map(roomOf).filter((room) => room !== ''));
  assert.deepEqual(
    [...rooms].filter((room) => !Object.hasOwn(allowed, room)),
    [],
    'a new room needs its line in the plan and in this test',
  );
});

test('no import goes where the plan has no arrow', () => {
  const objections = code.flatMap((file) => importsOf(file).map((found) => ({ ...found, why: objection(found) })));
  assert.deepEqual(
    objections.filter(({ why }) => why !== null).map(({ from, to, why }) => `${from} -> ${to}: ${why}`),
    [],
  );
});

test('relative imports name the file as it is, with .ts', () => {
  const names = files.flatMap((file) =>
    specifiers(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => `${file} -> ${name}`),
  );
  assert.deepEqual(
    names.filter((name) => !/\.(ts|json|html|css|svg|js)$/.test(name)),
    [],
  );
});

test('a file opens with what it does, is of a size to be read, and exports by name', () => {
  const faults = code.flatMap((file) => {
    const text = read(file);
    const lines = text.split('\n').length - 1;
    return [
      text.startsWith('// ') ? '' : `${file} does not open with a comment`,
      lines <= maxLines ? '' : `${file} has ${lines} lines`,
      /^export (default\b|\{[^}]*\bas default\b)/m.test(text) ? `${file} has a default export` : '',
    ];
  });
  assert.deepEqual(
    faults.filter((fault) => fault !== ''),
    [],
  );
});

test('names are kebab-case nouns that say something', () => {
  const parts = files.flatMap((file) => file.split('/').map((part) => ({ file, part: part.replace(/(\.test)?\.ts$/, '') })));
  assert.deepEqual(
    parts.filter(({ part }) => forbiddenNames.test(part) || !/^[a-z\d]+(-[a-z\d]+)*$/.test(part)).map(({ file }) => file),
    [],
  );
});

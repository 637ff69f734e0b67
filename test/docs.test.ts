// The documentation against the program, both ways.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { operationManual } from '../docs/generate.ts';
import { variableName } from '../src/setting.ts';
import { configVariable, serveSettings } from '../src/settings.ts';

const root = join(import.meta.dirname, '..');
const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
const texts = [
  'README.md',
  'CONTRIBUTING.md',
  'Dockerfile',
  'compose.yaml',
  'deploy/waypost.service',
  ...guides.map((file) => `docs/${file}`),
];

test('the manual lists every setting, and no other', () => {
  const { present, wanted } = operationManual();
  assert.equal(present, wanted, 'run `npm run docs`');
});

test('every WAYPOST_ variable that is written about is a setting', () => {
  const known = new Set([configVariable, ...Object.keys(serveSettings).map(variableName)]);
  const unknown = texts
    .filter((file) => existsSync(join(root, file)))
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/\bWAYPOST_[A-Z_]*[A-Z]/g)].map(([name]) => ({ file, name })))
    .filter(({ name }) => !known.has(name));
  assert.deepEqual(unknown, []);
});

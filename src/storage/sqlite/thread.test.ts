import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

/** What a process prints and how it ends whose writer runs this operation. */
function runWriter(work: string) {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-thread-'));
  const href = (path: string): string => JSON.stringify(pathToFileURL(path).href);
  const operations = join(folder, 'operations.ts');
  const program = join(folder, 'program.ts');
  writeFileSync(operations, `export const operations = { test: { run: { nature: 'write', work: async (sql) => { ${work} } } } };`);
  writeFileSync(
    program,
    `import { openThreaded } from ${href(join(import.meta.dirname, 'engine.ts'))};
     import { operations } from ${href(operations)};
     const { storage, close } = await openThreaded(${JSON.stringify(join(folder, 'waypost.db'))}, operations, new URL(${href(operations)}));
     console.log(await storage.test.run().catch((error) => error.message));
     await close();`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 20_000 });
  rmSync(folder, { recursive: true });
  return { status, stdout: stdout.trim(), stderr };
}

test('an operation answers over the thread, and a failure keeps its words', () => {
  assert.deepEqual(runWriter(`return (await sql.get('select 6 * 7 as n')).n;`), { status: 0, stdout: '42', stderr: '' });
  const { status, stdout } = runWriter(`throw new Error('not today');`);
  assert.deepEqual([status, stdout], [0, 'not today']);
});

test('a writer that ends by itself takes the process along: half a service would look alive and store nothing', () => {
  const { status, stderr } = runWriter(`process.exit(3);`);
  assert.notEqual(status, 0);
  assert.match(stderr, /The storage writer has ended/);
});

// Writes the parts of the manual that follow from the program: `npm run docs`. Knows where they stand, not what they say.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveSettings, settingsTable } from '../src/settings.ts';

const manual = join(import.meta.dirname, 'operation.md');
const marked = /(?<=<!-- settings: written by `npm run docs` -->\n\n)[^]*?(?=\n\n<!-- end of settings -->)/;

/** The manual as it stands, and as it should be. */
export function operationManual(): { present: string; wanted: string } {
  const present = readFileSync(manual, 'utf8');
  if (!marked.test(present)) throw new Error('docs/operation.md has lost the marks between which its settings stand');
  return { present, wanted: present.replace(marked, () => settingsTable(serveSettings)) };
}

if (import.meta.main) writeFileSync(manual, operationManual().wanted);

// Writes the parts of the manual that follow from the program: `npm run docs`. Knows where they stand, not what they say.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveSettings, settingsTable } from '../src/settings.ts';
import { addressTable, commandTable, eventTypeTable, propertyTable, protocolTable, shownKinds, statusTable } from './tables.ts';

interface Part {
  file: string;
  /** Of the marks around it. */
  name: string;
  text: () => string;
}

const parts: readonly Part[] = [
  { file: 'operation.md', name: 'settings', text: () => settingsTable(serveSettings) },
  { file: 'operation.md', name: 'commands', text: commandTable },
  { file: 'protocols.md', name: 'protocols', text: protocolTable },
  { file: 'interface.md', name: 'addresses', text: addressTable },
  { file: 'interface.md', name: 'statuses', text: statusTable },
  { file: 'interface.md', name: 'types', text: eventTypeTable },
  ...shownKinds.map((kind) => ({ file: 'interface.md', name: kind.name, text: () => propertyTable(kind) })),
];

export interface Manual {
  path: string;
  present: string;
  wanted: string;
}

/** Every manual that has such parts, as it stands and as it should be. Throws when one has lost its marks. */
export const manuals = (): Manual[] =>
  [...new Set(parts.map(({ file }) => file))].map((file) => {
    const path = join(import.meta.dirname, file);
    const present = readFileSync(path, 'utf8');
    const wanted = parts.filter((part) => part.file === file).reduce(write, present);
    return { path, present, wanted };
  });

function write(manual: string, { file, name, text }: Part): string {
  const [start, end] = [`<!-- ${name}: written by \`npm run docs\` -->\n\n`, `\n\n<!-- end of ${name} -->`];
  const from = manual.indexOf(start);
  const to = manual.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/${file} has lost the marks between which its ${name} stand`);
  return manual.slice(0, from + start.length) + text() + manual.slice(to);
}

if (import.meta.main) for (const { path, wanted } of manuals()) writeFileSync(path, wanted);

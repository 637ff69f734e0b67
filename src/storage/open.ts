// The one door to the engines. Which engine an installation uses is decided here and nowhere else.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { copyDatabase } from './sqlite/backup.ts';
import { holdLock } from './sqlite/lock.ts';
import { openInline, openThreaded, type Opened } from './sqlite/engine.ts';

export type { Opened } from './sqlite/engine.ts';

export const databaseFile = (data: string): string => join(data, 'waypost.db');

/**
 * Opens the storage in the folder `data`, making and migrating it as needed. `module` exports the `operations`; with it,
 * writes and long reads run on threads of their own, as a server wants; without, all runs on this thread, as a command wants.
 */
export function openStorage<T extends Record<string, unknown>>(data: string, operations: T, module?: URL): Promise<Opened<T>> {
  return module === undefined ? openInline(databaseFile(data), operations) : openThreaded(databaseFile(data), operations, module);
}

/** Copies the database in `data`, as it is at one moment, to a new file, while a server goes on writing to it. Holds up this thread. */
export const backUp = (data: string, file: string): Promise<void> => copyDatabase(databaseFile(data), file);

/** Makes sure that no other service runs on `data`; commands may. Call the result to let it go. Throws a Fault. */
export function holdAlone(data: string): () => void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  return holdLock(join(data, 'serve.lock'), `another waypost serves ${data}; stop it first, or give this one a data folder of its own`);
}

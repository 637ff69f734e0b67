// The SQLite engine. A server writes on one thread and reads in bulk on another, so that neither holds up the thread that
// serves; a command does everything on its own connection. Which operations there are is not known here.
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bound, Operation, Operations } from '../operation.ts';
import { openConnection, type Connection } from './connection.ts';
import { migrate } from './migrate.ts';
import { startThread } from './thread-client.ts';

export interface Opened<T> {
  storage: Bound<T>;
  close(): Promise<void>;
}

type Run = (group: string, name: string, values: unknown[]) => Promise<unknown>;

/** For a command: one connection, on the caller's thread. */
export async function openInline<T extends Record<string, unknown>>(file: string, operations: T): Promise<Opened<T>> {
  const connection = await prepare(file);
  const run = runner(connection, operations as unknown as Operations);
  return { storage: bind(operations, () => run), close: async () => connection.close() };
}

/** For a server: quick reads here, long reads and writes each on a thread of their own. `module` exports `operations`. */
export async function openThreaded<T extends Record<string, unknown>>(file: string, operations: T, module: URL): Promise<Opened<T>> {
  const connection = await prepare(file);
  connection.close();
  const here = openConnection(file, { readOnly: true });
  const quick = runner(here, operations as unknown as Operations);
  const [writer, reader] = await Promise.all([startThread(file, module, 'writer'), startThread(file, module, 'reader')]);
  const runners = { quick, long: reader.run, write: writer.run };
  return {
    storage: bind(operations, (nature) => runners[nature]),
    async close() {
      await Promise.all([writer.close(), reader.close()]);
      here.close();
    },
  };
}

async function prepare(file: string): Promise<Connection> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = !existsSync(file);
  const connection = openConnection(file);
  if (fresh) chmodSync(file, 0o600);
  await migrate(connection);
  return connection;
}

/** Runs operations on one connection, writes one after the other. */
export function runner(connection: Connection, operations: Operations): Run {
  let last: Promise<unknown> = Promise.resolve();
  return (group, name, values) => {
    const operation = operations[group]?.[name] as Operation<unknown[], unknown> | undefined;
    if (operation === undefined) return Promise.reject(new Error(`no operation ${group}.${name}`));
    const work = () => operation.work(connection, ...values);
    if (operation.nature !== 'write') return work();
    const result = last.then(() => connection.transaction(work));
    // The next write starts when this one has ended, however it ended; who asked for this one hears of its failure.
    last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  };
}

function bind<T extends Record<string, unknown>>(
  operations: T,
  runnerFor: (nature: Operation<never[], unknown>['nature']) => Run,
): Bound<T> {
  const groups = Object.entries(operations as unknown as Operations).map(([group, members]) => [
    group,
    Object.fromEntries(
      Object.entries(members).map(([name, { nature }]) => {
        const run = runnerFor(nature);
        return [name, (...values: unknown[]) => run(group, name, values)];
      }),
    ),
  ]);
  return Object.fromEntries(groups) as Bound<T>;
}

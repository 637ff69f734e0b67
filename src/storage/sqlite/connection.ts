// One connection to an SQLite file, as the `Sql` that operations are written against. Calls are synchronous underneath:
// whoever opens a connection decides which thread it may hold up.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Fault } from '../../basics/errors.ts';
import type { Sql, SqlValue } from '../operation.ts';

export interface Connection extends Sql {
  exec(text: string): void;
  /** Runs `work` in a transaction that is durable when this resolves. Calls must not overlap. */
  transaction<R>(work: () => Promise<R>): Promise<R>;
  close(): void;
}

/** How long a transaction waits for another process's, ms. */
const BUSY_TIMEOUT = 5000;

/** SQLite's primary result codes that another try may get past: BUSY, LOCKED, NOMEM, IOERR, FULL. */
const RETRYABLE = new Set([5, 6, 7, 10, 13]);

export function openConnection(file: string, { readOnly = false } = {}): Connection {
  const database = attempt(
    () => new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true, defensive: true }),
    file,
  );
  attempt(() => {
    database.exec('pragma cache_size = -65536; pragma temp_store = memory');
    // FULL: a commit is on the disk before it returns. The log is folded back every 16 MB rather than every 4.
    if (!readOnly)
      database.exec(
        'pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864',
      );
  }, file);

  const prepared = new Map<string, StatementSync>();
  const prepare = (text: string, arrays = false): StatementSync => {
    const key = arrays ? `[]${text}` : text;
    let statement = prepared.get(key);
    if (statement === undefined) {
      statement = database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'));
      if (arrays) statement.setReturnArrays(true);
      prepared.set(key, statement);
    }
    return statement;
  };

  return {
    get: async <R>(text: string, ...values: SqlValue[]) => attempt(() => prepare(text).get(...values) as R | undefined),
    all: async <R>(text: string, ...values: SqlValue[]) => attempt(() => prepare(text).all(...values) as R[]),
    rows: async (text: string, ...values: SqlValue[]) => attempt(() => prepare(text, true).all(...values) as unknown as SqlValue[][]),
    run: async (text: string, ...values: SqlValue[]) => attempt(() => Number(prepare(text).run(...values).changes)),

    insertNew: async (table, columns, rows) =>
      attempt(() => {
        const places = columns.map((_, i) => `?${i + 1}`).join(', ');
        const statement = prepare(`insert into ${table} (${columns.join(', ')}) values (${places}) on conflict do nothing`);
        let inserted = 0;
        for (const row of rows) inserted += Number(statement.run(...row).changes);
        return inserted;
      }),

    exec: (text) => attempt(() => database.exec(text)),

    async transaction(work) {
      attempt(() => database.exec('begin immediate'));
      try {
        const result = await work();
        attempt(() => database.exec('commit'));
        return result;
      } catch (error) {
        // A commit that failed for want of space has rolled back by itself.
        if (database.isTransaction) database.exec('rollback');
        throw error;
      }
    },

    close: () => database.close(),
  };
}

/** What an operator can do about it, by SQLite's primary result code: READONLY, CORRUPT, CANTOPEN, NOTADB. */
const SENTENCES: Readonly<Record<number, string>> = {
  8: 'this user may not write there; change its owner or run as the user that it belongs to',
  11: 'the database is damaged; restore a backup',
  14: 'the database cannot be opened; look at the folder and whose it is',
  26: 'this file is no database; restore a backup, or give another data folder',
};

/** Translates the engine's errors: what another try may get past is a retryable fault, the rest is the operator's or ours. */
function attempt<R>(call: () => R, file = ''): R {
  try {
    return call();
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code === undefined) throw error;
    const sentence = SENTENCES[code & 0xff];
    const words = sentence === undefined ? `SQLite: ${(error as Error).message}` : `${file === '' ? 'the database' : file}: ${sentence}`;
    throw new Fault(words, RETRYABLE.has(code & 0xff), { cause: error });
  }
}

// How the rest of the house asks storage for something: an operation says what is done in SQL and of what nature it is;
// the engine decides where it runs. Operations know no engine: their SQL is what SQLite and PostgreSQL both understand,
// with parameters written `$1`, `$2`, ... They take and return plain data, because they may run on another thread.

export type SqlValue = string | number | null | Uint8Array;
export type Row = Record<string, SqlValue>;

/** A connection, for the length of one operation. */
export interface Sql {
  /** The first row, or undefined. */
  get<R = Row>(text: string, ...values: SqlValue[]): Promise<R | undefined>;
  all<R = Row>(text: string, ...values: SqlValue[]): Promise<R[]>;
  /** Rows as arrays of their columns' values: the cheap form, for many rows. */
  rows(text: string, ...values: SqlValue[]): Promise<SqlValue[][]>;
  /** Runs a statement that returns nothing; the number of rows it changed. */
  run(text: string, ...values: SqlValue[]): Promise<number>;
  /** Inserts rows the fastest way the engine has, passing over those whose key is there already; how many were new. */
  insertNew(table: string, columns: readonly string[], rows: Iterable<readonly SqlValue[]>): Promise<number>;
}

/**
 * quick: reads a few rows by key, in microseconds; may run where the caller waits.
 * long: reads many rows; never on the thread that serves requests.
 * write: one transaction, durable when its promise resolves.
 */
export type Nature = 'quick' | 'long' | 'write';

export interface Operation<A extends unknown[], R> {
  readonly nature: Nature;
  readonly work: (sql: Sql, ...values: A) => Promise<R>;
}

export const quick = <A extends unknown[], R>(work: (sql: Sql, ...values: A) => Promise<R>): Operation<A, R> => ({ nature: 'quick', work });
export const long = <A extends unknown[], R>(work: (sql: Sql, ...values: A) => Promise<R>): Operation<A, R> => ({ nature: 'long', work });
export const write = <A extends unknown[], R>(work: (sql: Sql, ...values: A) => Promise<R>): Operation<A, R> => ({ nature: 'write', work });

export type Operations = Record<string, Record<string, Operation<never[], unknown>>>;

/** Operations as their callers see them: `storage.accounts.byName(name)`. */
export type Bound<T> = {
  readonly [G in keyof T]: {
    readonly [N in keyof T[G]]: T[G][N] extends Operation<infer A, infer R> ? (...values: A) => Promise<R> : never;
  };
};

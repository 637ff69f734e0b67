// Accounts: who may sign in, with hashes and encrypted secrets only. Knows nothing of how they are made or checked.
import { quick, write, type Sql } from '../operation.ts';

export interface AccountRow {
  id: number;
  username: string;
  name: string;
  email: string | null;
  timezone: string;
  created_time: number;
  /** PHC string of the password. */
  password_hash: string;
  /** The key's last four digits, so that a person can tell which one it is. */
  key_hint: string | null;
}

export interface NewAccount extends Omit<AccountRow, 'id'> {
  /** What Digest needs, encrypted with a key that is not in the database. */
  digest_secret: Uint8Array;
  /** SHA-256 of the web service key; null while there is none. */
  key_hash: Uint8Array | null;
}

export type NewPassword = Pick<NewAccount, 'password_hash' | 'digest_secret'>;

const COLUMNS = 'id, username, name, email, timezone, created_time, password_hash, key_hint';

export const accounts = {
  byId: quick((sql, id: number) => sql.get<AccountRow>(`select ${COLUMNS} from accounts where id = $1`, id)),
  byName: quick((sql, username: string) => sql.get<AccountRow>(`select ${COLUMNS} from accounts where username = $1`, username)),
  /** The account with what Digest needs of it. */
  withDigestSecret: quick((sql, username: string) =>
    sql.get<AccountRow & Pick<NewAccount, 'digest_secret'>>(`select ${COLUMNS}, digest_secret from accounts where username = $1`, username),
  ),
  byKey: quick((sql, keyHash: Uint8Array) => sql.get<AccountRow>(`select ${COLUMNS} from accounts where key_hash = $1`, keyHash)),

  list: quick((sql) =>
    sql.all<AccountRow & { trackers: number }>(
      `select ${COLUMNS}, (select count(*) from trackers where account_id = accounts.id) as trackers from accounts order by username`,
    ),
  ),

  /** The new account's id, or null when the user name is taken. */
  create: write(async (sql, account: NewAccount): Promise<number | null> => {
    const row = await sql.get<{ id: number }>(
      `insert into accounts (username, name, email, timezone, created_time, password_hash, digest_secret, key_hash, key_hint)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (username) do nothing returning id`,
      account.username,
      account.name,
      account.email,
      account.timezone,
      account.created_time,
      account.password_hash,
      account.digest_secret,
      account.key_hash,
      account.key_hint,
    );
    return row?.id ?? null;
  }),

  /** With `password`, a new password too: all of it or nothing. */
  alter: write(async (sql, id: number, to: { name: string; email: string | null; timezone: string }, password: NewPassword | null) => {
    await sql.run('update accounts set name = $2, email = $3, timezone = $4 where id = $1', id, to.name, to.email, to.timezone);
    if (password !== null) await setPassword(sql, id, password);
  }),

  /** A new password: every token of the account dies with the old one. */
  setPassword: write(setPassword),

  /** A new web service key; the old one is worth nothing from here on. */
  setKey: write((sql, id: number, keyHash: Uint8Array, hint: string) =>
    sql.run('update accounts set key_hash = $2, key_hint = $3 where id = $1', id, keyHash, hint),
  ),

  /** What the account's messages are signed with, encrypted; null when there is none yet. */
  storedSigningSecret: quick(
    async (sql, id: number): Promise<Uint8Array | null> =>
      (await sql.get<{ signing_secret: Uint8Array | null }>('select signing_secret from accounts where id = $1', id))?.signing_secret ??
      null,
  ),

  /** The same; when there is none, `fresh` is it from here on. */
  signingSecret: write(async (sql, id: number, fresh: Uint8Array): Promise<Uint8Array> => {
    const row = await sql.get<{ signing_secret: Uint8Array }>(
      'update accounts set signing_secret = coalesce(signing_secret, $2) where id = $1 returning signing_secret',
      id,
      fresh,
    );
    // Of an account that was removed meanwhile nothing is kept, and nothing will be sent.
    return row?.signing_secret ?? fresh;
  }),

  /** Messages are signed with `fresh` from here on. */
  replaceSigningSecret: write((sql, id: number, fresh: Uint8Array) =>
    sql.run('update accounts set signing_secret = $2 where id = $1', id, fresh),
  ),

  /** Removes an account with all that it has; positions, which may be many, are deleted in batches by `positions.sweep`. */
  remove: write(async (sql, id: number) => {
    await sql.run('insert into removed_trackers (tracker_id) select id from trackers where account_id = $1', id);
    return sql.run('delete from accounts where id = $1', id);
  }),
};

async function setPassword(sql: Sql, id: number, { password_hash, digest_secret }: NewPassword): Promise<void> {
  await sql.run('update accounts set password_hash = $2, digest_secret = $3 where id = $1', id, password_hash, digest_secret);
  await sql.run('delete from tokens where account_id = $1', id);
}

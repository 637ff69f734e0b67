// Tokens that sign a client in for at most a day. Only hashes are here; a token itself is known to its client alone.
import { quick, write } from '../operation.ts';
import type { AccountRow } from './accounts.ts';

export interface TokenRow {
  id: number;
  account_id: number;
  label: string | null;
  created_time: number;
  expires_time: number;
  used_time: number;
}

interface NewToken {
  accountId: number;
  /** Of the account as it was when it was asked for. */
  passwordHash: string;
  hash: Uint8Array;
  label: string | null;
  now: number;
  expires: number;
}

const COLUMNS = 'id, account_id, label, created_time, expires_time, used_time';

export const tokens = {
  /** The account that a live token signs in, by the token's SHA-256. */
  byHash: quick(async (sql, hash: Uint8Array, now: number) => {
    const row = await sql.get<AccountRow & { token_id: number; token_used: number }>(
      `select a.id, a.username, a.name, a.email, a.timezone, a.created_time, a.password_hash, a.key_hint, t.id as token_id, t.used_time as token_used
       from tokens t join accounts a on a.id = t.account_id where t.hash = $1 and t.expires_time > $2`,
      hash,
      now,
    );
    return row;
  }),

  list: quick((sql, accountId: number, now: number) =>
    sql.all<TokenRow>(`select ${COLUMNS} from tokens where account_id = $1 and expires_time > $2 order by id`, accountId, now),
  ),

  byId: quick((sql, accountId: number, id: number, now: number) =>
    sql.get<TokenRow>(`select ${COLUMNS} from tokens where account_id = $1 and id = $2 and expires_time > $3`, accountId, id, now),
  ),

  /** False when the password was changed since the account was looked at: what was right then is not right now. */
  create: write(async (sql, token: NewToken): Promise<boolean> => {
    await sql.run('delete from tokens where account_id = $1 and expires_time <= $2', token.accountId, token.now);
    const made = await sql.run(
      `insert into tokens (account_id, hash, label, created_time, expires_time, used_time)
       select id, $2, $3, $4, $5, $4 from accounts where id = $1 and password_hash = $6`,
      token.accountId,
      token.hash,
      token.label,
      token.now,
      token.expires,
      token.passwordHash,
    );
    return made === 1;
  }),

  /** Notes the last use of several tokens at once. */
  touch: write(async (sql, uses: [id: number, time: number][]) => {
    for (const [id, time] of uses) await sql.run('update tokens set used_time = $2 where id = $1 and used_time < $2', id, time);
  }),

  revoke: write((sql, accountId: number, id: number) => sql.run('delete from tokens where account_id = $1 and id = $2', accountId, id)),

  /** Deletes at most `limit` expired tokens. */
  expire: write((sql, now: number, limit: number) =>
    sql.run('delete from tokens where id in (select id from tokens where expires_time <= $1 limit $2)', now, limit),
  ),
};

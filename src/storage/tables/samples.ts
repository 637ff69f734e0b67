// Each account's sample object, as JSON. An account that never changed its own has no row.
import { quick, write } from '../operation.ts';

export const samples = {
  of: quick((sql, accountId: number) => sql.get<{ document: string }>('select document from samples where account_id = $1', accountId)),

  put: write((sql, accountId: number, document: string) =>
    sql.run(
      'insert into samples (account_id, document) values ($1, $2) on conflict (account_id) do update set document = excluded.document',
      accountId,
      document,
    ),
  ),
};

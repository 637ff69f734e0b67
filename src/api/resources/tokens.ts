// `tokens` and `tokens/<id>`: the live tokens of the account, each revocable.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { token, tokens } from '../../kinds/token.ts';
import type { Storage, TokenRow } from '../../storage/storage.ts';
import type { Ask, Resource, Shown } from '../resource.ts';
import { seconds } from '../show.ts';

const show = (row: TokenRow, { identity }: Ask): Shown => ({
  url: `tokens/${row.id}`,
  label: row.label,
  created_ts: seconds(row.created_time),
  expires_ts: seconds(row.expires_time),
  used_ts: seconds(row.used_time),
  current: identity.tokenId === row.id,
});

export function tokensResource(storage: Pick<Storage, 'tokens'>, clock: Clock): Resource {
  return {
    path: 'tokens',
    get: {
      kind: tokens,
      read: async (ask) => ({ url: 'tokens', tokens: (await storage.tokens.list(ask.account.id, clock())).map((row) => show(row, ask)) }),
    },
  };
}

export function tokenOfListResource(storage: Pick<Storage, 'tokens'>, clock: Clock): Resource {
  const idOf = ({ params }: Ask): number => Number(/^\d{1,15}$/.exec(params['id'] ?? '')?.[0] ?? -1);
  return {
    path: 'tokens/:id',
    get: {
      kind: token,
      async read(ask) {
        const row = await storage.tokens.byId(ask.account.id, idOf(ask), clock());
        if (row === undefined) throw new Refusal(404, 'There is no such token.');
        return show(row, ask);
      },
    },
    async delete(ask) {
      await storage.tokens.revoke(ask.account.id, idOf(ask));
    },
  };
}

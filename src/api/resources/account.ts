// `account` and `account/key`: who is signed in, and the web service key.
import { account, key, signingSecret } from '../../kinds/account.ts';
import { alter } from '../../kinds/input.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Auth } from '../auth/auth.ts';
import type { SigningSecrets } from '../auth/signing-secret.ts';
import { makeKey } from '../auth/tokens.ts';
import { seconds } from '../show.ts';
import type { Resource, Shown } from '../resource.ts';

export function accountResource(storage: Pick<Storage, 'accounts'>, auth: Auth): Resource {
  return {
    path: 'account',
    get: {
      kind: account,
      async read({ account: { id } }): Promise<Shown> {
        const row = await storage.accounts.byId(id);
        if (row === undefined) throw new Error(`the account ${id} went away under its own request`);
        const { username, name, email, timezone, created_time, key_hint } = row;
        return {
          url: 'account',
          username,
          name,
          email,
          timezone,
          created_ts: seconds(created_time),
          key_hint,
          key_url: 'account/key',
          signing_secret_url: 'account/signing_secret',
        };
      },
      title: ({ username }) => String(username),
    },
    put: {
      // The password is checked as any sign-in is: counted, throttled, off this thread.
      async faults({ account: { username }, from }, value) {
        const { password, current_password: current } = value as { password?: string; current_password?: string };
        if (password === undefined) return null;
        if (current === undefined || current === '') return { current_password: 'empty' };
        return (await auth.checkPassword(username, current, from)) === null ? { current_password: 'invalid' } : null;
      },
      async change({ account: { id, username } }, value, shown) {
        const { password } = value;
        const to = alter(shown, value) as { name: string; email: string | null; timezone: string };
        const made = password === undefined ? null : await auth.hashPassword(username, password as string);
        await storage.accounts.alter(id, { name: to.name, email: to.email, timezone: to.timezone }, made);
        return undefined;
      },
    },
  };
}

export function keyResource(storage: Pick<Storage, 'accounts'>): Resource {
  return {
    path: 'account/key',
    get: { kind: key, read: async ({ account: { key_hint } }) => ({ url: 'account/key', key_hint }) },
    post: {
      kind: key,
      async make({ account: { id } }) {
        const made = makeKey();
        await storage.accounts.setKey(id, made.key_hash, made.key_hint);
        return { shown: { url: 'account/key', key: made.key, key_hint: made.key_hint } };
      },
    },
  };
}

export function signingSecretResource(secrets: SigningSecrets): Resource {
  return {
    path: 'account/signing_secret',
    get: {
      kind: signingSecret,
      async read({ account: { id } }) {
        const secret = Buffer.from(await secrets.of(id)).toString('base64');
        return { url: 'account/signing_secret', secret: `whsec_${secret}` };
      },
    },
    post: {
      kind: signingSecret,
      async make({ account: { id } }) {
        await secrets.replace(id);
        return { location: 'account/signing_secret' };
      },
    },
  };
}

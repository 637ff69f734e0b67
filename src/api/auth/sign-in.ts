// The decision behind `POST token`: a user name and password, or a web service key, for a token. Knows no formats and no cookies.
import type { AccountRow, Storage } from '../../storage/storage.ts';
import type { CredentialCheck } from './credential-check.ts';
import type { Throttle } from './throttle.ts';
import { hashKey, LONGEST_LIFE, type Tokens } from './tokens.ts';

/** As parsed; null counts as left out. */
export type SignInInput = Readonly<Partial<Record<'username' | 'password' | 'key' | 'duration', unknown>>>;

export type SignInProblems = Partial<Record<'username' | 'password' | 'key' | 'duration', 'empty' | 'invalid'>>;

export type SignIn = { account: AccountRow; token: string; /** ms */ expires: number } | { problems: SignInProblems };

export interface SignInParts {
  storage: Pick<Storage, 'accounts'>;
  check: CredentialCheck;
  tokens: Tokens;
  throttle: Throttle;
}

/**
 * Signs in, or says all that is wrong, in the same words whether the user exists or not. Throws Refusal 429 and 503.
 * `label` is what the account's list of tokens will show of this client; the caller bounds it.
 */
export async function signIn(input: SignInInput, address: string, label: string | null, parts: SignInParts): Promise<SignIn> {
  const duration = isMissing(input.duration) ? LONGEST_LIFE : input.duration;
  const sound = typeof duration === 'number' && Number.isInteger(duration) && duration >= 1 && duration <= LONGEST_LIFE;
  const byKey = !isMissing(input.key) || ('key' in input && isMissing(input.username) && isMissing(input.password));
  const found = byKey ? await findByKey(input.key, address, parts) : await findByPassword(input, address, parts.check);
  if (!sound) return { problems: { ...('problems' in found ? found.problems : {}), duration: 'invalid' } };
  if ('problems' in found) return found;
  const issued = await parts.tokens.issue(found.account, duration, label);
  // What was right a moment ago no longer is.
  if (issued === null) return { problems: byKey ? { key: 'invalid' } : { username: 'invalid', password: 'invalid' } };
  return { account: found.account, ...issued };
}

type Found = { account: AccountRow } | { problems: SignInProblems };

/** A key names no account, so its attempts are counted by address alone. */
async function findByKey(key: unknown, address: string, { storage, throttle }: SignInParts): Promise<Found> {
  if (isMissing(key)) return { problems: { key: 'empty' } };
  const hash = typeof key === 'string' ? hashKey(key) : null;
  const account = hash === null ? undefined : await storage.accounts.byKey(hash);
  // From here on nothing waits, so requests at the same time cannot slip between the check and the count.
  throttle.check(null, address);
  if (account !== undefined) return { account };
  throttle.take(null, address);
  return { problems: { key: 'invalid' } };
}

async function findByPassword({ username, password }: SignInInput, address: string, check: CredentialCheck): Promise<Found> {
  if (isMissing(username) || isMissing(password)) {
    return { problems: { ...(isMissing(username) && { username: 'empty' }), ...(isMissing(password) && { password: 'empty' }) } };
  }
  const account = typeof username === 'string' && typeof password === 'string' ? await check.password(username, password, address) : null;
  return account === null ? { problems: { username: 'invalid', password: 'invalid' } } : { account };
}

function isMissing(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

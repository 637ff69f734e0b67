// Everything about who is asking, connected: what the path of a request uses of this folder.
import type { Clock } from '../../basics/clock.ts';
import type { Log } from '../../basics/log.ts';
import type { AccountRow, NewAccount, Storage } from '../../storage/storage.ts';
import { authenticate, challenges, type Asking, type Challenge, type Identity } from './authenticate.ts';
import { createCredentialCheck } from './credential-check.ts';
import { isOwnOrigin, refuseCrossSite } from './cross-site.ts';
import { createDigest, digestSecret } from './digest.ts';
import { createHasher, type Hasher } from './password.ts';
import type { SecretBox } from './secret-box.ts';
import { signIn, type SignIn, type SignInInput } from './sign-in.ts';
import { createThrottle, type ThrottleOptions } from './throttle.ts';
import { createTokens } from './tokens.ts';

export interface AuthParts {
  storage: Pick<Storage, 'accounts' | 'tokens'>;
  box: SecretBox;
  clock: Clock;
  log: Log;
  throttle: ThrottleOptions;
  /** Where clients find the service when a proxy stands before it; pages from there are our own. */
  publicUrl: URL | null;
}

export interface Auth {
  /** See `authenticate`. */
  authenticate(asking: Asking): Promise<Identity | null>;
  /** Values of WWW-Authenticate; see `challenges`. */
  challenges(kind: Challenge, html: boolean, stale: boolean): string[];
  /** See `refuseCrossSite`. */
  refuseCrossSite(asking: Pick<Asking, 'method' | 'headers'>, identity: Identity | null): void;
  /** Whether the origin is this service, as the asker calls it or as the operator does. */
  isOwnOrigin(origin: string, asking: Pick<Asking, 'headers'>): boolean;
  /** See `signIn`. */
  signIn(input: SignInInput, address: string, label: string | null): Promise<SignIn>;
  /** Signs in an account that was just registered. `expires`: ms. */
  issueToken(
    account: Pick<AccountRow, 'id' | 'password_hash'>,
    seconds: number,
    label: string | null,
  ): Promise<{ token: string; expires: number } | null>;
  /** The account if the password is its own, or null; counted and throttled like any sign-in. */
  checkPassword(username: string, password: string, address: string): Promise<AccountRow | null>;
  /** What an account stores of a new password. Throws Refusal 503 when too many are waiting. */
  hashPassword(username: string, password: string): Promise<PasswordColumns>;
  /** Stores what is still to be noted. */
  stop(): Promise<void>;
}

export type PasswordColumns = Pick<NewAccount, 'password_hash' | 'digest_secret'>;

export function createAuth({ storage, box, clock, log, throttle: options, publicUrl }: AuthParts): Auth {
  const hasher = createHasher();
  const throttle = createThrottle(clock, options);
  const digest = createDigest(box, clock);
  const tokens = createTokens(storage, clock, log);
  const check = createCredentialCheck({ storage, box, hasher, digest, throttle, clock, log });
  return {
    authenticate: (asking) => authenticate(asking, check, tokens, digest),
    challenges: (kind, html, stale) => challenges(digest, kind, html, stale),
    refuseCrossSite: (asking, identity) => refuseCrossSite(asking, identity, publicUrl),
    isOwnOrigin: (origin, { headers }) => isOwnOrigin(origin, headers.host, publicUrl),
    signIn: (input, address, label) => signIn(input, address, label, { storage, check, tokens, throttle }),
    issueToken: (account, seconds, label) => tokens.issue(account, seconds, label),
    checkPassword: (username, password, address) => check.password(username, password, address),
    hashPassword: (username, password) => passwordColumns(username, password, hasher, box),
    stop: () => tokens.stop(),
  };
}

/** What an account stores of a password: a hash, and sealed, what Digest needs. */
export async function passwordColumns(username: string, password: string, hasher: Hasher, box: SecretBox): Promise<PasswordColumns> {
  return { password_hash: await hasher.hash(password), digest_secret: digestSecret(username, password, box) };
}

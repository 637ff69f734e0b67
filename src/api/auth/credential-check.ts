// Whether a user name and password, or a Digest answer, belong to an account: throttled, and the same for unknown users.
// The account is read every time; only the outcome of the slow hash is remembered for a while. Knows no HTTP headers.
import { Fault } from '../../basics/errors.ts';
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../basics/clock.ts';
import type { Log } from '../../basics/log.ts';
import type { AccountRow, Storage } from '../../storage/storage.ts';
import type { DigestAnswer } from './authorization.ts';
import { BoundedMap } from './bounded-map.ts';
import { impossibleSecret, type Digest } from './digest.ts';
import { impossibleHash, isCredentialText, type Hasher } from './password.ts';
import type { SecretBox } from './secret-box.ts';
import type { Throttle } from './throttle.ts';

const REMEMBERED = 10_000;
const REMEMBERED_FOR = 5 * 60 * 1000;

export interface CredentialCheck {
  /** The account, or null. Throws Refusal 429 when no attempt is due, right or wrong, and 503 when too many are waiting. */
  password(username: string, password: string, address: string): Promise<AccountRow | null>;
  /** The account and whether the answer is fresh, or null. Throws Refusal 429 when no attempt is due. */
  digest(answer: DigestAnswer, method: string, address: string): Promise<{ account: AccountRow; fresh: boolean } | null>;
}

export interface CredentialCheckParts {
  storage: Pick<Storage, 'accounts'>;
  box: SecretBox;
  hasher: Hasher;
  digest: Digest;
  throttle: Throttle;
  clock: Clock;
  log: Log;
}

export function createCredentialCheck({ storage, box, hasher, digest, throttle, clock, log }: CredentialCheckParts): CredentialCheck {
  const key = randomBytes(32);
  const nobody = { username: '', password_hash: impossibleHash(), digest_secret: impossibleSecret('', box) };
  const knownRight = new BoundedMap<string, number>(REMEMBERED);
  const underWay = new Map<string, Promise<boolean>>();
  const noteFailure = (scheme: string, account: AccountRow | undefined, address: string) =>
    log.info({ scheme, account: account?.username ?? null, address }, 'sign-in failed');

  /** Hashes once for all requests that bring the same password at the same time. */
  async function isRight(username: string, password: string, hash: string, address: string): Promise<boolean> {
    // Bound to the stored hash: a changed password is another question.
    const question = createHmac('sha256', key)
      .update(JSON.stringify([username, password, hash]))
      .digest('base64');
    if ((knownRight.get(question) ?? 0) > clock()) return true;
    const same = underWay.get(question);
    if (same !== undefined) {
      if (await same) return true;
      throttle.take(username, address);
      return false;
    }
    const attempt = throttle.take(username, address);
    const answer = hasher.verify(password, hash);
    underWay.set(question, answer);
    try {
      const right = await answer;
      if (!right) return false;
      // Only what was hashed anew forgives: a client that asks every second would keep the door open for guesses.
      attempt.forgive();
      knownRight.set(question, clock() + REMEMBERED_FOR);
      return true;
    } catch (error) {
      attempt.giveBack();
      throw error;
    } finally {
      underWay.delete(question);
    }
  }

  /** A secret that was sealed with another key opens for nobody: who asks is told what a wrong password is, the log tells why. */
  function isRightDigest(answer: DigestAnswer, method: string, username: string, secret: Uint8Array): boolean {
    try {
      return digest.isRight(answer, method, username, secret);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log.error({ err: error }, 'Digest fails until the key file is put back or the password is set again');
      return false;
    }
  }

  return {
    async password(username, password, address) {
      if (!isCredentialText(username) || !isCredentialText(password)) return null;
      const account = await storage.accounts.byName(username);
      throttle.check(username, address);
      const right = await isRight(username, password, (account ?? nobody).password_hash, address);
      if (right && account !== undefined) return account;
      noteFailure('password', account, address);
      return null;
    },

    async digest(answer, method, address) {
      if (!isCredentialText(answer.username)) return null;
      const account = await storage.accounts.withDigestSecret(answer.username);
      // From here on nothing waits, so requests at the same time cannot slip between the check and the count.
      throttle.check(answer.username, address);
      const { username, digest_secret: secret } = account ?? nobody;
      const right = isRightDigest(answer, method, username, secret);
      if (right && account !== undefined) return { account, fresh: digest.isFresh(answer) };
      throttle.take(answer.username, address);
      noteFailure('digest', account, address);
      return null;
    },
  };
}

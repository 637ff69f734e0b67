// Tokens and web service keys: making, recognising and revoking them. Only their SHA-256 is ever stored.
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../basics/clock.ts';
import type { Log } from '../../basics/log.ts';
import type { AccountRow, Storage } from '../../storage/storage.ts';

const USE_NOTED_EVERY = 60_000;
const FLUSH_AFTER = 5_000;
const BATCH = 500;

/** The longest life of a token, seconds; also what it gets when no other is asked for. */
export const LONGEST_LIFE = 86_400;

const sha256 = (text: string): Uint8Array => hash('sha256', text, 'buffer');

/** A new web service key: 40 hexadecimal digits to be shown once, what is stored of it, and the digits that remind of it. */
export function makeKey(): { key: string; key_hash: Uint8Array; key_hint: string } {
  const key = randomBytes(20).toString('hex');
  return { key, key_hash: sha256(key), key_hint: key.slice(-4) };
}

/** What is stored of this key, or null when no key looks like that. */
export function hashKey(text: string): Uint8Array | null {
  return /^[0-9a-f]{40}$/i.test(text) ? sha256(text.toLowerCase()) : null;
}

export interface Tokens {
  /** A new token for the account, or null when its password was changed since it was looked at. `seconds`: its life; `expires`: its end, ms. */
  issue(
    account: Pick<AccountRow, 'id' | 'password_hash'>,
    seconds: number,
    label: string | null,
  ): Promise<{ token: string; expires: number } | null>;
  /** Whose live token this is, or null. */
  verify(token: string): Promise<{ account: AccountRow; tokenId: number } | null>;
  /** Notes the uses that are not stored yet. */
  stop(): Promise<void>;
}

export function createTokens(storage: Pick<Storage, 'tokens'>, clock: Clock, log: Log): Tokens {
  const uses = new Map<number, number>();
  let timer: NodeJS.Timeout | null = null;
  let flushing: Promise<void> = Promise.resolve();

  function noteUse(tokenId: number, time: number): void {
    if (uses.has(tokenId)) return;
    uses.set(tokenId, time);
    if (uses.size >= BATCH) void flush();
    else timer ??= setTimeout(() => void flush(), FLUSH_AFTER).unref();
  }

  /** Runs one batch after the other. Never rejects: a use that could not be stored is noted again by the next one. */
  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const batch = [...uses];
    uses.clear();
    if (batch.length === 0) return flushing;
    return (flushing = flushing.then(async () => {
      try {
        await storage.tokens.touch(batch);
      } catch (error) {
        log.warn({ err: error, tokens: batch.length }, 'the last use of tokens could not be noted');
      }
    }));
  }

  return {
    async issue({ id: accountId, password_hash: passwordHash }, seconds, label) {
      const token = randomBytes(32).toString('base64url');
      const now = clock();
      const expires = now + seconds * 1000;
      return (await storage.tokens.create({ accountId, passwordHash, hash: sha256(token), label, now, expires }))
        ? { token, expires }
        : null;
    },

    async verify(token) {
      if (!/^[\w-]{43}$/.test(token)) return null;
      const now = clock();
      const row = await storage.tokens.byHash(sha256(token), now);
      if (row === undefined) return null;
      if (now - row.token_used >= USE_NOTED_EVERY) noteUse(row.token_id, now);
      return { account: row, tokenId: row.token_id };
    },

    stop: flush,
  };
}

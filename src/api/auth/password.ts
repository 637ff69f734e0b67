// Passwords: what may be one, and their hashes (Argon2id, RFC 9106) in PHC string form. Knows no accounts.
import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto';
import { promisify } from 'node:util';
import { Fault, Refusal } from '../../basics/errors.ts';
import { isPasswordText } from '../../kinds/format.ts';

// OWASP's second choice of equal strength: 19 MiB, two passes. About 40 ms, on the thread pool.
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const MIN_LENGTH = 8;
const MAX_LENGTH = 1024;

/**
 * Whether the text may become a password: 8 to 1024 characters, none of them a control character (RFC 7617, section 2) or
 * half a surrogate pair. It is never normalised: Digest hashes the bytes that the client sends, and Basic must agree with it.
 */
export function isPassword(text: string): boolean {
  const length = Array.from(text.slice(0, 2 * MAX_LENGTH + 1)).length;
  return length >= MIN_LENGTH && length <= MAX_LENGTH && isCredentialText(text);
}

/** Whether the text could be the user name or the password of any account at all; the rest is refused without a look. */
export function isCredentialText(text: string): boolean {
  return text.length <= 2 * MAX_LENGTH && isPasswordText(text);
}

export interface Hasher {
  /** A PHC string of the password with a new salt. Throws Refusal 503 when too many are waiting. */
  hash(password: string): Promise<string>;
  /** Takes as long for a wrong password as for the right one. Throws Refusal 503 when too many are waiting. */
  verify(password: string, phc: string): Promise<boolean>;
}

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);

/** Hashes on the thread pool, `atOnce` at a time, so that file and database work always find a free thread. */
export function createHasher(limits: { atOnce: number; waiting: number } = { atOnce: 2, waiting: 64 }): Hasher {
  let running = 0;
  const queue: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < limits.atOnce) running++;
    else if (queue.length < limits.waiting) await new Promise<void>((resolve) => queue.push(resolve));
    else throw new Refusal(503, 'Too many passwords are being checked just now.', { 'retry-after': '2' });
    try {
      return await work();
    } finally {
      // The place is handed on rather than freed, so that a newcomer cannot overtake those who wait.
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(SALT_BYTES);
        return format(salt, await derive('argon2id', { ...COST, message: password, nonce: salt, tagLength: HASH_BYTES }));
      }),
    verify: (password, phc) =>
      inTurn(async () => {
        const { salt, hash, ...cost } = parse(phc);
        return timingSafeEqual(hash, await derive('argon2id', { ...cost, message: password, nonce: salt, tagLength: hash.length }));
      }),
  };
}

/** A hash that no password has, to spend on unknown users the time that known ones take. */
export function impossibleHash(): string {
  return format(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
}

function format(salt: Buffer, hash: Buffer): string {
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** Reads the cost from the string itself, so that hashes made with an earlier cost stay good. */
function parse(phc: string): { memory: number; passes: number; parallelism: number; salt: Buffer; hash: Buffer } {
  const parts = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/.exec(phc);
  if (parts === null) throw new Fault('A stored password hash has an unknown form.', false);
  const [, memory, passes, parallelism, salt = '', hash = ''] = parts;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

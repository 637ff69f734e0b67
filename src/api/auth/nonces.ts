// Server nonces of Digest (RFC 7616, sections 3.3 and 5.4): made without being stored, good for five minutes, each count used once.
// Only a nonce that somebody signed in with takes memory. Knows no accounts and no headers.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../basics/clock.ts';
import { BoundedMap } from './bounded-map.ts';

const LIFETIME = 5 * 60 * 1000;
/** How far behind the highest count seen a request may arrive: those of one client overtake each other on their way. */
const WINDOW = 128;
const CAPACITY = 50_000;

// 33 bytes: base64url without spare bits, so that a nonce is written in one way only.
const TIME_BYTES = 6;
const OPEN_BYTES = TIME_BYTES + 11;
const SEAL_BYTES = 16;

interface Use {
  issued: number;
  highest: number;
  /** Bit n: count `highest - n` was used. */
  used: bigint;
}

export interface Nonces {
  issue(): string;
  /** True once for each nonce of ours in its life and each count; false means stale. Ask only when all else is right. */
  use(nonce: string, count: number): boolean;
}

export function createNonces(clock: Clock, capacity = CAPACITY): Nonces {
  const key = randomBytes(32);
  const uses = new BoundedMap<string, Use>(capacity);
  // What was issued up to here and is not remembered may have been used and forgotten, and so counts as stale.
  let forgotten = -1;
  const forget = (use: Use | undefined) => (forgotten = Math.max(forgotten, use?.issued ?? -1));
  const seal = (open: Buffer) => createHmac('sha256', key).update(open).digest().subarray(0, SEAL_BYTES);

  /** When we issued it, or null when we did not: it may come from before a restart. */
  function issued(nonce: string): number | null {
    if (!/^[\w-]{44}$/.test(nonce)) return null;
    const bytes = Buffer.from(nonce, 'base64url');
    const open = bytes.subarray(0, OPEN_BYTES);
    return timingSafeEqual(seal(open), bytes.subarray(OPEN_BYTES)) ? open.readUIntBE(0, TIME_BYTES) : null;
  }

  return {
    issue() {
      const open = randomBytes(OPEN_BYTES);
      open.writeUIntBE(clock(), 0, TIME_BYTES);
      return Buffer.concat([open, seal(open)]).toString('base64url');
    },
    use(nonce, count) {
      const time = issued(nonce);
      if (time === null || clock() - time > LIFETIME || count < 1) return false;
      const use = uses.get(nonce);
      if (use !== undefined) return mark(use, count);
      if (time <= forgotten) return false;
      for (let old = uses.oldest(); old !== undefined && clock() - old.issued > LIFETIME; old = uses.oldest()) forget(uses.forgetOldest());
      forget(uses.set(nonce, { issued: time, highest: count, used: 1n }));
      return true;
    },
  };
}

/** Notes the count as used. False when it was before, or lies too far back to tell. */
function mark(use: Use, count: number): boolean {
  const ahead = count - use.highest;
  if (ahead > 0) {
    use.used = ahead >= WINDOW ? 1n : ((use.used << BigInt(ahead)) | 1n) & ((1n << BigInt(WINDOW)) - 1n);
    use.highest = count;
    return true;
  }
  const bit = 1n << BigInt(-ahead < WINDOW ? -ahead : 0);
  if (-ahead >= WINDOW || (use.used & bit) !== 0n) return false;
  use.used |= bit;
  return true;
}

// How often a sign-in may be tried, per account name and per address. Knows no passwords, and not whether a name exists.
import { isIPv6 } from 'node:net';
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { BoundedMap } from './bounded-map.ts';

/** `burst` failures at once, then one more every `interval` seconds. */
export interface Limit {
  burst: number;
  interval: number;
}

export interface ThrottleOptions {
  account: Limit;
  address: Limit;
  /** How many names and how many addresses are remembered; beyond that the longest untried is forgotten. */
  remembered: number;
}

export const DEFAULT_THROTTLE: ThrottleOptions = {
  account: { burst: 10, interval: 30 },
  address: { burst: 100, interval: 3 },
  remembered: 100_000,
};

/** An attempt that counts as failed until it is said to have been right. */
export interface Attempt {
  /** It was no failure: it is not counted. */
  giveBack(): void;
  /** The password was shown to be right: earlier failures of the account are forgiven, those of the address are not. */
  forgive(): void;
}

export interface Throttle {
  /** Throws Refusal 429 with Retry-After when no further attempt is due. `username` is null where none is named. */
  check(username: string | null, address: string): void;
  /** Checks and counts an attempt, before it is looked at: those that run at the same time cannot slip past the limit. */
  take(username: string | null, address: string): Attempt;
}

export function createThrottle(clock: Clock, options: ThrottleOptions = DEFAULT_THROTTLE): Throttle {
  const accounts = buckets(clock, options.account, options.remembered);
  const addresses = buckets(clock, options.address, options.remembered);

  function check(username: string | null, address: string): void {
    const wait = Math.max(username === null ? 0 : accounts.wait(username), addresses.wait(addressKey(address)));
    if (wait === 0) return;
    throw new Refusal(429, 'Too many failed attempts to sign in.', { 'retry-after': String(Math.max(1, Math.ceil(wait))) });
  }

  return {
    check,
    take(username, address) {
      check(username, address);
      const key = addressKey(address);
      if (username !== null) accounts.add(username, 1);
      addresses.add(key, 1);
      return {
        giveBack() {
          if (username !== null) accounts.add(username, -1);
          addresses.add(key, -1);
        },
        forgive() {
          if (username !== null) accounts.clear(username);
          addresses.add(key, -1);
        },
      };
    },
  };
}

/** Leaky buckets: each failure fills by one, each interval drains one. */
function buckets(clock: Clock, limit: Limit, remembered: number) {
  const levels = new BoundedMap<string, { level: number; at: number }>(remembered);

  function level(key: string): number {
    const bucket = levels.get(key);
    if (bucket === undefined) return 0;
    // A clock that was set back drains nothing.
    return Math.max(0, bucket.level - Math.max(0, clock() - bucket.at) / (limit.interval * 1000));
  }

  return {
    /** Seconds until one more fits. */
    wait: (key: string) => Math.max(0, level(key) + 1 - limit.burst) * limit.interval,
    add(key: string, amount: number): void {
      const to = level(key) + amount;
      if (to > 0) levels.set(key, { level: to, at: clock() });
      else levels.delete(key);
    },
    clear: (key: string) => levels.delete(key),
  };
}

/** What an address is counted under: an IPv6 one by its /64, since whoever has one address there has them all. */
export function addressKey(address: string): string {
  const plain = address.split('%')[0] ?? '';
  if (!isIPv6(plain)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  if (mapped?.[1] !== undefined) return mapped[1];
  const [head = '', tail] = plain.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail ?? '');
  // A dotted quad at the end stands for two groups; it lies beyond the first 64 bits in any case.
  const width = before.length + after.length + (plain.includes('.') ? 1 : 0);
  const full = [...before, ...Array<string>(8 - width).fill('0'), ...after];
  return `${full
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

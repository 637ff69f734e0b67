// One attempt at one message, and what follows from it. Knows no queue and writes nothing.
import { Fault } from '../basics/errors.ts';
import type { Clock } from '../basics/clock.ts';
import type { Log } from '../basics/log.ts';
import type { Message } from '../kinds/message.ts';
import type { AttemptResult, DeliveryHead } from '../storage/storage.ts';
import { Undelivered, type Channels, type Status } from './channels/channel.ts';
import { pairsOf, sentenceOf } from './message-text.ts';

/** How long a message that fails is tried, ms. */
export const DAY = 86_400_000;
/** How long one attempt may take, ms. */
const TIMEOUT = 30_000;
const SHORTEST_PAUSE = 5000;
const LONGEST_PAUSE = 3_600_000;

/** Why an attempt was cut off, as its error says. */
const TOO_LONG = 'the target did not answer within 30 s';
const STOPPED = 'the service stopped during the attempt; it goes on when it starts again';

/** Attempts under way, which can all be cut off. */
export interface Attempts {
  /** Tries once. Throws a Fault when something of our own is away for now: that was no attempt. */
  make(head: DeliveryHead): Promise<AttemptResult>;
  cutAll(): void;
}

export function createAttempts(channels: Channels, clock: Clock, log: Log): Attempts {
  const underway = new Set<AbortController>();

  async function send(head: DeliveryHead, cut: AbortSignal): Promise<{ status: Status; error: string | null }> {
    try {
      const message = JSON.parse(head.message) as Message;
      const words = { sentence: sentenceOf(message, head.timezone, clock()), pairs: pairsOf(message) };
      const { status } = await channels[head.type]({ uid: head.uid, accountId: head.account_id, address: head.address, ...words }, cut);
      return { status, error: null };
    } catch (error) {
      if (error instanceof Fault && error.retryable) throw error;
      if (cut.aborted) return { status: null, error: String(cut.reason) };
      if (error instanceof Undelivered) return { status: error.status, error: error.message };
      log.error({ err: error, delivery: head.id, target: head.target_id }, 'a message could not be sent for a reason of our own');
      return { status: null, error: 'the service itself failed at it; its log says why' };
    }
  }

  return {
    async make(head) {
      const cutter = new AbortController();
      const timer = setTimeout(() => cutter.abort(TOO_LONG), TIMEOUT);
      underway.add(cutter);
      const time = clock();
      const start = performance.now();
      try {
        const { status, error } = await send(head, cutter.signal);
        const seconds = (performance.now() - start) / 1000;
        const outcome = error === null ? 'delivered' : error === STOPPED ? { retry: time } : afterFailure(head.first_time ?? time, clock());
        return { deliveryId: head.id, targetId: head.target_id, time, seconds, status, error, outcome };
      } finally {
        clearTimeout(timer);
        underway.delete(cutter);
      }
    },
    cutAll() {
      for (const cutter of underway) cutter.abort(STOPPED);
    },
  };
}

/**
 * What follows when a message that has failed since `since` fails now: as long a pause again, from 5 s to an hour, give or take a tenth
 * so that what failed together is not tried together; after a day, the end. The last attempt falls on the end of the day.
 */
export function afterFailure(since: number, now: number): 'given_up' | { retry: number } {
  const end = since + DAY;
  if (now >= end) return 'given_up';
  const pause = Math.min(Math.max(now - since, SHORTEST_PAUSE), LONGEST_PAUSE) * (0.9 + 0.2 * Math.random());
  return { retry: Math.min(Math.round(now + pause), end) };
}

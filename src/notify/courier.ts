// The outbox worker: takes what waits, each target's messages one after the other, and sees to it that they arrive or are
// given up. All it knows is in the storage, so that it goes on where it was cut off. Knows no transport and makes no messages.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../basics/clock.ts';
import type { Log } from '../basics/log.ts';
import { mapSlices } from '../basics/slices.ts';
import type { DeliveryHead, Storage, TargetRow } from '../storage/storage.ts';
import { createAttempts, DAY } from './attempt.ts';
import type { Channels } from './channels/channel.ts';
import { createRecorder } from './recorder.ts';
import { createSlots, type Slots } from './slots.ts';

/**
 * Attempts at once, over all and of one account. An attempt takes 30 s at most, so this many targets that hang do not keep
 * others waiting. A mail server or SMS gateway is one for all, and minds being called from many sides.
 */
const AT_ONCE: Readonly<Record<TargetRow['type'], readonly [over: number, ofAccount: number]>> = {
  http: [1000, 200],
  email: [40, 20],
  sms: [40, 20],
};

/** How often targets that nobody spoke of are looked for, ms. */
const POLL = 60_000;
/** After a failure of the storage, ms. */
const REST = 5000;
/** How long attempts under way may go on once the service stops, ms. */
const GRACE = 5000;
/** Messages that are given up in one transaction. */
const BATCH = 1000;

const HELD_UP = 'not tried: the target took none of the messages before it, for a day';
const INACTIVE = 'not tried: the target was not active, for a day';

export interface Courier {
  /** From here on messages are sent, also those that waited before. */
  start(): void;
  /** Something changed for these targets: a message waits, or they are other than they were. */
  wake(targetIds: Iterable<number>): void;
  /** Ends what is under way within some seconds, and records it. */
  stop(): Promise<void>;
}

export interface CourierParts {
  storage: Pick<Storage, 'deliveries'>;
  channels: Channels;
  clock: Clock;
  log: Log;
  registry: Registry;
}

/** The sending to one target: under way, or paused until `due` (ms). */
interface Lane {
  isRunning: boolean;
  /** Woken while it ran. */
  again: boolean;
  due: number;
  timer: NodeJS.Timeout | undefined;
}

export function createCourier({ storage: { deliveries }, channels, clock, log, registry }: CourierParts): Courier {
  const results = countResults(registry);
  showWaiting(deliveries, clock, log, registry);
  const attempts = createAttempts(channels, clock, log);
  const stopping = new AbortController();
  const record = createRecorder((list) => deliveries.record(list), stopping.signal, log);
  const slots = Object.fromEntries(Object.entries(AT_ONCE).map(([type, most]) => [type, createSlots(...most)])) as Record<
    TargetRow['type'],
    Slots
  >;
  const lanes = new Map<number, Lane>();
  const underway = new Set<Promise<void>>();
  let isGoing = false;
  let poller: NodeJS.Timeout | undefined;

  function wake(targetIds: Iterable<number>): void {
    if (!isGoing) return;
    for (const id of targetIds) {
      const lane = lanes.get(id) ?? { isRunning: false, again: false, due: 0, timer: undefined };
      lanes.set(id, lane);
      if (lane.isRunning) lane.again = true;
      else run(id, lane);
    }
  }

  function run(id: number, lane: Lane): void {
    clearTimeout(lane.timer);
    lane.isRunning = true;
    follow(goOn(id, lane));
  }

  function follow(work: Promise<void>): void {
    underway.add(work);
    void work.then(() => underway.delete(work));
  }

  async function goOn(id: number, lane: Lane): Promise<void> {
    let due: number | null = null;
    do {
      lane.again = false;
      try {
        due = await drain(id);
      } catch (error) {
        log.error({ err: error, target: id }, 'the outbox could not be read or written; it is tried again');
        due = clock() + REST;
      }
    } while (lane.again && isGoing);
    lane.isRunning = false;
    if (due === null || !isGoing) {
      lanes.delete(id);
      return;
    }
    lane.due = due;
    lane.timer = setTimeout(() => run(id, lane), Math.min(Math.max(due - clock(), 0), DAY));
  }

  /** Sends what waits for a target until nothing does (null) or the next is not due yet (then when it is). */
  async function drain(targetId: number): Promise<number | null> {
    while (isGoing) {
      const head = await deliveries.head(targetId);
      if (head === undefined) return null;
      if (head.active === 0) {
        const end = (head.first_time ?? head.created_time) + DAY;
        if (clock() < end) return end;
        await giveUp(head, INACTIVE);
      } else if ((head.next_time ?? 0) > clock()) return head.next_time;
      else await takeTurn(head);
    }
    return null;
  }

  async function takeTurn(head: DeliveryHead): Promise<void> {
    const release = await slots[head.type].take(head.account_id);
    try {
      // Much may have happened until it was its turn.
      const now = await deliveries.head(head.target_id);
      if (isGoing && now?.id === head.id && now.type === head.type && now.active !== 0) await attempt(now);
    } finally {
      release();
    }
  }

  async function attempt(head: DeliveryHead): Promise<void> {
    const result = await attempts.make(head);
    await record(result);
    const { status, error, outcome, seconds } = result;
    const about = {
      target: head.target_id,
      delivery: head.id,
      attempt: head.attempts + 1,
      status,
      error,
      seconds: Number(seconds.toFixed(3)),
    };
    if (outcome === 'delivered') results.inc({ type: head.type, result: 'delivered' });
    else if (outcome === 'given_up') {
      results.inc({ type: head.type, result: 'given_up' });
      log.warn(about, 'a message was given up');
      // It was held up for a day by others and failed as they did: so would all that were held up as long.
      if (head.attempts === 0) await giveUp(head, HELD_UP);
    } else {
      results.inc({ type: head.type, result: 'failed' });
      log.info({ ...about, next: new Date(outcome.retry).toISOString() }, 'a message was not delivered; it is tried again');
    }
  }

  /** Gives up all that has waited at a target for a day. */
  async function giveUp({ target_id: targetId, type }: DeliveryHead, why: string): Promise<void> {
    const before = clock() - DAY;
    let sum = 0;
    for (let count = BATCH; count === BATCH && isGoing; sum += count) count = await deliveries.giveUp(targetId, before, why, BATCH);
    if (sum === 0) return;
    results.inc({ type, result: 'given_up' }, sum);
    log.warn({ target: targetId, messages: sum, error: why }, 'messages were given up');
  }

  async function poll(): Promise<void> {
    try {
      const waiting = await deliveries.waitingTargets();
      const strange = waiting.filter((id) => {
        const lane = lanes.get(id);
        return lane === undefined || (!lane.isRunning && lane.due <= clock());
      });
      await mapSlices(strange, wake);
    } catch (error) {
      log.error({ err: error }, 'it could not be found out which messages wait; it is tried again');
    }
    if (isGoing) poller = setTimeout(() => follow(poll()), POLL);
  }

  return {
    start() {
      isGoing = true;
      follow(poll());
    },
    wake,
    async stop() {
      isGoing = false;
      stopping.abort();
      clearTimeout(poller);
      for (const { timer } of lanes.values()) clearTimeout(timer);
      const cut = setTimeout(() => attempts.cutAll(), GRACE);
      while (underway.size > 0) await Promise.all(underway);
      clearTimeout(cut);
      lanes.clear();
    },
  };
}

const countResults = (registry: Registry): Counter<'type' | 'result'> =>
  new Counter({
    name: 'waypost_deliveries_total',
    help: 'Attempts to deliver a message that ended as delivered or failed, and messages that were given up, by type of target',
    labelNames: ['type', 'result'],
    registers: [registry],
  });

function showWaiting(deliveries: Storage['deliveries'], clock: Clock, log: Log, registry: Registry): void {
  const show = (name: string, help: string, value: (waiting: { count: number; oldest: number | null }) => number): void => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          gauge.set(value(await deliveries.waiting()));
        } catch (error) {
          log.warn({ err: error }, 'it could not be found out how many messages wait');
          gauge.set(NaN);
        }
      },
    });
  };
  show('waypost_deliveries_waiting', 'Messages that wait to be sent, or to be sent again', ({ count }) => count);
  show('waypost_deliveries_oldest_seconds', 'How long the message that waits longest has waited', ({ oldest }) =>
    oldest === null ? 0 : (clock() - oldest) / 1000,
  );
}

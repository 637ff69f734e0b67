// `targets/<id>/deliveries`, one of them, and its `resend`: what became of the messages to a target.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { deliveries, delivery, resend, type Delivery } from '../../kinds/delivery.ts';
import type { Message } from '../../kinds/message.ts';
import type { DeliveryRow, Storage } from '../../storage/storage.ts';
import { addressOf, integerOf, limitOf } from '../query.ts';
import { numberIn, type Ask, type Resource, type Shown } from '../resource.ts';
import { seconds, secondsOrNull } from '../show.ts';
import { findTarget, type Wake } from './targets.ts';

type Parts = Pick<Storage, 'targets' | 'deliveries'>;

/** Deliveries of a page when `limit` is not given, and of one step of a stream. */
const PAGE = 100;
const NEWEST = Number.MAX_SAFE_INTEGER;

const canBeResent = (state: string): boolean => state === 'given_up' || state === 'skipped';

function show(row: DeliveryRow): Delivery {
  const url = `targets/${row.target_id}/deliveries/${row.id}`;
  return {
    url,
    message_id: row.uid,
    ts: seconds(row.created_time),
    event_url: row.event_id === null ? null : `events/${row.event_id}`,
    late: (JSON.parse(row.message) as Message).late,
    state: row.state,
    attempts: row.attempts,
    next_ts: secondsOrNull(row.next_time),
    status: row.status,
    error: row.error,
    resend_url: canBeResent(row.state) ? `${url}/resend` : null,
  };
}

async function findDelivery(storage: Parts, ask: Ask): Promise<DeliveryRow> {
  const { id } = await findTarget(storage, ask);
  const row = await storage.deliveries.byId(ask.account.id, id, numberIn(ask, 'delivery'));
  if (row === undefined) throw new Refusal(404, 'There is no such delivery.');
  return row;
}

export function deliveriesResource(storage: Parts, maxPage: number): Resource {
  return {
    path: 'targets/:id/deliveries',
    get: {
      kind: deliveries,
      query: {
        limit: `Deliveries of a page: ${PAGE} when left out, at most ${maxPage}.`,
        before: 'Only what is older than a delivery; `next_url` carries it.',
      },
      async read(ask): Promise<Shown> {
        const { id } = await findTarget(storage, ask);
        const limit = limitOf(ask.query, PAGE, maxPage);
        const rows = await storage.deliveries.list(ask.account.id, id, beforeOf(ask), limit + 1);
        const last = rows[limit - 1];
        return {
          url: addressOf(ask, null),
          deliveries: rows.slice(0, limit).map(show),
          next_url: rows.length > limit && last !== undefined ? olderThan(ask, last.id) : null,
        };
      },
      async stream(ask) {
        if (ask.query.has('limit')) throw new Refusal(400, 'This format is always whole: leave out limit.');
        const { id, name } = await findTarget(storage, ask);
        return { title: name, items: walk(storage, ask.account.id, id, beforeOf(ask)) };
      },
    },
  };
}

const beforeOf = ({ query }: Ask): number => integerOf(query, 'before', 0, NEWEST) ?? NEWEST;

function olderThan(ask: Ask, id: number): string {
  const query = new URLSearchParams(ask.query);
  query.set('before', String(id));
  return addressOf({ address: ask.address, query }, null);
}

async function* walk(storage: Parts, accountId: number, targetId: number, from: number): AsyncGenerator<Delivery> {
  for (let before = from; ;) {
    const rows = await storage.deliveries.list(accountId, targetId, before, PAGE);
    yield* rows.map(show);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    before = last.id;
  }
}

export function deliveryResource(storage: Parts): Resource {
  return {
    path: 'targets/:id/deliveries/:delivery',
    get: {
      kind: delivery,
      async read(ask) {
        const row = await findDelivery(storage, ask);
        const attempts = await storage.deliveries.attempts(row.id);
        return {
          ...show(row),
          tries: attempts.map(({ time, seconds: took, status, error }) => ({
            ts: seconds(time),
            duration: Math.round(took * 1000) / 1000,
            status,
            error,
          })),
        };
      },
    },
  };
}

export function resendResource(storage: Parts, clock: Clock, wake: Wake): Resource {
  return {
    path: 'targets/:id/deliveries/:delivery/resend',
    get: {
      kind: resend,
      async read(ask) {
        const { target_id: targetId, id } = await findDelivery(storage, ask);
        const url = `targets/${targetId}/deliveries/${id}`;
        return { url: `${url}/resend`, delivery_url: url };
      },
    },
    post: {
      kind: resend,
      async make(ask) {
        const { target_id: targetId, id, state } = await findDelivery(storage, ask);
        if (state === 'delivered') throw new Refusal(400, 'This message was delivered: only what was given up or skipped is sent again.');
        if (canBeResent(state)) {
          await storage.deliveries.resend(ask.account.id, targetId, id, clock());
          wake([targetId]);
        }
        return { location: `targets/${targetId}/deliveries/${id}` };
      },
    },
  };
}

// `live/stream`: the live view as server-sent events (WHATWG HTML, section 9.2). Each watcher reads what is new to it when it is
// woken and its socket has room, so a slow one sees fewer steps of a tracker but misses no tracker and holds up nobody.
import { Refusal } from '../basics/errors.ts';
import type { Hub } from '../live/hub.ts';
import { update } from '../kinds/live.ts';
import { kind } from '../kinds/kind.ts';
import type { Storage, TrackerView } from '../storage/storage.ts';
import type { Auth } from './auth/auth.ts';
import type { Identity } from './auth/authenticate.ts';
import { showLinks, type Answer } from './answer.ts';
import { changesSince, cursorOf, REFRESH, showUpdate } from './resources/live.ts';
import type { Request } from './request.ts';

export const LIVE_STREAM = 'live/stream';
/** Streams of one account at one time. */
const MOST = 50;
const METHODS = 'GET, HEAD, OPTIONS';

const updateKind = kind('update', 'One update.', update.properties);

interface Parts {
  storage: Pick<Storage, 'trackers' | 'accounts'>;
  auth: Auth;
  hub: Hub;
  /** Aborted when the service stops. */
  stopping: AbortSignal;
}

const streams = new Map<number, number>();

/** A stream that lasts until the client leaves, its credential ends, or the service stops. */
export async function streamLive(request: Request, parts: Parts): Promise<Answer> {
  const identity = await parts.auth.authenticate(request);
  if (identity === null) throw new Refusal(401, 'Sign in to see this.');
  if (request.method === 'OPTIONS') return { status: 200, headers: { allow: METHODS }, body: '' };
  if (!METHODS.split(', ').includes(request.method)) throw new Refusal(405, `This address takes ${METHODS}.`, { allow: METHODS });
  const last = request.headers['last-event-id'];
  const since = cursorOf(typeof last === 'string' && last !== '' ? last : request.query.get('since'));
  const { id } = identity.account;
  if ((streams.get(id) ?? 0) >= MOST) throw new Refusal(429, `An account can hold ${MOST} live streams.`, { 'retry-after': '10' });
  // A proxy is not to gather what is meant for now, and the connection is worth nothing once the stream has ended.
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  };
  return { status: 200, headers, body: request.method === 'HEAD' ? '' : events(request, identity, since, parts) };
}

async function* events(
  request: Request,
  identity: Identity,
  from: number,
  { storage, auth, hub, stopping }: Parts,
): AsyncGenerator<string> {
  const { id } = identity.account;
  streams.set(id, (streams.get(id) ?? 0) + 1);
  let wake = (): void => {};
  const unwatch = hub.watch(id, () => wake());
  try {
    yield `retry: ${REFRESH * 1000}\n\n`;
    for (let since = from; !stopping.aborted && (await isStillGood(identity, request, storage, auth));) {
      // Woken from here on means: read once more.
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const { rows, seq } = await changesSince(storage, id, since);
      since = seq;
      // A line in any case: that it cannot be sent is how a client that left is noticed.
      yield rows.length === 0 ? ': nothing new\n\n' : writeEvents(rows, request);
      // Other processes write too (an import, a new tracker), so look now and then without being woken.
      await within(REFRESH * 1000, stopping, woken);
    }
  } finally {
    unwatch();
    const left = (streams.get(id) ?? 1) - 1;
    if (left === 0) streams.delete(id);
    else streams.set(id, left);
  }
}

/** A client goes on from the last id that it saw, so one stands only where all of a commit has been told. */
const writeEvents = (rows: readonly TrackerView[], request: Request): string =>
  rows
    .map((row, i) => {
      const id = rows[i + 1]?.seq === row.seq ? '' : `id: ${row.seq}\n`;
      return `event: update\n${id}data: ${JSON.stringify(showLinks(showUpdate(row), updateKind, request))}\n\n`;
    })
    .join('');

/** True when `event` came in time. */
function within(milliseconds: number, ended: AbortSignal, event: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (result: boolean): void => {
      clearTimeout(timer);
      ended.removeEventListener('abort', abort);
      resolve(result);
    };
    const abort = (): void => finish(false);
    const timer = setTimeout(() => finish(false), milliseconds);
    ended.addEventListener('abort', abort);
    event.then(
      () => finish(true),
      () => finish(false),
    );
  });
}

/** A revoked token, or a changed password, ends the stream. A Digest answer cannot be asked twice, so the account is looked at. */
async function isStillGood({ scheme, account }: Identity, request: Request, storage: Parts['storage'], auth: Auth): Promise<boolean> {
  if (scheme !== 'token') return (await storage.accounts.byId(account.id))?.password_hash === account.password_hash;
  try {
    return (await auth.authenticate(request)) !== null;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

// `live/stream`: the live view as server-sent events (WHATWG HTML, section 9.2). Each watcher reads what is new to it when it is
// woken and its socket has room, so a slow one sees fewer steps of a tracker but misses no tracker and holds up nobody.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Refusal } from '../basics/errors.ts';
import type { Hub } from '../live/hub.ts';
import { update } from '../kinds/live.ts';
import { kind } from '../kinds/kind.ts';
import type { Storage } from '../storage/storage.ts';
import type { Auth } from './auth/auth.ts';
import type { Identity } from './auth/authenticate.ts';
import { showLinks } from './answer.ts';
import { changesSince, cursorOf, REFRESH, showUpdate } from './resources/live.ts';
import type { Request } from './request.ts';

export const LIVE_STREAM = 'live/stream';
/** Streams of one account at one time. */
const MOST = 50;
/** How long a client may leave its socket full, ms. */
const PATIENCE = 30_000;

const updateKind = kind('update', 'One update.', update.properties);

interface Parts {
  storage: Pick<Storage, 'trackers' | 'accounts'>;
  auth: Auth;
  hub: Hub;
  /** Aborted when the service stops. */
  stopping: AbortSignal;
}

const streams = new Map<number, number>();

/** Answers on `response` until the client leaves, its credential ends, or the service stops. Throws Refusal before the first byte. */
export async function streamLive(request: Request, response: ServerResponse, { storage, auth, hub, stopping }: Parts): Promise<void> {
  const identity = await auth.authenticate(request);
  if (identity === null) throw new Refusal(401, 'Sign in to see this.');
  const last = request.headers['last-event-id'];
  let since = cursorOf(typeof last === 'string' && last !== '' ? last : request.query.get('since'));
  const { id } = identity.account;
  if ((streams.get(id) ?? 0) >= MOST) throw new Refusal(429, `An account can hold ${MOST} live streams.`, { 'retry-after': '10' });
  streams.set(id, (streams.get(id) ?? 0) + 1);

  let wake = (): void => {};
  const unwatch = hub.watch(id, () => wake());
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const ended = AbortSignal.any([gone.signal, stopping]);
  try {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    response.write(`retry: ${REFRESH * 1000}\n\n`);
    while (!ended.aborted && (await isStillGood(identity, request, storage, auth))) {
      // Woken from here on means: read once more.
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const { rows, seq } = await changesSince(storage, id, since);
      let text = rows.length === 0 ? ': nothing new\n\n' : '';
      rows.forEach((row, i) => {
        // A client goes on from the last id that it saw, so one stands only where all of a commit has been told.
        const whole = rows[i + 1]?.seq !== row.seq;
        text += `event: update\n${whole ? `id: ${row.seq}\n` : ''}data: ${JSON.stringify(showLinks(showUpdate(row), updateKind, request))}\n\n`;
      });
      since = seq;
      if (!response.write(text) && !(await within(PATIENCE, ended, once(response, 'drain')))) break;
      // Other processes write too (an import, a new tracker), so look now and then without being woken.
      await within(REFRESH * 1000, ended, woken);
    }
  } finally {
    unwatch();
    const left = (streams.get(id) ?? 1) - 1;
    if (left === 0) streams.delete(id);
    else streams.set(id, left);
    response.end();
  }
}

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

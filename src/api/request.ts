// A request as the interface sees it: the address below the service root, the parameters that persist, who asks from where.
import type { FastifyRequest } from 'fastify';
import { parseCookie } from 'cookie';
import type { Asking } from './auth/authenticate.ts';

export const ROOT = '/rest/v2/';

export interface Request extends Asking {
  id: string;
  /** Below the service root, without the query. */
  path: string;
  /** The whole path, for the log. */
  whole: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Parameters that every link of the answer repeats, by their leading underscore. */
  persistent: [string, string][];
  /** The connection to the client is encrypted, as far as we can know. */
  secure: boolean;
  body: Uint8Array;
}

const NOTHING = new Uint8Array();

/** Characters of all persistent parameters together: every link of an answer repeats them. */
export const MOST_PERSISTENT = 1000;

export function readRequest(raw: FastifyRequest): Request {
  const target = raw.raw.url ?? '';
  // A request line may name the whole address (RFC 9112, section 3.2.2).
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const end = local.indexOf('?');
  const path = end < 0 ? local : local.slice(0, end);
  const query = new URLSearchParams(end < 0 ? '' : local.slice(end + 1));
  return {
    id: raw.id,
    method: raw.method,
    target,
    address: raw.ip,
    headers: raw.headers,
    path: path.startsWith(ROOT) ? path.slice(ROOT.length) : '',
    whole: path,
    params: raw.params as Record<string, string>,
    query,
    persistent: persistentOf(query, raw.headers.cookie),
    secure: raw.protocol === 'https',
    body: (raw.body as Uint8Array | undefined) ?? NOTHING,
  };
}

/** The first of each name. `_token` alone is not repeated when the client has shown that it returns the cookie of this very token. */
function persistentOf(query: URLSearchParams, cookie: string | undefined): [string, string][] {
  const found = new Map<string, string>();
  for (const [name, value] of query) if (name.startsWith('_') && !found.has(name)) found.set(name, value);
  if (cookie !== undefined && found.has('_token') && parseCookie(cookie)['token'] === found.get('_token')) found.delete('_token');
  return [...found];
}

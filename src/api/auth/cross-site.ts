// Refuses changes that another site makes a browser ask for with credentials that the browser adds by itself.
import { Refusal } from '../../basics/errors.ts';
import type { Asking, Identity } from './authenticate.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws Refusal 403 for a change asked for by a page of another site, unless a token in the header or the address shows that the
 * asker knows it. Nobody (`identity` null) is refused likewise: a foreign page must not sign a browser in as somebody else.
 * Clients that send neither Sec-Fetch-Site nor Origin are no browsers, and pass.
 */
export function refuseCrossSite(asking: Pick<Asking, 'method' | 'headers'>, identity: Identity | null, publicUrl: URL | null): void {
  if (SAFE_METHODS.has(asking.method)) return;
  if (identity?.presented === 'header' || identity?.presented === 'query') return;
  const { 'sec-fetch-site': site, origin, host } = asking.headers;
  const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  const foreignOrigin = origin !== undefined && !isOwnOrigin(origin, host, publicUrl);
  if (foreignSite || foreignOrigin) throw new Refusal(403, 'A page of another site asked for this.');
}

/**
 * Whether the origin is this service: where clients find it, or the host that the request went to. `null`, the origin of a page
 * without one, never is.
 */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: URL | null): boolean {
  if (origin === publicUrl?.origin) return true;
  const from = URL.parse(origin);
  // Read under the origin's scheme, so that a default port is left out of both.
  return from !== null && from.host !== '' && URL.parse(`${from.protocol}//${host ?? ''}`)?.host === from.host;
}

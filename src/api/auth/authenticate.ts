// Who is asking: from what a request carries to an account, in one straight path. Knows no addresses of the interface.
import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import { Refusal } from '../../basics/errors.ts';
import type { AccountRow } from '../../storage/storage.ts';
import { readAuthorization } from './authorization.ts';
import type { CredentialCheck } from './credential-check.ts';
import { REALM, type Digest } from './digest.ts';
import type { Tokens } from './tokens.ts';

/** The parts of a request that say who is asking. */
export interface Asking {
  method: string;
  /** As it stands in the request line: Digest covers it to the letter. */
  target: string;
  /** Of the client, or of the proxy that is trusted to tell. */
  address: string;
  headers: IncomingHttpHeaders;
  /** The parameters of the address, decoded, such as a URLSearchParams. */
  query: { getAll(name: string): string[] };
}

export interface Identity {
  account: AccountRow;
  scheme: 'token' | 'basic' | 'digest';
  /** How a token was presented; null for the other schemes. */
  presented: 'header' | 'query' | 'cookie' | null;
  tokenId: number | null;
  token: string | null;
}

/** A credential was presented on purpose and is wrong. `stale`: only the nonce of a Digest answer was. */
export class WrongCredential extends Refusal {
  readonly stale: boolean;
  constructor(stale = false) {
    super(401, stale ? 'The nonce is no longer good; answer the new one.' : 'The credentials presented are wrong.');
    this.name = 'WrongCredential';
    this.stale = stale;
  }
}

/**
 * The identity, or null when nothing is presented, or only a cookie that is no longer good. What is presented on purpose (Authorization,
 * then `_token`) comes before the cookie, and all of it must be right. Throws WrongCredential, and Refusal 429 and 503.
 */
export async function authenticate(asking: Asking, check: CredentialCheck, tokens: Tokens, digest: Digest): Promise<Identity | null> {
  const byHeader =
    asking.headers.authorization === undefined ? null : await fromHeader(asking.headers.authorization, asking, check, tokens, digest);
  let byQuery: Identity | null = null;
  for (const token of new Set(asking.query.getAll('_token'))) {
    // Two different tokens in one address cannot both be meant.
    if (byQuery !== null) throw new WrongCredential();
    byQuery = (await fromToken(token, 'query', tokens)) ?? refuse();
  }
  if (byHeader !== null || byQuery !== null) return byHeader ?? byQuery;
  const cookie = parseCookie(asking.headers.cookie ?? '')['token'];
  return cookie === undefined ? null : fromToken(cookie, 'cookie', tokens);
}

async function fromHeader(header: string, asking: Asking, check: CredentialCheck, tokens: Tokens, digest: Digest): Promise<Identity> {
  const given = readAuthorization(header) ?? refuse();
  switch (given.scheme) {
    case 'token':
      return (await fromToken(given.token, 'header', tokens)) ?? refuse();
    case 'basic': {
      const account = (await check.password(given.username, given.password, asking.address)) ?? refuse();
      return { account, scheme: 'basic', presented: null, tokenId: null, token: null };
    }
    case 'digest': {
      if (!digest.fits(given.answer, asking.target)) refuse();
      const { account, fresh } = (await check.digest(given.answer, asking.method, asking.address)) ?? refuse();
      if (!fresh) throw new WrongCredential(true);
      return { account, scheme: 'digest', presented: null, tokenId: null, token: null };
    }
  }
}

async function fromToken(token: string, presented: 'header' | 'query' | 'cookie', tokens: Tokens): Promise<Identity | null> {
  const found = await tokens.verify(token);
  return found && { ...found, scheme: 'token', presented, token };
}

function refuse(): never {
  throw new WrongCredential();
}

export type Challenge = 'all' | 'token' | 'basic' | 'digest';

/**
 * Values of WWW-Authenticate, one a challenge. When the answer is HTML, 'all' means X-Token alone, so that a browser shows the
 * sign-in page and no pop-up; except for a stale nonce, which a browser replaces without asking anybody.
 */
export function challenges(digest: Digest, kind: Challenge, html: boolean, stale = false): string[] {
  const quiet = kind === 'all' && html;
  const values: string[] = [];
  if (kind === 'basic' || (kind === 'all' && !quiet)) values.push(`Basic realm="${REALM}", charset="UTF-8"`);
  if (kind === 'digest' || (kind === 'all' && (!quiet || stale))) values.push(...digest.challenges(stale));
  // Last, because there are clients that give up at the first scheme that they do not know.
  if (kind === 'all' || kind === 'token') values.push('X-Token');
  return values;
}

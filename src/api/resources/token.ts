// The three authentication addresses, to the letter of the document's table, and registration: what nobody needs to be
// signed in for. They answer by redirects, so they are not data objects like the others.
import { Refusal } from '../../basics/errors.ts';
import type { Clock } from '../../basics/clock.ts';
import { readBody } from '../../formats/input.ts';
import { barePage, type OutputFormat } from '../../formats/format.ts';
import { registration } from '../../kinds/account.ts';
import { isCarriable } from '../../kinds/format.ts';
import { checkCreation, mergeFaults } from '../../kinds/input.ts';
import type { Created, Faults } from '../../kinds/kind.ts';
import { tokenRequest } from '../../kinds/token.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Auth } from '../auth/auth.ts';
import { WrongCredential, type Identity } from '../auth/authenticate.ts';
import { createThrottle } from '../auth/throttle.ts';
import { LONGEST_LIFE } from '../auth/tokens.ts';
import { faultsAnswer, redirectAnswer, type Answer } from '../answer.ts';
import { ROOT, type Request } from '../request.ts';

/** An address that anybody may ask. `challenge`: what its 401 carries. */
export interface OpenAddress {
  path: string;
  challenge: 'token' | 'basic' | 'digest';
  methods: readonly string[];
  answer(request: Request, output: OutputFormat): Promise<Answer>;
}

interface Parts {
  storage: Pick<Storage, 'accounts' | 'tokens'>;
  auth: Auth;
  clock: Clock;
}

async function toGateway(request: Request, auth: Auth): Promise<Answer> {
  if ((await auth.authenticate(request)) === null) throw new Refusal(401, 'Sign in to see this.');
  return redirectAnswer('gateway', request);
}

/** `auth-basic` and `auth-digest`: GET asks for that scheme; nothing else is taken, whoever asks. */
export const schemeAddress = (path: string, challenge: 'basic' | 'digest', { auth }: Parts): OpenAddress => ({
  path,
  challenge,
  methods: ['GET', 'HEAD', 'OPTIONS'],
  answer: (request) => toGateway(request, auth),
});

export const tokenAddress = ({ storage, auth }: Parts): OpenAddress => ({
  path: 'token',
  challenge: 'token',
  methods: ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'],
  async answer(request, output) {
    if (request.method === 'POST') {
      auth.refuseCrossSite(request, null);
      const { value, faults } = checkCreation(tokenRequest, readBody(request.headers['content-type'], request.body, tokenRequest));
      const signedIn = await auth.signIn({ ...value, ...wrongOnes(faults) }, request.address, labelOf(request));
      if ('problems' in signedIn) return faultsAnswer(signedIn.problems, output, request);
      return tokenAnswer(request, signedIn);
    }
    if (request.method !== 'DELETE') return toGateway(request, auth);
    const identity = await auth.authenticate(request);
    if (identity === null) throw new WrongCredential();
    auth.refuseCrossSite(request, identity);
    return revoke(identity, request, storage);
  },
});

/** What is of the wrong type or size goes on as a value that cannot be right: sign-in says so in its fixed words. */
const wrongOnes = (faults: Faults | null): Record<string, unknown> =>
  Object.fromEntries(Object.entries(faults ?? {}).flatMap(([name, fault]) => (fault === 'invalid' ? [[name, NaN]] : [])));

async function revoke({ account, tokenId }: Identity, request: Request, storage: Parts['storage']): Promise<Answer> {
  if (tokenId === null) throw new Refusal(400, 'There is no token to revoke: the request was authenticated by password.');
  await storage.tokens.revoke(account.id, tokenId);
  return { status: 200, headers: { 'set-cookie': cookie('', 0, request), 'cache-control': 'no-store' }, body: '' };
}

function tokenAnswer(request: Request, { token, expires }: { token: string; expires: number }): Answer {
  // The redirect carries the new token; an old one in the address is not to follow it there.
  const persistent = request.persistent.filter(([name]) => name !== '_token');
  return redirectAnswer(`gateway?_token=${token}`, { path: request.path, persistent }, { 'set-cookie': cookie(token, expires, request) });
}

const cookie = (token: string, expires: number, { secure }: Request): string =>
  `token=${token}; expires=${new Date(expires).toUTCString()}; Path=${ROOT}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

/** What the list of tokens shows of the client that asked for one. */
function labelOf({ headers }: Request): string | null {
  const agent = headers['user-agent']?.slice(0, 200);
  return agent !== undefined && isCarriable(agent) ? agent : null;
}

/** Registrations from one address at once, and how often one more, s. */
const REGISTRATIONS = { burst: 20, interval: 30 };

export function registrationAddress({ storage, auth, clock }: Parts): OpenAddress {
  const throttle = createThrottle(clock, { account: REGISTRATIONS, address: REGISTRATIONS, remembered: 10_000 });
  return {
    path: 'registration',
    challenge: 'token',
    methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
    async answer(request, output) {
      if (request.method !== 'POST') {
        const page = barePage(request.path, registration, 'registration');
        return { status: 200, headers: { 'content-type': output.mediaType }, body: output.write({ url: 'registration' }, page) };
      }
      auth.refuseCrossSite(request, null);
      const { value, faults } = checkCreation(registration, readBody(request.headers['content-type'], request.body, registration));
      const { username, password, name, email = null, timezone = 'UTC' } = value as Partial<Created<typeof registration>>;
      // Counted are accounts that are made and names that are told to be taken: neither is to be had in numbers.
      const attempt = throttle.take(null, request.address);
      const taken =
        username !== undefined && (await storage.accounts.byName(username)) !== undefined ? { username: 'taken' as const } : null;
      const all = mergeFaults(faults, taken);
      if (all !== null || username === undefined || password === undefined) {
        if (taken === null) attempt.giveBack();
        return faultsAnswer(all ?? {}, output, request);
      }
      const made = await auth.hashPassword(username, password);
      const row = { username, name: name ?? username, email, timezone, created_time: clock(), ...made, key_hash: null, key_hint: null };
      const id = await storage.accounts.create(row);
      if (id === null) return faultsAnswer({ username: 'taken' }, output, request);
      const issued = await auth.issueToken({ id, password_hash: row.password_hash }, LONGEST_LIFE, labelOf(request));
      return issued === null ? redirectAnswer('gateway', request) : tokenAnswer(request, issued);
    },
  };
}

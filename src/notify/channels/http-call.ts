// One HTTP request whose answer's status is all that matters: what targets and gateways share. Knows not what is sent.
import { request, type Dispatcher } from 'undici';
import { Undelivered } from './channel.ts';

/** How long a connection may take, ms. */
export const CONNECT_TIMEOUT = 10_000;

/** What is read of an answer behind its status, and for how long: some senders mind when nobody listens. */
const BODY_LIMIT = 65_536;
const BODY_TIME = 2000;

/** Errors of undici and of the system's sockets, in words. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection without an answer',
  EPIPE: 'closed the connection without an answer',
  UND_ERR_SOCKET: 'closed the connection without an answer',
  UND_ERR_CONNECT_TIMEOUT: 'took no connection within 10 s',
  ETIMEDOUT: 'took no connection in time',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'answered with headers that are too long',
};

export interface Call {
  url: URL;
  method: Dispatcher.HttpMethod;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

/** The status of an answer that says "done". `who` begins the sentence about any other end. Redirects are not followed. */
export async function call(
  who: string,
  { url, method, headers, body }: Call,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<{ status: number }> {
  let answer: Dispatcher.ResponseData;
  try {
    answer = await request(url, { method, headers, body, dispatcher, signal });
  } catch (error) {
    if (signal.aborted || error instanceof Undelivered) throw error;
    throw new Undelivered(`${who} ${describe(error)}`, null, { cause: error });
  }
  const status = answer.statusCode;
  // The status is said; that the rest of the answer is cut short or breaks off does not unsay it.
  await answer.body.dump({ limit: BODY_LIMIT, signal: AbortSignal.timeout(BODY_TIME) }).catch(() => undefined);
  if (status >= 200 && status < 300) return { status };
  throw new Undelivered(
    status >= 300 && status < 400 ? `${who} answered ${status}, a redirect; redirects are not followed` : `${who} answered ${status}`,
    status,
  );
}

function describe(error: unknown): string {
  const { code = '', name, message } = error as Error & { code?: string };
  if (name === 'HTTPParserError') return 'answered with something that is not HTTP';
  if (/CERT|ERR_TLS|ERR_SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `could not be trusted: ${code}`;
  return SENTENCES[code] ?? `could not be asked: ${code === '' ? message : code}`;
}

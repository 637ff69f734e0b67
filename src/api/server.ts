// The web server: every address of the interface, and the edge where failures become answers. The path of a request itself is in handle.ts.
import { METHODS, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, LogController, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { Fault, Refusal } from '../basics/errors.ts';
import type { Clock } from '../basics/clock.ts';
import type { Log } from '../basics/log.ts';
import { negotiateFailure } from '../formats/negotiate.ts';
import { signInPage } from '../formats/html-document.ts';
import { STYLE_SOURCE } from '../formats/html-style.ts';
import { eventNotification, zoneNotification } from '../kinds/notification.ts';
import type { Hub } from '../live/hub.ts';
import type { Acceptance } from '../pipeline/accept.ts';
import type { Storage } from '../storage/storage.ts';
import { failureAnswer, phraseOf, type Answer } from './answer.ts';
import { readBytes } from './body.ts';
import type { Auth } from './auth/auth.ts';
import { WrongCredential } from './auth/authenticate.ts';
import type { SigningSecrets } from './auth/signing-secret.ts';
import { handle } from './handle.ts';
import { relativeLink, withParameters } from './links.ts';
import { LIVE_STREAM, streamLive } from './live-stream.ts';
import { send, type Measure } from './send.ts';
import { describeInterface, OPENAPI } from './openapi.ts';
import { MOST_PERSISTENT, readRequest, ROOT, type Request } from './request.ts';
import { accountResource, keyResource, signingSecretResource } from './resources/account.ts';
import { deliveriesResource, deliveryResource, resendResource } from './resources/deliveries.ts';
import { eventResource, eventsResource, eventTypesResource } from './resources/events.ts';
import { daysResource } from './resources/days.ts';
import { gatewayResource } from './resources/gateway.ts';
import { liveResource } from './resources/live.ts';
import {
  eventNotificationsResource,
  notificationResource,
  notificationsOfZoneResource,
  zoneNotificationsResource,
} from './resources/notifications.ts';
import { positionsResource } from './resources/positions.ts';
import { sampleResource } from './resources/sample.ts';
import { targetResource, targetsResource, testResource, type Wake } from './resources/targets.ts';
import { timezonesResource } from './resources/timezones.ts';
import { registrationAddress, schemeAddress, tokenAddress, type OpenAddress } from './resources/token.ts';
import { tokenOfListResource, tokensResource } from './resources/tokens.ts';
import { trackerResource, trackersResource } from './resources/trackers.ts';
import { tripResource, tripsResource } from './resources/trips.ts';
import { zoneResource, zonesResource } from './resources/zones.ts';
import type { Resource } from './resource.ts';

export interface ApiParts {
  storage: Storage;
  acceptance: Acceptance;
  auth: Auth;
  signingSecrets: SigningSecrets;
  /** Tells the courier of messages that wait. */
  wake: Wake;
  hub: Hub;
  clock: Clock;
  log: Log;
  measure: Measure;
  version: string;
  /** Aborted when the service stops: live streams end. */
  stopping: AbortSignal;
  isReady: () => Promise<boolean>;
  options: {
    registrationOpen: boolean;
    bodyLimit: number;
    maxPage: number;
    /** Cool-down of a notification that says nothing else, s. */
    cooldown: number;
    /** Addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. */
    trustProxy: readonly string[];
  };
}

/** Every data object's address. */
export const resourcesOf = ({
  storage,
  acceptance,
  auth,
  signingSecrets,
  wake,
  clock,
  options,
}: Pick<ApiParts, 'storage' | 'acceptance' | 'auth' | 'signingSecrets' | 'wake' | 'clock' | 'options'>): Resource[] => [
  gatewayResource,
  accountResource(storage, auth),
  keyResource(storage),
  signingSecretResource(signingSecrets),
  tokensResource(storage, clock),
  tokenOfListResource(storage, clock),
  trackersResource(storage, clock),
  trackerResource(storage, clock),
  positionsResource(storage, acceptance, options.maxPage),
  daysResource(storage, clock),
  tripsResource(storage, clock, options.maxPage),
  tripResource(storage, clock),
  eventsResource(storage, 'trackers/:imei/events', options.maxPage),
  eventNotificationsResource(storage, clock, options.cooldown),
  notificationResource(storage, eventNotification),
  zoneNotificationsResource(storage, clock, options.cooldown),
  notificationResource(storage, zoneNotification),
  liveResource(storage),
  zonesResource(storage, clock),
  zoneResource(storage),
  notificationsOfZoneResource(storage, clock, options.cooldown),
  eventsResource(storage, 'events', options.maxPage),
  eventResource(storage),
  eventTypesResource,
  targetsResource(storage, clock),
  targetResource(storage, wake),
  testResource(storage, clock, wake),
  deliveriesResource(storage, options.maxPage),
  deliveryResource(storage),
  resendResource(storage, clock, wake),
  timezonesResource,
  sampleResource(storage, clock),
];

/** Nothing on a page may run, load or be framed; forms go to ourselves. Own pages send their origin, which `refuseCrossSite` looks for. */
const SECURITY_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src ${STYLE_SOURCE}; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'Accept',
};

export function createServer(parts: ApiParts) {
  const { auth, log, measure, options } = parts;
  const server = fastify({
    // Where it listens is told once, by the command.
    loggerInstance: log.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy.length === 0 ? false : [...options.trustProxy],
    // A request must have arrived after 30 s, an idle socket is closed after 60 s, a client that does not read is cut off after 120 s.
    requestTimeout: 30_000,
    keepAliveTimeout: 60_000,
    connectionTimeout: 120_000,
    http: { maxHeaderSize: 16_384, headersTimeout: 15_000, connectionsCheckingInterval: 5000 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    clientErrorHandler: answerBadRequest,
    // What is logged of a request is logged by `send`; a logger for each would cost more than it tells.
    childLoggerFactory: (logger) => logger,
    frameworkErrors: (error, raw, reply) => {
      const request = readRequest(raw);
      respond(request, reply, failureOf(error, request));
    },
  });
  server.server.maxConnections = 10_000;
  // Every method that a request can have is answered by the address, not by the framework.
  for (const method of METHODS)
    if (method !== 'CONNECT' && !server.supportedMethods.includes(method)) server.addHttpMethod(method, { hasBody: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (raw: FastifyRequest, payload: IncomingMessage) =>
    readBytes(payload, OPEN_PATHS.has(raw.routeOptions.url ?? '') ? OPEN_BODY : options.bodyLimit),
  );

  /** A failure as an answer, whatever happens: an edge that throws would take the whole service with it. */
  function failureOf(error: Error, request: Request, open?: OpenAddress): Answer {
    try {
      return describeFailure(error, request, open);
    } catch (second) {
      log.error({ request: request.id, path: request.path, err: second, first: error }, 'a failure could not be described');
      return LAST_RESORT;
    }
  }

  /** `open` is the authentication address that was asked, whose 401 carries its own challenge alone. */
  function describeFailure(error: Error, request: Request, open?: OpenAddress): Answer {
    const refusal = refusalOf(error, request, log);
    const format = negotiateFailure(request.query.get('_format') ?? undefined, request.headers.accept);
    if (refusal.status !== 401) return failureAnswer(refusal, format, request, refusal.status === 500 ? { _request: request.id } : {});
    const wrong = error instanceof WrongCredential;
    // The ways in do not carry a token that is no good: it would be refused there again.
    const asked = { ...request, persistent: request.persistent.filter(([name]) => name !== '_token') };
    const answer = failureAnswer(
      refusal,
      format,
      asked,
      options.registrationOpen ? { ...WAYS_IN, registration_url: 'registration' } : WAYS_IN,
    );
    answer.headers['www-authenticate'] = auth.challenges(open?.challenge ?? 'all', format.name === 'html', wrong && error.stale);
    if (format.name === 'html') answer.body = signInPageOf(asked, wrong ? refusal.message : null);
    return answer;
  }

  const respond = (request: Request, reply: FastifyReply, answer: Answer): void =>
    send(request, reply, answer, SECURITY_HEADERS, log, measure);

  /** What `work` answers, or what its failure comes to. */
  async function serve(
    raw: FastifyRequest,
    reply: FastifyReply,
    work: (request: Request) => Promise<Answer>,
    open?: OpenAddress,
  ): Promise<void> {
    const request = readRequest(raw);
    let answer: Answer;
    try {
      answer = isLong(request) ? tooLong(request) : await work(request);
    } catch (error) {
      answer = failureOf(error as Error, request, open);
    }
    try {
      respond(request, reply, answer);
    } catch (error) {
      log.error({ request: request.id, path: request.path, err: error }, 'an answer could not be sent');
      reply.raw.destroy();
    }
  }
  const answerAt = (path: string, work: (request: Request) => Promise<Answer>, open?: OpenAddress): void => {
    server.all(path, (raw, reply) => void serve(raw, reply, work, open));
  };

  const resources = resourcesOf(parts);
  for (const resource of resources) answerAt(ROOT + resource.path, (request) => handle(request, resource, auth));

  const openAddresses = [
    tokenAddress(parts),
    schemeAddress('auth-basic', 'basic', parts),
    schemeAddress('auth-digest', 'digest', parts),
    ...(options.registrationOpen ? [registrationAddress(parts)] : []),
  ];
  for (const open of openAddresses) answerAt(ROOT + open.path, (request) => answerOpenly(request, open), open);

  const description = JSON.stringify(describeInterface(resources, parts.version, options.registrationOpen), null, 1);
  const describe = async ({ method }: Request): Promise<Answer> => {
    const allow = 'GET, HEAD, OPTIONS';
    if (method === 'OPTIONS') return { status: 200, headers: { allow }, body: '' };
    if (!['GET', 'HEAD'].includes(method)) throw new Refusal(405, `This address takes ${allow}.`, { allow });
    return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' }, body: description };
  };
  answerAt('/openapi.json', describe);
  answerAt(ROOT + OPENAPI, async (request) => {
    await signedIn(request, auth);
    return describe(request);
  });

  answerAt(ROOT + LIVE_STREAM, (request) => streamLive(request, parts));

  const toGateway = (from: string, to: string): void =>
    answerAt(from, async ({ persistent }) => ({ status: 303, headers: { location: withParameters(to, persistent) }, body: '' }));
  toGateway('/', 'rest/v2/gateway');
  toGateway('/rest/v2', 'v2/gateway');
  toGateway(ROOT, 'gateway');
  const state = (status: number, word: string): Answer => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: `{"status":"${word}"}\n`,
  });
  answerAt('/health', async () => state(200, 'ok'));
  answerAt('/ready', async () => ((await parts.isReady()) ? state(200, 'ready') : state(503, 'not ready')));

  server.setNotFoundHandler(
    (raw, reply) =>
      void serve(raw, reply, async (request) => {
        // Under the service root even that an address does not exist is only for those who are signed in.
        if (request.target.startsWith(ROOT)) await signedIn(request, auth);
        throw new Refusal(404, 'There is nothing at this address.');
      }),
  );
  server.setErrorHandler((error: FastifyError, raw, reply) => {
    const request = readRequest(raw);
    respond(request, reply, failureOf(error, request));
  });
  return server;
}

/** The largest body of one whom nobody knows yet, bytes: reading XML takes time. */
const OPEN_BODY = 16_384;

/** Where somebody unknown may send a body: these take small ones only. */
const OPEN_PATHS = new Set(['token', 'auth-basic', 'auth-digest', 'registration'].map((path) => ROOT + path));

const LAST_RESORT: Answer = {
  status: 500,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: '{"_status":500,"_error":"internal error","_detail":"Something is wrong on our side."}',
};

const isLong = ({ persistent }: Request): boolean =>
  persistent.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MOST_PERSISTENT;

/** Answered without them: repeating them is what they are too long for. */
function tooLong(request: Request): never {
  request.persistent = [];
  throw new Refusal(400, `Parameters that begin with an underscore can have ${MOST_PERSISTENT} characters together.`);
}

/** What Node itself cannot read as a request is answered on the bare socket, and ends the connection. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify({ _status: status, _error: phraseOf(status), _detail: 'This is no request that can be read.' });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const WAYS_IN = { token_url: 'token', auth_basic_url: 'auth-basic', auth_digest_url: 'auth-digest' };

const signInPageOf = ({ path, persistent }: Request, message: string | null): string =>
  signInPage(withParameters(relativeLink(path, 'token'), persistent), message);

async function signedIn(request: Request, auth: Auth): Promise<void> {
  if ((await auth.authenticate(request)) === null) throw new Refusal(401, 'Sign in to see this.');
}

async function answerOpenly(request: Request, open: OpenAddress): Promise<Answer> {
  const allow = open.methods.join(', ');
  if (!open.methods.includes(request.method)) throw new Refusal(405, `This address takes ${allow}.`, { allow });
  if (request.method === 'OPTIONS') return { status: 200, headers: { allow }, body: '' };
  const output = negotiateFailure(request.query.get('_format') ?? undefined, request.headers.accept);
  const answer = await open.answer(request, output);
  if (output.name === 'html' && open.path === 'token' && answer.status === 400)
    answer.body = signInPageOf(request, 'The user name or the password is wrong.');
  return answer;
}

/** Every failure as a refusal: the one place where their sorts are told apart for the web. */
function refusalOf(error: Error & { statusCode?: number; code?: string }, request: Request, log: Log): Refusal {
  if (error instanceof Refusal) return error;
  const path = request.path;
  if (error instanceof Fault && error.retryable) {
    log.error({ request: request.id, path, err: error }, 'storage is not available');
    return new Refusal(503, 'The service cannot do this right now. Try again in a moment.', { 'retry-after': '5' });
  }
  const { statusCode } = error;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    if (statusCode === 413) return new Refusal(413, 'The body is larger than this service takes.');
    return new Refusal(statusCode, 'The request cannot be read.');
  }
  log.error({ request: request.id, path, err: error }, 'a request failed by a fault of this program');
  return new Refusal(500, `Something is wrong on our side. The log of the service knows it as request ${request.id}.`);
}

// A small HTTP client for the tests: sends exactly what it is told, follows nothing by itself, and resolves links as any client would.
// Knows no address of the interface but the one that it is given.
import { Agent, request as open, type IncomingHttpHeaders } from 'node:http';

export type Thing = Record<string, unknown>;

export const without = (object: Thing, names: readonly string[]): Thing =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** What is sent. Of `json`, `xml`, `form` and `body` at most one. */
export interface Sending {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  xml?: string;
  form?: Record<string, string>;
  /** As it is, with whatever `content-type` the headers have. */
  body?: string | Uint8Array;
}

/** What came back. */
export class Answer {
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Each value of a header that came more than once. */
  readonly distinct: NodeJS.Dict<string[]>;
  readonly bytes: Buffer;

  constructor(url: string, status: number, headers: IncomingHttpHeaders, distinct: NodeJS.Dict<string[]>, bytes: Buffer) {
    this.url = url;
    this.status = status;
    this.headers = headers;
    this.distinct = distinct;
    this.bytes = bytes;
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  /** The body as JSON. */
  get object(): Thing {
    return JSON.parse(this.text) as Thing;
  }

  /** The objects of a list of the body. */
  list(name: string): Thing[] {
    const value = this.object[name];
    if (!Array.isArray(value)) throw new Error(`${this.url} has no list ${name}: ${this.text.slice(0, 300)}`);
    return value as Thing[];
  }

  /** Where a link of the body leads. */
  link(name: string, of: Thing = this.object): string {
    const value = of[name];
    if (typeof value !== 'string') throw new Error(`${this.url} has no link ${name}: ${this.text.slice(0, 300)}`);
    return new URL(value, this.url).href;
  }

  /** Where a redirect leads. */
  get location(): string {
    const { location } = this.headers;
    if (location === undefined) throw new Error(`${this.url} answered ${this.status} without Location: ${this.text.slice(0, 300)}`);
    return new URL(location, this.url).href;
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 20 });
/** A test that hangs is worth less than one that fails, ms. */
const PATIENCE = 20_000;

export function ask(url: string, sending: Sending = {}): Promise<Answer> {
  const { json, xml, form } = sending;
  const headers: Record<string, string> = { ...sending.headers };
  let body = sending.body;
  if (json !== undefined) [headers['content-type'], body] = ['application/json', JSON.stringify(json)];
  if (xml !== undefined) [headers['content-type'], body] = ['application/xml', xml];
  if (form !== undefined) [headers['content-type'], body] = ['application/x-www-form-urlencoded', new URLSearchParams(form).toString()];
  if (body !== undefined) headers['content-length'] ??= String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const sent = open(url, { method: sending.method ?? (body === undefined ? 'GET' : 'POST'), headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve(new Answer(url, response.statusCode ?? 0, response.headers, response.headersDistinct, Buffer.concat(chunks))),
      );
    });
    sent.setTimeout(PATIENCE, () => sent.destroy(new Error(`${url} did not answer`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A client that has signed in: it knows one address, and finds everything else by links. */
export class Client {
  readonly gateway: Answer;
  readonly token: string;

  private constructor(gateway: Answer, token: string) {
    this.gateway = gateway;
    this.token = token;
  }

  /** From the address of the service alone: what it redirects to says where to sign in. */
  static async signIn(service: string, credentials: Thing): Promise<Client> {
    const entrance = await ask((await ask(service)).location);
    const signedIn = await ask(entrance.link('token_url'), { json: credentials });
    if (signedIn.status !== 303) throw new Error(`signing in was answered ${signedIn.status}: ${signedIn.text}`);
    const token = new URL(signedIn.location).searchParams.get('_token') ?? '';
    const gateway = new URL(signedIn.location);
    gateway.search = '';
    return new Client(await ask(gateway.href, { headers: { authorization: `X-Token ${token}` } }), token);
  }

  ask(url: string, sending: Sending = {}): Promise<Answer> {
    return ask(url, { ...sending, headers: { authorization: `X-Token ${this.token}`, ...sending.headers } });
  }

  /** The object that the gateway's link leads to. */
  go(link: string, query = ''): Promise<Answer> {
    return this.ask(this.gateway.link(link) + query);
  }

  /** The account's tracker with this IMEI, found as a client finds it. */
  async tracker(imei: string): Promise<Answer> {
    const trackers = await this.go('trackers_url');
    const found = trackers.list('trackers').find((tracker) => tracker['imei'] === imei);
    if (found === undefined) throw new Error(`the account has no tracker ${imei}`);
    return this.ask(trackers.link('url', found));
  }

  /** Registers a tracker and returns it. */
  async addTracker(imei: string, more: Thing = {}): Promise<Answer> {
    const made = await this.ask(this.gateway.link('trackers_url'), { json: { imei, ...more } });
    if (made.status !== 303) throw new Error(`the tracker ${imei} was answered ${made.status}: ${made.text}`);
    return this.ask(made.location);
  }

  /** All positions of a tracker, over as many pages as there are. */
  async positions(tracker: Answer, query = ''): Promise<Thing[]> {
    const all: Thing[] = [];
    for (let page = await this.ask(tracker.link('positions_url') + query); ; page = await this.ask(page.link('next_url'))) {
      all.push(...page.list('positions'));
      if (page.object['next_url'] === null) return all;
    }
  }
}

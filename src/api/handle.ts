// The path of a request, from the socket to the bytes of the answer. In order:
//   1. format        what the answer, or its failure, will be written in
//   2. identity      who asks; nobody gets 401
//   3. method        what the address can do
//   4. body          bytes become a tree of plain values
//   5. check         the tree against the kind, all faults at once; links become addresses below the service root
//   6. act           the resource reads or changes what the account has
//   7. links         addresses become links relative to the answer, persistent parameters repeated
//   8. condition     ETag, If-None-Match, If-Match
//   9. bytes         the object in its format
import { Refusal } from '../basics/errors.ts';
import { readBody } from '../formats/input.ts';
import { negotiate, type Chosen } from '../formats/negotiate.ts';
import { isTimeZone } from '../kinds/format.ts';
import { checkAlteration, checkCreation, mergeFaults } from '../kinds/input.ts';
import { writeAll, type OutputFormat, type StreamWriter } from '../formats/format.ts';
import { failure } from '../kinds/failure.ts';
import type { Auth } from './auth/auth.ts';
import type { Identity } from './auth/authenticate.ts';
import { faultsAnswer, pageOf, redirectAnswer, type Answer } from './answer.ts';
import { hasChanged, isUnchanged, objectTag } from './etag.ts';
import { takeLinks, type Given } from './input-links.ts';
import type { Request } from './request.ts';
import type { Ask, Factory, Read, Resource, Shown, Stream } from './resource.ts';
import { readWay } from './way.ts';
import { writeShown } from './write.ts';

/** Throws Refusal; the edge writes it in the format of failures. */
export async function handle(request: Request, resource: Resource, auth: Auth): Promise<Answer> {
  const chosen = negotiate(request.query.get('_format') ?? undefined, request.headers.accept, resource.get?.kind ?? failure);
  const identity = await auth.authenticate(request);
  if (identity === null) throw new Refusal(401, 'Sign in to see this.');
  auth.refuseCrossSite(request, identity);
  const ask = askOf(request, identity);
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      if (resource.get !== undefined) return read(request, resource, resource.get, ask, chosen);
      break;
    case 'POST':
      if (resource.post !== undefined) return create(request, resource.post, ask, chosen, auth);
      break;
    case 'PUT':
      if (resource.put !== undefined) return inTurn(ask.account.id, () => change(request, resource, ask, chosen, auth));
      break;
    case 'DELETE':
      if (resource.delete !== undefined) return inTurn(ask.account.id, () => remove(request, resource, ask, chosen));
      break;
    case 'OPTIONS':
      return { status: 200, headers: { allow: allowed(resource) }, body: '' };
  }
  throw methodRefusal(resource);
}

const turns = new Map<number, Promise<unknown>>();

/** Changes of one account one after the other: each is made to the object that it was checked against. */
function inTurn(accountId: number, work: () => Promise<Answer>): Promise<Answer> {
  const answer = (turns.get(accountId) ?? Promise.resolve()).then(work);
  const ended = answer.then(
    () => undefined,
    () => undefined,
  );
  turns.set(accountId, ended);
  void ended.then(() => turns.get(accountId) === ended && turns.delete(accountId));
  return answer;
}

function allowed(resource: Pick<Resource, 'get' | 'post' | 'put' | 'delete'>): string {
  return [resource.get && 'GET, HEAD', resource.post && 'POST', resource.put && 'PUT', resource.delete && 'DELETE', 'OPTIONS']
    .filter(Boolean)
    .join(', ');
}

const methodRefusal = (resource: Pick<Resource, 'get' | 'post' | 'put' | 'delete'>): Refusal =>
  new Refusal(405, `This address takes ${allowed(resource)}.`, { allow: allowed(resource) });

function askOf(request: Request, identity: Identity): Ask {
  const timezone = request.query.get('_tz') ?? identity.account.timezone;
  if (!isTimeZone(timezone)) throw new Refusal(400, '_tz must be the IANA name of a time zone, such as Europe/Vienna.');
  const { params, query, path, address } = request;
  return { account: identity.account, identity, params, query, timezone, address: path, from: address };
}

async function read(request: Request, resource: Resource, get: Read, ask: Ask, { output, stream }: Chosen): Promise<Answer> {
  const moved = (await get.moved?.(ask)) ?? null;
  if (moved !== null) return redirectAnswer(moved, request);
  if (output !== null) return show(request, ask, resource, get, await get.read(ask), output);
  const page = pageOf(get.kind, get.kind.name, request, { timezone: ask.timezone, way: [] });
  const name = `${request.path.replaceAll(/[^A-Za-z0-9-]+/g, '-')}.${stream.extension}`;
  const headers = {
    'content-type': stream.mediaType,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
  };
  if (get.stream === undefined) return { status: 200, headers, body: writeAll(stream, await get.read(ask), page) };
  const found = await get.stream(ask);
  // A stream also where nothing of it goes out: an empty text would say that the export has no bytes.
  return {
    status: 200,
    headers,
    body: request.method === 'HEAD' ? each([]) : streamed(stream.open({ ...page, title: found.title }), found),
  };
}

/** Characters of a piece of a stream: one write to the socket. */
const PIECE = 60_000;

async function* streamed(writer: StreamWriter, { items, positions }: Stream): AsyncGenerator<string> {
  let piece = writer.head();
  for await (const item of items) {
    piece += writer.item(item);
    if (piece.length > PIECE) {
      yield piece;
      piece = '';
    }
    if (positions === undefined || writer.position === undefined) continue;
    for await (const position of positions(item)) {
      piece += writer.position(position);
      if (piece.length > PIECE) {
        yield piece;
        piece = '';
      }
    }
  }
  yield piece + writer.foot();
}

async function show(
  request: Request,
  ask: Ask,
  { put, delete: removal }: Resource,
  get: Read,
  shown: Shown,
  output: OutputFormat,
): Promise<Answer> {
  const people = {
    title: get.title?.(shown) ?? get.kind.name,
    timezone: ask.timezone,
    way: output.name === 'html' ? await readWay(get, ask) : [],
  };
  const { pieces, hash } = await writeShown(request, get.kind, people, shown, output);
  const tag = put !== undefined || removal !== undefined ? objectTag(shown, get.kind, output.name) : `"${hash}"`;
  const headers = { 'content-type': output.mediaType, etag: tag, 'cache-control': 'private, no-cache' };
  if (request.method !== 'PUT' && isUnchanged(request.headers['if-none-match'], tag)) return { status: 304, headers, body: '' };
  const [whole = ''] = pieces;
  return { status: 200, headers, body: pieces.length === 1 ? whole : each(pieces) };
}

async function* each(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

const outputOf = ({ output }: Chosen): OutputFormat => {
  if (output === null) throw new Refusal(400, 'A change is answered in json, xml or html.');
  return output;
};

/** Where the links of the input were given. */
const givenAt = (request: Request, auth: Auth): Given => ({
  path: request.path,
  isOwn: (origin) => auth.isOwnOrigin(origin, request),
});

async function create(request: Request, post: Factory, ask: Ask, chosen: Chosen, auth: Auth): Promise<Answer> {
  const output = outputOf(chosen);
  const tree = { ...post.implied?.(ask), ...readBody(request.headers['content-type'], request.body, post.kind) };
  const checked = checkCreation(post.kind, tree);
  const { value, faults } = takeLinks(post.kind, checked.value, givenAt(request, auth));
  const all = mergeFaults(mergeFaults(checked.faults, faults), (await post.faults?.(ask, value)) ?? null);
  if (all !== null) return faultsAnswer(all, output, request);
  const made = await post.make(ask, value);
  if ('faults' in made) return faultsAnswer(made.faults, output, request);
  if ('location' in made) return redirectAnswer(made.location, request);
  return {
    status: 200,
    headers: { 'content-type': output.mediaType, 'cache-control': 'no-store' },
    body: (
      await writeShown(request, post.kind, { title: post.kind.name, timezone: ask.timezone, way: [] }, made.shown, output)
    ).pieces.join(''),
  };
}

async function change(request: Request, resource: Resource, ask: Ask, chosen: Chosen, auth: Auth): Promise<Answer> {
  const output = outputOf(chosen);
  const { get, put } = resource;
  if (get === undefined || put === undefined) throw methodRefusal(resource);
  const current = await get.read(ask);
  if (hasChanged(request.headers['if-match'], objectTag(current, get.kind, output.name)))
    throw new Refusal(412, 'The object has changed since it was read. Read it again.');
  const tree = readBody(request.headers['content-type'], request.body, get.kind);
  const checked = checkAlteration(get.kind, tree, current);
  const { value, faults } = takeLinks(get.kind, checked.value, givenAt(request, auth));
  const all = mergeFaults(mergeFaults(checked.faults, faults), (await put.faults?.(ask, value, current)) ?? null);
  if (all !== null) return faultsAnswer(all, output, request);
  const refused = await put.change(ask, value, current);
  if (refused !== undefined) return faultsAnswer(refused.faults, output, request);
  return show(request, ask, resource, get, await get.read(ask), output);
}

async function remove(request: Request, resource: Resource, ask: Ask, chosen: Chosen): Promise<Answer> {
  const output = outputOf(chosen);
  const current = await resource.get?.read(ask);
  const kind = resource.get?.kind;
  if (current !== undefined && kind !== undefined && hasChanged(request.headers['if-match'], objectTag(current, kind, output.name)))
    throw new Refusal(412, 'The object has changed since it was read. Read it again.');
  await resource.delete?.(ask);
  return { status: 200, headers: { 'content-type': output.mediaType }, body: '' };
}

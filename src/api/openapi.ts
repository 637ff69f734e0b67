// The interface described for machines (OpenAPI 3.1), read off the kinds and the resources. Nothing here is written by hand twice.
import type { TSchema } from 'typebox';
import { formatNames } from '../formats/negotiate.ts';
import { registration } from '../kinds/account.ts';
import { failure } from '../kinds/failure.ts';
import { core, inputOf, isNullable, itemsOf, propertiesOf, typeOf, type Kind } from '../kinds/kind.ts';
import { tokenRequest } from '../kinds/token.ts';
import { ROOT } from './request.ts';
import type { Resource } from './resource.ts';

type Json = Record<string, unknown>;

const PERSISTENT: Json[] = [
  {
    name: '_format',
    in: 'query',
    description: 'Format of the answer; overrides `Accept`. Repeated on every link.',
    schema: { type: 'string' },
  },
  { name: '_tz', in: 'query', description: 'IANA name of the time zone to use. Repeated on every link.', schema: { type: 'string' } },
];

const MEDIA_TYPES = ['application/json', 'application/xml'];

/** `registration`: whether anybody may make an account. */
export function describeInterface(resources: readonly Resource[], version: string, registrationOpen: boolean): Json {
  const kinds = new Map<string, Kind>();
  const refer = (kind: Kind): Json => {
    kinds.set(kind.name, kind);
    return { $ref: `#/components/schemas/${kind.name}` };
  };
  const paths = Object.fromEntries<Json>([
    ...resources.map((resource): [string, Json] => [pathOf(resource), describe(resource, refer)]),
    ...authentication(refer),
    ...(registrationOpen ? [registrationOf(refer)] : []),
    STREAM,
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waypost',
      version,
      description: 'GPS tracker data, private to each account. Start at the gateway and follow its links.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: ROOT.slice(0, -1) }],
    security: [{ token: [] }, { cookie: [] }, { header: [] }, { basic: [] }, { digest: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'query', name: '_token' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'token' },
        header: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`X-Token` and the token.' },
        basic: { type: 'http', scheme: 'basic' },
        digest: { type: 'http', scheme: 'digest' },
      },
      schemas: Object.fromEntries([...kinds.values()].map((kind) => [kind.name, schemaOf(kind.schema)])),
    },
  };
}

/** Below the service root, as OpenAPI writes placeholders. */
const pathOf = ({ path }: Pick<Resource, 'path'>): string => `/${path.replaceAll(/:(\w+)/g, '{$1}')}`;

const content = (schema: Json, types: readonly string[] = MEDIA_TYPES): Json => Object.fromEntries(types.map((type) => [type, { schema }]));

const failures = (refer: (kind: Kind) => Json, ...statuses: [status: number, description: string][]): Json =>
  Object.fromEntries(statuses.map(([status, description]) => [status, { description, content: content(refer(failure)) }]));

const inputTypes = (kind: Kind): string[] => [...MEDIA_TYPES, ...(kind.simple ? ['application/x-www-form-urlencoded'] : [])];

/** The words that an error object holds, in the structure of what was sent. */
const FAULTS: Json = {
  description: 'Not saved: an error object in the structure of the input, with `empty`, `invalid` or `taken` for each offending property.',
  content: content({ type: 'object' }),
};

const ANY: [number, string][] = [
  [401, 'Not authenticated.'],
  [404, 'No such object in this account.'],
  [406, 'None of the accepted formats can be given.'],
];

function describe(resource: Resource, refer: (kind: Kind) => Json): Json {
  const names = [...resource.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const item: Json = {
    parameters: [...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })), ...PERSISTENT],
  };
  const { get, post, put } = resource;
  if (get !== undefined) {
    const query = Object.entries(get.query ?? {}).map(([name, description]) => ({
      name,
      in: 'query',
      description,
      schema: { type: name === 'after' || name.endsWith('_dt') ? 'string' : 'integer' },
    }));
    item['get'] = {
      summary: get.kind.description,
      description: `Also as ${formatNames(get.kind).slice(2).join(', ')} through \`_format\`.`,
      ...(query.length > 0 && { parameters: query }),
      responses: {
        200: { description: get.kind.description, headers: { ETag: { schema: { type: 'string' } } }, content: content(refer(get.kind)) },
        ...(get.moved !== undefined && {
          303: { description: 'It is at another address now.', headers: { Location: { schema: { type: 'string' } } } },
        }),
        304: { description: 'Not changed.' },
        ...failures(refer, ...ANY),
      },
    };
  }
  if (post !== undefined)
    item['post'] = {
      summary: `Makes: ${post.kind.description}`,
      requestBody: { content: content(refer(post.kind), inputTypes(post.kind)) },
      responses: {
        200: { description: 'Made; shown this once.' },
        303: { description: 'Made. `Location` leads to it.', headers: { Location: { schema: { type: 'string' } } } },
        400: FAULTS,
        409: FAULTS,
        ...failures(refer, ...ANY, [413, 'Too large.'], [415, 'A type of body that is not understood here.']),
      },
    };
  if (put !== undefined && get !== undefined)
    item['put'] = {
      summary: `Changes: ${get.kind.description}`,
      requestBody: { required: true, content: content(refer(get.kind), inputTypes(get.kind)) },
      responses: {
        200: { description: 'The object as it now stands.', content: content(refer(get.kind)) },
        400: FAULTS,
        409: FAULTS,
        ...failures(
          refer,
          ...ANY,
          [412, 'Changed since it was read (`If-Match`).'],
          [413, 'Too large.'],
          [415, 'A type of body that is not understood here.'],
        ),
      },
    };
  if (resource.delete !== undefined)
    item['delete'] = {
      summary: 'Removes it.',
      responses: { 200: { description: 'Removed.' }, ...failures(refer, ...ANY, [412, 'Changed since it was read (`If-Match`).']) },
    };
  return item;
}

/** Its answers are no data objects but events, each with an update of the live view. */
const STREAM: [string, Json] = [
  '/live/stream',
  {
    get: {
      summary: 'The live view as server-sent events.',
      parameters: [
        { name: 'since', in: 'query', description: 'Only what changed since; `stream_url` carries it.', schema: { type: 'integer' } },
      ],
      responses: {
        200: {
          description: 'Events named `update`, each with a tracker as `live` shows it.',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
      },
    },
  },
];

const SIGNED_IN = {
  description: 'The gateway with the new token, which also comes as a cookie.',
  headers: { Location: { schema: { type: 'string' } }, 'Set-Cookie': { schema: { type: 'string' } } },
};

const registrationOf = (refer: (kind: Kind) => Json): [string, Json] => [
  '/registration',
  {
    post: {
      summary: 'Makes an account and signs it in.',
      security: [{}],
      requestBody: { required: true, content: content(refer(registration), inputTypes(registration)) },
      responses: {
        303: SIGNED_IN,
        400: FAULTS,
        409: FAULTS,
        ...failures(refer, [429, 'Too many from one address; `Retry-After` says how long to wait.']),
      },
    },
  },
];

function authentication(refer: (kind: Kind) => Json): [string, Json][] {
  const toGateway = { 303: { description: 'Authenticated: see the gateway.' } };
  const scheme = (summary: string): Json => ({
    get: { summary, security: [{}], responses: { ...toGateway, ...failures(refer, [401, 'Carries the challenge of this scheme.']) } },
  });
  return [
    ['/auth-basic', scheme('Asks for HTTP Basic authentication.')],
    ['/auth-digest', scheme('Asks for HTTP Digest authentication.')],
    [
      '/token',
      {
        ...scheme('Asks for a token.'),
        post: {
          summary: 'Exchanges a user name and password, or a web service key, for a token.',
          security: [{}],
          requestBody: { required: true, content: content(refer(tokenRequest), inputTypes(tokenRequest)) },
          responses: {
            303: SIGNED_IN,
            400: FAULTS,
            ...failures(refer, [429, 'Too many attempts; `Retry-After` says how long to wait.']),
          },
        },
        delete: {
          summary: 'Revokes the token presented.',
          responses: { 200: { description: 'Revoked.' }, ...failures(refer, [401, 'Not authenticated.']) },
        },
      },
    ],
  ];
}

/** What is walked into, or is our own. */
const WALKED = new Set(['properties', 'items', 'anyOf', 'x-input', 'required']);

/** Plain JSON Schema: read-only unless it can be input, and without our own annotations. */
function schemaOf(schema: TSchema): Json {
  const rest: Json = Object.fromEntries(Object.entries(schema).filter(([name, value]) => !WALKED.has(name) && value !== Infinity));
  const rule = inputOf(schema);
  if (rule !== undefined)
    rest['description'] = [rest['description'], rule.creationOnly ? 'Only at creation.' : '', rule.unique ? '`taken` when in use.' : '']
      .filter(Boolean)
      .join(' ');
  if (isNullable(schema)) {
    const inner = schemaOf(core(schema));
    return {
      ...inner,
      ...rest,
      type: [inner['type'] ?? 'string', 'null'],
      ...(Array.isArray(inner['enum']) && { enum: [...(inner['enum'] as unknown[]), null] }),
    };
  }
  if (typeOf(schema) === 'array') return { ...rest, items: schemaOf(itemsOf(schema)) };
  if (typeOf(schema) !== 'object') return { ...rest, ...(rest['enum'] !== undefined && { type: 'string' }) };
  return {
    ...rest,
    // A client may leave out anything that it does not change, so nothing is required in both directions.
    properties: Object.fromEntries(
      Object.entries(propertiesOf(schema)).map(([name, property]) => [
        name,
        { ...schemaOf(property), ...(inputOf(property) === undefined && { readOnly: true }) },
      ]),
    ),
  };
}

export const OPENAPI = 'openapi.json';

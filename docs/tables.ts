// The tables of the manual, read off the program: kinds and their properties, addresses and methods, statuses, commands, protocols.
// Knows nothing of the manual around them.
import { Command } from 'commander';
import type { TSchema } from 'typebox';
import { phraseOf } from '../src/api/answer.ts';
import { LIVE_STREAM } from '../src/api/live-stream.ts';
import { OPENAPI } from '../src/api/openapi.ts';
import { registrationAddress, schemeAddress, tokenAddress } from '../src/api/resources/token.ts';
import { resourcesOf } from '../src/api/server.ts';
import { systemClock } from '../src/basics/clock.ts';
import { registerAccount } from '../src/cli/account.ts';
import { registerBackup } from '../src/cli/backup.ts';
import { registerDemo } from '../src/cli/demo.ts';
import { registerImport } from '../src/cli/import.ts';
import { registerRebuild } from '../src/cli/rebuild.ts';
import { registerServe } from '../src/cli/serve.ts';
import { registerTracker } from '../src/cli/tracker.ts';
import { formatNames } from '../src/formats/negotiate.ts';
import { account, key, registration, signingSecret } from '../src/kinds/account.ts';
import { days } from '../src/kinds/day.ts';
import { deliveries, delivery, resend } from '../src/kinds/delivery.ts';
import { EVENT_TYPES } from '../src/kinds/event-type.ts';
import { event, events, eventTypes } from '../src/kinds/event.ts';
import { failure } from '../src/kinds/failure.ts';
import { gateway } from '../src/kinds/gateway.ts';
import { core, inputOf, isLink, isNullable, itemsOf, propertiesOf, typeOf, type Kind } from '../src/kinds/kind.ts';
import { live } from '../src/kinds/live.ts';
import { eventNotification, eventNotifications, zoneNotification, zoneNotifications } from '../src/kinds/notification.ts';
import { position, positions } from '../src/kinds/position.ts';
import { sample } from '../src/kinds/sample.ts';
import { target, targets, test } from '../src/kinds/target.ts';
import { timezones } from '../src/kinds/timezones.ts';
import { token, tokenRequest, tokens } from '../src/kinds/token.ts';
import { tracker, trackers } from '../src/kinds/tracker.ts';
import { trip, trips } from '../src/kinds/trip.ts';
import { zone, zones } from '../src/kinds/zone.ts';
import { protocols } from '../src/protocols/protocols.ts';

/** The kinds that the reference shows, each in a section that has its name. */
export const shownKinds: readonly Kind[] = [
  gateway, tokenRequest, tokens, token, account, key, signingSecret, registration, trackers, tracker, positions, position, days, trips, trip, live, zones, zone,
  eventTypes, events, event, targets, target, test, deliveries, delivery, resend,
  eventNotifications, eventNotification, zoneNotifications, zoneNotification, timezones, sample, failure,
]; // prettier-ignore

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n').replaceAll('| --- ', '|---').replaceAll('--- |', '---|'); // prettier-ignore

/** The properties of a kind; those of an object within as `object.member`, those of a list's members as `list[].member`. */
export const propertyTable = ({ schema }: Kind): string => table(['property', 'type', 'unit', 'input', 'meaning'], rowsOf('', schema));

function rowsOf(prefix: string, schema: TSchema): string[][] {
  const always = (schema as { required?: string[] }).required ?? [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const within = core(property);
    const inner = typeOf(within) === 'array' ? core(itemsOf(within)) : within;
    const known = shownKinds.find((kind) => kind.schema.properties === propertiesOf(inner));
    const { description = '' } = property as { description?: string };
    const row = [
      `\`${prefix}${name}\``,
      typeWords(name, property, known) + (always.includes(name) || isSecret(property) ? '' : '; may be absent'),
      (within as { 'x-unit'?: string })['x-unit'] ?? '',
      inputWords(property),
      description,
    ];
    const mark = typeOf(within) === 'array' ? '[].' : '.';
    return [row, ...(known === undefined && typeOf(inner) === 'object' ? rowsOf(`${prefix}${name}${mark}`, inner) : [])];
  });
}

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  imei: 'IMEI',
  timezone: 'time zone',
  'duration-hms': '`HH:MM:SS`',
  'time-of-day': '`HH:MM:SS`',
  date: '`YYYY-MM-DD`',
  mailbox: 'mail address',
  username: 'user name',
  color: '`#rrggbb`',
};

function typeWords(name: string, property: TSchema, known: Kind | undefined): string {
  const schema = core(property);
  const { format = '', minLength = 0, maxLength, minimum, maximum, maxItems } = schema as Record<string, number> & { format?: string };
  const words = (schema as { enum?: string[] }).enum;
  const span = minimum === undefined || maximum === undefined ? '' : `, ${minimum} to ${maximum}`;
  const anchor = known === undefined ? '' : ` of [${known.name}](#${known.name})`;
  const most = maxItems === undefined || maxItems === Infinity ? '' : `, at most ${maxItems}`;
  const plain: Record<string, () => string> = {
    string: () =>
      isLink(name)
        ? 'link'
        : words !== undefined
          ? words.map((word) => `\`${word}\``).join(', ')
          : (FORMAT_WORDS[format] ??
            `text${inputOf(property) === undefined ? '' : `, ${minLength > 0 ? `${minLength} to` : 'up to'} ${maxLength}`}`),
    number: () => `number${span}`,
    integer: () => (name === 'ts' || name.endsWith('_ts') ? 'Unix time' : (words?.join(', ') ?? `integer${span}`)),
    boolean: () => 'boolean',
    array: () => `list${anchor}${most}`,
    object: () => `object${anchor}`,
  };
  return (plain[typeOf(schema)]?.() ?? typeOf(schema)) + (isNullable(property) ? ', or null' : '');
}

const isSecret = (property: TSchema): boolean => (property as { writeOnly?: boolean }).writeOnly === true;

function inputWords(property: TSchema): string {
  const rule = inputOf(property);
  if (rule === undefined) return '';
  return [
    rule.required ? 'required' : 'yes',
    rule.creationOnly && 'at creation',
    rule.unique && 'unique',
    isSecret(property) && 'never shown',
  ]
    .filter(Boolean)
    .join(', ');
}

/** The types of events: those that are alarms are told even when they are heard of late. */
export const eventTypeTable = (): string =>
  table(
    ['`event_id`', 'name', 'when', 'alarm'],
    EVENT_TYPES.map(({ id, name, description, alarm }) => [String(id), name, description, alarm ? 'yes' : '']),
  );

/** Asked for what it is, never for what it does. */
const unasked = { clock: systemClock, options: { maxPage: 0 } } as Parameters<typeof resourcesOf>[0];

/** Every address under the service root: methods, what is shown, what is taken, formats beside JSON, XML and HTML. */
export function addressTable(): string {
  const link = (kind: Kind): string => (shownKinds.includes(kind) ? `[${kind.name}](#${kind.name})` : 'positions, see [there](#positions)');
  const objects = resourcesOf(unasked).map(({ path, get, post, put, delete: remove }) => [
    path,
    [get && 'GET', post && 'POST', put && 'PUT', remove && 'DELETE'].filter(Boolean).join(', '),
    get === undefined ? '' : link(get.kind),
    post === undefined ? (put === undefined || get === undefined ? '' : link(get.kind)) : link(post.kind),
    get === undefined ? '' : formatNames(get.kind).slice(3).join(', '),
  ]);
  const open = [
    { ...tokenAddress(unasked), shown: 'redirect to the gateway', taken: link(tokenRequest) },
    { ...schemeAddress('auth-basic', 'basic', unasked), shown: 'redirect to the gateway', taken: '' },
    { ...schemeAddress('auth-digest', 'digest', unasked), shown: 'redirect to the gateway', taken: '' },
    { ...registrationAddress(unasked), shown: 'its own address', taken: link(registration) },
  ].map(({ path, methods, shown, taken }) => [path, methods.filter((name) => !/HEAD|OPTIONS/.test(name)).join(', '), shown, taken, '']);
  const others = [
    [LIVE_STREAM, 'GET', '[server-sent events](#live)', '', ''],
    [OPENAPI, 'GET', 'this interface for machines, OpenAPI 3.1', '', ''],
  ];
  const rows = [...open, ...objects, ...others].map(([path = '', ...rest]) => [`\`${path.replaceAll(/:(\w+)/g, '<$1>')}\``, ...rest]);
  return table(['address', 'methods', 'GET shows', 'POST or PUT takes', 'also as'], rows);
}

/** What each failure means; a status that the program knows and this list does not, or the other way round, is an error. */
const FAILURES: Readonly<Record<number, string>> = {
  400: 'the body or the request cannot be read, a parameter is not as it must be, those that persist have more than 1000 characters, or `_format` or `_tz` is unknown',
  401: 'no credential, or a wrong one; with the challenges and the links to sign in',
  403: 'a page of another site asked for a change with credentials that the browser added by itself',
  404: 'no such address, or no such object in this account: of another account there is nothing to see',
  405: 'the address does not have this method; `Allow` says which it has',
  406: '`Accept` rules out JSON, XML and HTML',
  408: 'the request did not arrive within 30 s',
  412: '`If-Match` names an older state of what can be altered; read again',
  413: 'the body is larger than `--body-limit`, or, where nobody needs to be signed in, than 16 KiB',
  414: 'the address is too long',
  415: 'a type of body that is not understood, a form for a kind that holds objects or lists, another charset than UTF-8, a compressed body; `Accept` says what is taken',
  429: 'too many failed sign-ins, too many new accounts from one address, or more live streams than an account can hold; `Retry-After` says how many seconds to wait',
  431: 'the headers are larger than 16 KiB',
  500: 'a fault of this program; `_request` names the request in its log',
  503: 'storage is not available, or too much is waiting or being received; `Retry-After` says when to try again',
};

export function statusTable(): string {
  const codes = Array.from({ length: 200 }, (_, i) => 400 + i).filter((code) => phraseOf(code) !== 'failed');
  const rows = codes.map((code) => {
    const meaning = FAILURES[code];
    if (meaning === undefined) throw new Error(`docs/tables.ts does not say what status ${code} means`);
    return [String(code), `\`${phraseOf(code)}\``, meaning];
  });
  return table(['`_status`', '`_error`', 'when'], rows);
}

/** `waypost` with all its commands, as the command line builds it. */
export function program(): Command {
  const waypost = new Command('waypost');
  for (const register of [registerServe, registerDemo, registerAccount, registerTracker, registerImport, registerRebuild, registerBackup])
    register(waypost);
  return waypost;
}

/** Those commands that do something themselves, with the words that lead to them. */
export const commandsOf = (command: Command, words: readonly string[] = []): { words: string[]; command: Command }[] =>
  command.commands.flatMap((inner) => {
    const path = [...words, inner.name()];
    return inner.commands.length > 0 ? commandsOf(inner, path) : [{ words: path, command: inner }];
  });

export function commandTable(): string {
  const rows = commandsOf(program()).map(({ words, command }) => {
    const taken = command.registeredArguments.map((one) => (one.variadic ? ` <${one.name()}...>` : ` <${one.name()}>`)).join('');
    return [`\`waypost ${words.join(' ')}${taken}\``, command.description()];
  });
  return table(['command', 'what it does'], rows);
}

export function protocolTable(): string {
  const rows = protocols.map(({ name, port, tcp, udp, http }) => [
    name,
    String(port),
    [tcp && 'TCP', udp && 'UDP', http && 'HTTP'].filter(Boolean).join(', '),
    `\`--${name}-port\``,
    tcp !== undefined ? `a frame of ${tcp.maxFrame} bytes` : http !== undefined ? `a body of ${http.maxBody} bytes` : '',
  ]);
  return table(['protocol', 'port', 'over', 'setting', 'the largest that is taken'], rows);
}

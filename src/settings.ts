// Every setting of the service, once. Flags, environment, file, help and manual are all derived from this list.
// Knows no command line and opens no file: what was set, and where, is handed in.
import { join } from 'node:path';
import { protocols } from './protocols/protocols.ts';
import {
  addressTemplate,
  choice,
  decimal,
  derived,
  flagName,
  host,
  integer,
  networks,
  optional,
  origin,
  path,
  port,
  sender,
  setting,
  variableName,
  words,
} from './setting.ts';
import type { Port, Setting } from './setting.ts';

/** Settings by their names in camelCase. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<D extends Settings> = { readonly [N in keyof D]: D[N] extends Setting<infer T> ? T : never };

const data = setting(path, './data', 'the folder that holds everything that is stored; made if it is not there');
const listenHost = setting(host, '127.0.0.1', 'the address where the interface listens; 0.0.0.0 for every address of this machine');

/** What a command needs to open the store, beside a running server or without one. */
export const storeSettings = {
  data,
  secretKeyFile: derived(
    path,
    'secret.key in the data folder',
    'the file with the key that encrypts secrets in the database; made if it is not there; keep a copy away from the database',
    (of) => join(of(data), 'secret.key'),
  ),
  logLevel: setting(
    choice('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'the least that is logged, to standard error as JSON lines',
  ),
} satisfies Settings;

/** `teltonikaPort` and its like, one for each protocol. */
const protocolPorts: Readonly<Record<`${string}Port`, Setting<Port>>> = Object.fromEntries(
  protocols.map((protocol) => [
    `${protocol.name}Port`,
    setting(port, `${protocol.port}`, `where devices that speak ${protocol.name} are listened for`),
  ]),
);

const listenSettings = {
  host: listenHost,
  port: setting(port, '8080', 'where the interface listens'),
  deviceHost: derived(host, 'as host', 'the address where devices are listened for', (of) => of(listenHost)),
};

/** What decides what positions mean. A tracker can have its own of some of these. */
export const derivationSettings = {
  tripSource: setting(
    choice('auto', 'ignition', 'movement'),
    'auto',
    'what makes a trip: the ignition where the device reports it, else movement (auto), or always the one or the other',
  ),
  stopTime: setting(integer(10, 86_400, 'seconds'), '300', 'a standstill this long ends a trip, seconds; a shorter one is part of it'),
  idleLimit: setting(integer(10, 604_800, 'seconds'), '1800', 'the same while the ignition is on, seconds'),
  stopRadius: setting(decimal(5, 10_000, 'metres'), '75', 'within this distance of where it stood a vehicle has not moved, metres'),
  tripDistance: setting(decimal(0, 100_000, 'metres'), '200', 'a drive that leads less far away than this is no trip, metres'),
  gapTime: setting(
    integer(10, 604_800, 'seconds'),
    '600',
    'a longer hole between two positions is a gap: nobody knows what was driven in it, seconds',
  ),
  jumpSpeed: setting(decimal(1, 1500, 'km/h'), '300', 'a position that could only be reached faster than this is doubted, km/h'),
  overspeedTime: setting(integer(0, 3600, 'seconds'), '10', 'how long a speed limit must be exceeded to make an event, seconds'),
  zoneMargin: setting(decimal(0, 10_000, 'metres'), '20', 'how far beyond the line of a zone a position must be to count at once, metres'),
  zoneDwell: setting(integer(0, 86_400, 'seconds'), '60', 'how long a tracker must be beyond the line to count without that, seconds'),
  batteryLow: setting(integer(0, 100, 'percent'), '20', "charge of a device's battery at which it is low, %"),
  lateAfter: setting(integer(1, 31_536_000, 'seconds'), '3600', 'an event that becomes known this long after it happened is late, seconds'),
  lateAlarms: setting(choice('send', 'skip'), 'send', 'whether messages about late alarms are sent, marked as late'),
  lateRoutine: setting(choice('send', 'skip'), 'skip', 'whether messages about other late events are sent, marked as late'),
};

const otherSettings = {
  derivation: setting(
    choice('on', 'off'),
    'on',
    'whether trips, crossings and events are found as positions come; what was left out is made up for once it is on again',
  ),
  cooldown: setting(
    integer(0, 86_400, 'seconds'),
    '0',
    'for how long a notification that has none of its own keeps still after a message, seconds; for a zone, each direction by itself',
  ),
  smtpHost: optional(host, 'none: no mail is sent', 'the mail server that messages to mailboxes go through'),
  smtpPort: setting(integer(1, 65_535, 'number'), '587', 'its port'),
  smtpSecurity: setting(
    choice('starttls', 'tls', 'none'),
    'starttls',
    'TLS after STARTTLS or not at all (starttls), from the first byte (tls, port 465), or never (none)',
  ),
  smtpUser: optional(words('a user name', 'name'), 'none', 'the user to log in as at the mail server'),
  smtpPasswordFile: optional(path, 'none', "the file that holds that user's password"),
  mailFrom: setting(sender, 'waypost@localhost', 'the sender of mails'),
  smsUrl: optional(
    addressTemplate,
    'none: no text messages are sent',
    'the HTTP gateway for text messages; {to} and {text} may stand in it',
  ),
  smsMethod: setting(choice('POST', 'PUT', 'GET'), 'POST', 'how it is asked'),
  smsContentType: setting(words('a media type', 'type'), 'application/x-www-form-urlencoded', 'the type of what is sent to it'),
  smsBody: setting(
    words('a text', 'template'),
    'to={to}&text={text}',
    'what is sent to it; {to} and {text} are escaped as its type needs it',
  ),
  smsHeadersFile: optional(path, 'none', 'a file with more headers for it, such as its key, as a JSON object'),
  targetNetworks: setting(
    { ...networks, read: (text) => (text === 'none' ? [] : networks.read(text)) },
    'none',
    "networks of the operator's own that HTTP targets may be in; all private, loopback and reserved addresses are refused otherwise",
  ),
  deliveryRetention: setting(integer(1, 36_500, 'days'), '30', 'how long messages that are done with stay readable, days'),
  offlineAfter: setting(
    integer(0, 31_536_000, 'seconds'),
    '3600',
    'after how long without a word from its device a tracker is offline, seconds; 0 for never',
  ),
  metricsHost: setting(host, '127.0.0.1', 'the address of metrics, health and readiness; they ask for no password, so keep it private'),
  metricsPort: setting(port, '9464', 'where metrics, health and readiness are answered'),
  publicUrl: optional(
    origin,
    'as the request says',
    'the address that browsers reach the service at, where a proxy does not pass on the Host; pages from there may change things',
  ),
  trustProxy: setting(
    { ...networks, read: (text) => (text === 'none' ? [] : networks.read(text)) },
    'none',
    'the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed',
  ),
  registration: setting(choice('closed', 'open'), 'closed', 'whether anybody may make an account over the interface'),
  bodyLimit: setting(integer(1024, 1_073_741_824, 'bytes'), '1048576', 'the largest body of a request to the interface, bytes'),
  maxPage: setting(integer(1, 100_000, 'number'), '10000', 'the most positions on one page of a list'),
  maxConnections: setting(integer(1, 1_000_000, 'number'), '20000', 'the most devices connected at once, for each protocol and transport'),
  maxConnectionsPerAddress: setting(
    integer(1, 1_000_000, 'number'),
    '20000',
    'the most devices connected from one address; fleets share one behind their operator, so it is wide',
  ),
  loginTimeout: setting(integer(1, 3600, 'seconds'), '30', 'how long a device may take to say who it is, seconds'),
  idleTimeout: setting(integer(10, 604_800, 'seconds'), '1800', 'how long a device may be silent before its connection is closed, seconds'),
  commitRows: setting(integer(1, 100_000, 'number'), '5000', 'the most reports in one commit'),
  retentionInterval: setting(
    integer(1, 86_400, 'seconds'),
    '600',
    'how often positions past their time are looked for and deleted, seconds',
  ),
};

/** What `waypost serve` can be told, in the order in which help and manual tell it. */
export const serveSettings: typeof storeSettings &
  typeof listenSettings &
  typeof protocolPorts &
  typeof derivationSettings &
  typeof otherSettings = {
  ...storeSettings,
  ...listenSettings,
  ...protocolPorts,
  ...derivationSettings,
  ...otherSettings,
};
/** Also holds `settings[`${protocol.name}Port`]` for every protocol of the list. */
export type ServeSettings = Values<typeof serveSettings>;

/** Names the file of settings; the one thing that such a file cannot hold. */
export const configVariable = 'WAYPOST_CONFIG';

export interface Sources {
  /** Texts by setting name in camelCase, as the command line has them; others are not looked at. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the file of settings holds once it is read as JSON. */
  readonly file: { readonly path: string; readonly content: unknown } | null;
}

/**
 * The values of `definitions`: flags go before environment, environment before file, file before default.
 * All that is wrong is told at once, also in a value that a stronger one overrides. A name that no setting of the whole
 * service has is wrong; a setting that only another command uses is not, so that all can share a file and an environment.
 */
export function readSettings<D extends Settings>(definitions: D, sources: Sources): { values: Values<D> } | { problems: string[] } {
  const { texts, problems } = collect(sources);
  const given = new Map<Setting<unknown>, unknown>();
  for (const { name, place, text } of texts) {
    const definition = definitions[name];
    if (definition === undefined) continue;
    const value = definition.kind.read(text);
    if (value === undefined) problems.push(`${place}: ${quote(text)} is not ${definition.kind.accepts}`);
    else if (!given.has(definition)) given.set(definition, value);
  }
  if (problems.length > 0) return { problems };
  const of = <O>(wanted: Setting<O>): O =>
    // The map holds under each setting only what that setting's own kind has read.
    given.has(wanted) ? (given.get(wanted) as O) : wanted.fallback(of);
  const values = Object.fromEntries(Object.entries(definitions).map(([name, definition]) => [name, of(definition)]));
  return { values: values as Values<D> };
}

interface Text {
  name: string;
  place: string;
  text: string;
}

/** All that was set, strongest first, as text. */
function collect({ flags, env, file }: Sources): { texts: Text[]; problems: string[] } {
  const texts: Text[] = [];
  const problems: string[] = [];
  const names = Object.keys(serveSettings);

  for (const [name, text] of Object.entries(flags)) {
    if (typeof text === 'string') texts.push({ name, place: `--${flagName(name)}`, text });
  }

  const byVariable = new Map(names.map((name) => [variableName(name), name]));
  for (const [variable, text] of Object.entries(env)) {
    // An empty variable is what compose files and shells make of "not set".
    if (!variable.startsWith('WAYPOST_') || variable === configVariable || text === undefined || text === '') continue;
    const name = byVariable.get(variable);
    if (name === undefined) problems.push(`${variable} is no setting${meant(variable, [...byVariable.keys(), configVariable])}`);
    else texts.push({ name, place: variable, text });
  }

  if (file !== null) {
    const { path: where, content } = file;
    if (typeof content !== 'object' || content === null || Array.isArray(content)) {
      problems.push(`${where} must hold one JSON object of settings, such as { "port": 8080 }`);
      return { texts, problems };
    }
    const byKey = new Map(names.map((name) => [flagName(name), name]));
    for (const [key, value] of Object.entries(content)) {
      const name = byKey.get(key);
      const text = textOf(value);
      if (name === undefined) problems.push(`${quote(key)} in ${where} is no setting${meant(key, [...byKey.keys()])}`);
      else if (text === undefined) problems.push(`${quote(key)} in ${where}: a text, a number or a list of texts is expected`);
      else texts.push({ name, place: `${quote(key)} in ${where}`, text });
    }
  }
  return { texts, problems };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : undefined;
}

/** A value as a message shows it: short, and with nothing in it that a terminal would obey. */
function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

function meant(word: string, known: readonly string[]): string {
  const near = known
    .map((candidate) => ({ candidate, steps: editDistance(word.slice(0, 60), candidate) }))
    .toSorted((a, b) => a.steps - b.steps)[0];
  return near !== undefined && near.steps <= 3 ? `; did you mean ${near.candidate}?` : '';
}

/** The least number of letters to add, drop or change to get from one word to the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      // The indexes lie within the rows, which are one longer than `to`.
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (from[i] === to[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!; // as above
}

/** The settings as the table of the manual. */
export function settingsTable(definitions: Settings): string {
  const rows = Object.entries(definitions).map(([name, { kind, shown, help }]) =>
    [`\`--${flagName(name)}\``, `\`${variableName(name)}\``, kind.accepts, shown, help].join(' | '),
  );
  return ['| flag | environment | accepts | default | what it does |', '|---|---|---|---|---|', ...rows.map((row) => `| ${row} |`)].join(
    '\n',
  );
}

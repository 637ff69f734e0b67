// What one setting is: the kinds of value that it can hold, and the names by which flags, environment and file know it.
// Knows none of the settings; those are listed in settings.ts.
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** A kind of value: how it is read from text, and how a person is told what is accepted. */
export interface Kind<T> {
  /** Completes the sentence "this is not ...", such as "a whole number from 1 to 9". */
  readonly accepts: string;
  /** What stands for the value in help: `--port <number|off>`. */
  readonly placeholder: string;
  /** The value, or undefined when the text is not of this kind. */
  read(text: string): T | undefined;
}

export interface Setting<T> {
  readonly kind: Kind<T>;
  /** What it does, in one sentence without full stop. */
  readonly help: string;
  /** The default as a person reads it. */
  readonly shown: string;
  /** The default. `of` gives the value that another setting of the same list has. */
  readonly fallback: (of: <O>(other: Setting<O>) => O) => T;
}

/** Where something listens: a port number, 0 for any free one, or not at all. */
export type Port = number | 'off';

/** A setting whose default is written as its user would write it. */
export function setting<T>(kind: Kind<T>, standard: string, help: string): Setting<T> {
  const value = kind.read(standard);
  if (value === undefined) throw new Error(`the default "${standard}" is not ${kind.accepts}`);
  return { kind, help, shown: standard, fallback: () => value };
}

/** A setting that may be left out: then it is null, and `shown` says what that means. */
export function optional<T>(kind: Kind<T>, shown: string, help: string): Setting<T | null> {
  return { kind, help, shown, fallback: () => null };
}

/** A setting whose default follows from others. */
export function derived<T>(kind: Kind<T>, shown: string, help: string, fallback: Setting<T>['fallback']): Setting<T> {
  return { kind, help, shown, fallback };
}

/** A whole number within bounds, both included. */
export function integer(least: number, most: number, placeholder: string): Kind<number> {
  return {
    accepts: `a whole number from ${least} to ${most}`,
    placeholder,
    read(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

export function choice<const W extends string>(...words: W[]): Kind<W> {
  return { accepts: `one of ${words.join(', ')}`, placeholder: words.join('|'), read: (text) => words.find((word) => word === text) };
}

/** A number within bounds, both included. */
export function decimal(least: number, most: number, placeholder: string): Kind<number> {
  return {
    accepts: `a number from ${least} to ${most}`,
    placeholder,
    read(text) {
      const value = /^\d{1,12}(\.\d{1,9})?$/.test(text) ? Number(text) : NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

const portNumber = integer(0, 65_535, 'number');

export const port: Kind<Port> = {
  accepts: 'a port from 1 to 65535, 0 for any free one, or off',
  placeholder: 'number|off',
  read: (text) => (text === 'off' ? 'off' : portNumber.read(text)),
};

/** A file or folder, made absolute so that it stays the same one whatever happens to the working folder. */
export const path: Kind<string> = {
  accepts: 'a path',
  placeholder: 'path',
  read: (text) => (text === '' || text.includes('\0') ? undefined : resolve(text)),
};

/** An address to listen on: IPv4, IPv6 or a host name (RFC 1123, section 2.1). */
export const host: Kind<string> = {
  accepts: 'an IP address or a host name',
  placeholder: 'address',
  read: (text) =>
    isIP(text) || /^(?=.{1,253}$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i.test(text) ? text : undefined,
};

/** IP addresses and ranges of them in CIDR notation (RFC 4632), between commas. */
export const networks: Kind<readonly string[]> = {
  accepts: 'a list of IP addresses and ranges such as 10.0.0.0/8, between commas',
  placeholder: 'list',
  read(text) {
    const items = text.split(',').map((item) => item.trim());
    return items.every(isNetwork) ? items : undefined;
  },
};

function isNetwork(item: string): boolean {
  const [ip = '', bits, ...rest] = item.split('/');
  const version = isIP(ip);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Scheme, host and port of an address of the web, without a path; the text that others see it as. */
export const origin: Kind<string> = {
  accepts: 'an address such as https://gps.example.org, without a path',
  placeholder: 'url',
  read(text) {
    const url = URL.parse(text);
    const isBare = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    return isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined;
  },
};

/** A mailbox with or without a name, such as `Waypost <gps@example.org>`. */
export const sender: Kind<string> = {
  accepts: 'a mailbox such as gps@example.org or "Waypost <gps@example.org>"',
  placeholder: 'mailbox',
  read: (text) => (/^([^<>\r\n"]* <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text) ? text : undefined),
};

/** A web address in which `{to}` and `{text}` may stand. */
export const addressTemplate: Kind<string> = {
  accepts: 'a web address, in which {to} and {text} may stand',
  placeholder: 'url',
  read: (text) => (/^https?:$/.test(URL.parse(text.replaceAll(/\{(to|text)\}/g, 'x'))?.protocol ?? '') ? text : undefined),
};

/** Any text. */
export const words = (accepts: string, placeholder: string): Kind<string> => ({ accepts, placeholder, read: (text) => text });

/** `maxConnections` as the command line and the file have it: `max-connections`. */
export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `maxConnections` as the environment has it: `WAYPOST_MAX_CONNECTIONS`. */
export function variableName(name: string): string {
  return `WAYPOST_${flagName(name).replaceAll('-', '_').toUpperCase()}`;
}

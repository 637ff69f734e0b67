// What goes back: an object, a failure, a redirect or a stream, as status, headers and bytes.
import type { Refusal } from '../basics/errors.ts';
import type { OutputFormat, Page, PageLink, Section } from '../formats/format.ts';
import { formatNames } from '../formats/negotiate.ts';
import { failure } from '../kinds/failure.ts';
import type { Fault, Faults, Kind } from '../kinds/kind.ts';
import { relativeLink, turnLinks, withParameters } from './links.ts';
import type { Request } from './request.ts';

export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | AsyncIterable<string>;
}

type Place = Pick<Request, 'path' | 'persistent'>;

/** The object with its links as the asker may follow them. */
export function showLinks(shown: Record<string, unknown>, kind: Kind, { path, persistent }: Place): Record<string, unknown> {
  return turnLinks(shown, kind, (address) => withParameters(relativeLink(path, address), persistent));
}

/** A step of an address for people; as it stands where it is not percent-encoded UTF-8. */
function readable(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch (error) {
    if (error instanceof URIError) return step;
    throw error;
  }
}

/** Where a person goes from anywhere, and where from a tracker or anything below it. */
const SECTIONS = ['trackers', 'live', 'events', 'zones', 'targets', 'account'];
const OF_TRACKER = ['trips', 'days', 'events', 'positions', 'event_notifications', 'zone_notifications'];

/** What a page says around its object. */
export function pageOf(
  kind: Kind | null,
  title: string,
  { path, persistent, query }: Place & Pick<Request, 'query'>,
  { timezone, way }: Pick<Page, 'timezone' | 'way'>,
): Page {
  const link = (address: string): string => withParameters(relativeLink(path, address), persistent);
  const steps = path.split('/').filter((step) => step !== '');
  const crumbs: PageLink[] = [{ name: 'gateway', href: link('gateway') }];
  if (path !== 'gateway') steps.forEach((step, i) => crumbs.push({ name: readable(step), href: link(steps.slice(0, i + 1).join('/')) }));
  const section = (name: string, address: string): Section => ({
    name: name.replaceAll('_', ' '),
    href: link(address),
    current: `${path}/`.startsWith(`${address}/`),
  });
  const own = new URLSearchParams(query);
  own.delete('_format');
  const inFormat = (name: string): string => {
    const parameters = new URLSearchParams([...own].filter(([key]) => !key.startsWith('_')));
    parameters.set('_format', name);
    return link(`${path}?${parameters.toString()}`);
  };
  return {
    address: path,
    kind,
    title,
    crumbs,
    sections: [
      SECTIONS.map((name) => section(name, name)),
      /^trackers\/[^/]+/.test(path) ? OF_TRACKER.map((name) => section(name, `${steps.slice(0, 2).join('/')}/${name}`)) : [],
    ],
    timezone,
    way,
    formats: kind === null ? [] : formatNames(kind).map((name) => ({ name, href: inFormat(name) })),
  };
}

/** Failures and faults hold no times. */
const TIMELESS = { timezone: 'UTC', way: [] };

/** A failure's fixed phrase, by its status. */
const PHRASES: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'not authenticated',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  406: 'not acceptable',
  408: 'too slow',
  412: 'changed meanwhile',
  413: 'too large',
  414: 'address too long',
  415: 'unsupported media type',
  429: 'too many requests',
  431: 'headers too large',
  500: 'internal error',
  503: 'unavailable',
};

export const phraseOf = (status: number): string => PHRASES[status] ?? 'failed';

export function failureAnswer(
  refusal: Refusal,
  format: OutputFormat,
  request: Place & Pick<Request, 'query'>,
  more: Record<string, unknown> = {},
): Answer {
  const shown = showLinks(
    { _status: refusal.status, _error: phraseOf(refusal.status), _detail: refusal.message, ...more },
    failure,
    request,
  );
  return {
    status: refusal.status,
    headers: { ...refusal.headers, 'content-type': format.mediaType, 'cache-control': 'no-store' },
    body: format.write(shown, pageOf(null, phraseOf(refusal.status), request, TIMELESS)),
  };
}

/** 409 when all that is wrong is that values are taken, else 400. */
export function faultsAnswer(faults: Faults, format: OutputFormat, request: Place & Pick<Request, 'query'>): Answer {
  return {
    status: wordsOf(faults).every((word) => word === 'taken') ? 409 : 400,
    headers: { 'content-type': format.mediaType, 'cache-control': 'no-store' },
    body: format.write(faults, pageOf(null, 'Not saved', request, TIMELESS)),
  };
}

function wordsOf(fault: Fault | null): string[] {
  if (fault === null) return [];
  return typeof fault === 'string' ? [fault] : Object.values(fault).flatMap((inner) => wordsOf(inner));
}

/** See other: `to` is an address below the service root. */
export function redirectAnswer(to: string, { path, persistent }: Place, headers: Record<string, string | string[]> = {}): Answer {
  return {
    status: 303,
    headers: { ...headers, location: withParameters(relativeLink(path, to), persistent), 'cache-control': 'no-store' },
    body: '',
  };
}

// What a format is to the rest of the house. Knows no request: which format is meant is found out in negotiate.ts.
import type { TSchema } from 'typebox';
import type { Point } from '../geo/polygon.ts';
import { isLink, itemsOf, propertiesOf, typeOf, type Kind } from '../kinds/kind.ts';

/** A link as it stands in the answer: relative to it, with the persistent parameters; or absolute http(s). */
export interface PageLink {
  readonly name: string;
  readonly href: string;
}

/** What a format may say around an object. JSON and XML say nothing around it. */
export interface Page {
  /** Below the service root, such as `trackers/356307042441013`. */
  readonly address: string;
  /** Null for failures and error objects. */
  readonly kind: Kind | null;
  /** For people, such as the name of the tracker. */
  readonly title: string;
  /** The way from the gateway down to this object, which is the last of them. */
  readonly crumbs: readonly PageLink[];
  /** This object in its other formats. */
  readonly formats: readonly PageLink[];
  /** Where a person goes from anywhere: of the account, and below a tracker of that tracker. */
  readonly sections: readonly (readonly Section[])[];
  /** Of `_tz`, else of the account: the times that people read are in it. */
  readonly timezone: string;
  /** The positions on the way of a trip, for its map; empty for all else. */
  readonly way: readonly Point[];
}

/** For formats and pages that say nothing around their object. */
export const barePage = (address: string, kind: Kind | null, title: string): Page => ({
  address,
  kind,
  title,
  crumbs: [],
  formats: [],
  sections: [],
  timezone: 'UTC',
  way: [],
});

/** `current`: the page is this one, or below it. */
export type Section = PageLink & { readonly current: boolean };

export interface OutputFormat {
  readonly name: 'json' | 'xml' | 'html';
  /** For `Content-Type`. */
  readonly mediaType: string;
  /** Media types in `Accept` that mean this format. */
  readonly accepts: readonly string[];
  write(object: Readonly<Record<string, unknown>>, page: Page): string;
  /** The same text in parts, for an object whose list is long; `object` has that list empty. Absent where only the whole will do. */
  slice?(object: Readonly<Record<string, unknown>>, list: string): Slices;
}

/** Before the members of a list, some of them, between those and the next, and after them. */
export interface Slices {
  readonly head: string;
  members(items: readonly Readonly<Record<string, unknown>>[]): string;
  readonly between: string;
  readonly foot: string;
}

/** A document of any length: first `head`, then one `item` for each object, then `foot`. Any of them may be ''. */
export interface StreamWriter {
  head(): string;
  item(object: Readonly<Record<string, unknown>>): string;
  /** A position on the way of the last item, which is a trip; absent where the format has no place for any. */
  position?(object: Readonly<Record<string, unknown>>): string;
  foot(): string;
}

/** A format for lists as other programs want them. It is had through `_format` only, and written piece by piece. */
export interface StreamFormat {
  readonly name: 'geojson' | 'gpx' | 'kml' | 'csv';
  readonly mediaType: string;
  /** Of a file in this format, without the dot. */
  readonly extension: string;
  carries(kind: Kind): boolean;
  /** `page.kind` must be a kind that it carries. */
  open(page: Page): StreamWriter;
}

/** The one list of objects that a kind consists of (there may be links beside it); null when it is anything else. */
export function listOf(kind: Kind): { name: string; item: TSchema } | null {
  const rest = Object.entries(kind.schema.properties).filter(([name]) => !isLink(name));
  const [name, schema] = rest[0] ?? [];
  if (rest.length !== 1 || name === undefined || schema === undefined || typeOf(schema) !== 'array') return null;
  const item = itemsOf(schema);
  return typeOf(item) === 'object' ? { name, item } : null;
}

/** The properties of what a stream is made of: the members of the kind's list, or the object itself where it has no such list. */
export const itemPropertiesOf = (kind: Kind): Readonly<Record<string, TSchema>> => propertiesOf(listOf(kind)?.item ?? kind.schema);

/** A trip or a list of trips. */
export const isTrip = (kind: Kind): boolean =>
  ['start_ts', 'end_ts', 'drive_dist', 'positions_url'].every((name) => Object.hasOwn(itemPropertiesOf(kind), name));

/** An object that is already in memory, written by a stream format. */
export function writeAll(format: StreamFormat, object: Readonly<Record<string, unknown>>, page: Page): string {
  const list = page.kind === null ? null : listOf(page.kind);
  const items = list === null ? [object] : ((object[list.name] ?? []) as Record<string, unknown>[]);
  const writer = format.open(page);
  let text = writer.head();
  for (const item of items) text += writer.item(item);
  return text + writer.foot();
}

// What an address of the interface is: its kinds, and what each method does. Knows no HTTP beyond that, and no format:
// a resource takes checked values and gives objects of its kind, with addresses below the service root as links.
import type { Faults, Kind } from '../kinds/kind.ts';
import type { AccountRow } from '../storage/storage.ts';
import type { Identity } from './auth/authenticate.ts';

/** A request whose asker is known. */
export interface Ask {
  account: AccountRow;
  identity: Identity;
  /** What the address's placeholders stand for. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Of `_tz`, else of the account. */
  timezone: string;
  /** The address asked for, below the service root, without its query. */
  address: string;
  /** Of the client. */
  from: string;
}

/** The number that a placeholder of the address stands for; -1, which nothing has, for anything else. */
export const numberIn = ({ params }: Pick<Ask, 'params'>, name: string): number => Number(/^\d{1,15}$/.exec(params[name] ?? '')?.[0] ?? -1);

/** An object of the kind, its links as addresses below the service root. */
export type Shown = Record<string, unknown>;

/** Objects that may be many: formats that stream take them as they come. */
export interface Stream {
  /** For people, such as the name of the tracker. */
  title: string;
  items: AsyncIterable<Shown>;
  /** The positions of an item that is a trip, for formats that draw its way. */
  positions?(item: Shown): AsyncIterable<Shown>;
}

export interface Read {
  kind: Kind;
  /** What the query may hold, for OpenAPI: name and meaning. */
  query?: Readonly<Record<string, string>>;
  read(ask: Ask): Promise<Shown>;
  /** Another address, below the service root, where what was at this one is now; `read` gives that too. A GET is sent there. */
  moved?(ask: Ask): Promise<string | null>;
  /** All that a stream format carries, where that is more than one `read` gives. */
  stream?(ask: Ask): Promise<Stream>;
  /** For people, such as the tracker's name. */
  title?(object: Shown): string;
}

/** What a POST came to: faults, or the address of what was made, or an object to show at once. */
export type Made = { faults: Faults } | { location: string } | { shown: Shown };

export interface Factory {
  /** What it takes. */
  kind: Kind;
  /** What the address says already: properties that may be left out of the input. */
  implied?(ask: Ask): Record<string, unknown>;
  /** What is known only by looking: values that are taken, and faults that depend on others. `value` holds what is sound so far. */
  faults?(ask: Ask, value: Record<string, unknown>): Promise<Faults | null>;
  make(ask: Ask, value: Record<string, unknown>): Promise<Made>;
}

export interface Change {
  /** As for a factory; `current` is the object as it stands. */
  faults?(ask: Ask, value: Record<string, unknown>, current: Shown): Promise<Faults | null>;
  /** `value` holds what was sent and can be altered, checked. */
  change(ask: Ask, value: Record<string, unknown>, current: Shown): Promise<{ faults: Faults } | undefined>;
}

export interface Resource {
  /** Below the service root, such as `trackers/:imei`. */
  path: string;
  get?: Read;
  post?: Factory;
  /** Of the kind that `get` shows. */
  put?: Change;
  delete?(ask: Ask): Promise<void>;
}

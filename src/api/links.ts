// Links: inside, an address below the service root such as `trackers/356307042441013`; in an answer, relative to the answer's
// own address, and carrying the request's persistent parameters.
import type { TSchema } from 'typebox';
import { core, isLink, itemsOf, propertiesOf, typeOf, type Kind } from '../kinds/kind.ts';

/** `to` as seen from `from`, both below the root: never beginning with `/`, never only a query. */
export function relativeLink(from: string, to: string): string {
  if (!from.includes('/')) return to;
  const [path, query] = split(to);
  const fromSteps = from.split('/').slice(0, -1);
  const toSteps = path.split('/');
  let shared = 0;
  while (shared < fromSteps.length && shared < toSteps.length - 1 && fromSteps[shared] === toSteps[shared]) shared++;
  return '../'.repeat(fromSteps.length - shared) + toSteps.slice(shared).join('/') + (query === undefined ? '' : `?${query}`);
}

/** The address with the persistent parameters that it does not set itself. */
export function withParameters(address: string, persistent: readonly (readonly [string, string])[]): string {
  if (persistent.length === 0) return address;
  const [path, query] = split(address);
  const own = new URLSearchParams(query);
  const added = persistent
    .filter(([name]) => !own.has(name))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const all = [...(query === undefined ? [] : [query]), ...added].join('&');
  return all === '' ? path : `${path}?${all}`;
}

const split = (address: string): [path: string, query: string | undefined] => {
  const at = address.indexOf('?');
  return at < 0 ? [address, undefined] : [address.slice(0, at), address.slice(at + 1)];
};

/** A copy of the object with every link turned by `turn`. Where links can be is read off the kind, so long lists without any cost nothing. */
export function turnLinks(object: Record<string, unknown>, kind: Kind, turn: (address: string) => string): Record<string, unknown> {
  return turnObject(object, kind.schema, turn);
}

function turnObject(object: Record<string, unknown>, schema: TSchema, turn: (address: string) => string): Record<string, unknown> {
  const turned = { ...object };
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    if (isLink(name)) turned[name] = turn(value as string);
    else if (hasLinks(property)) {
      const inner = core(property);
      turned[name] =
        typeOf(inner) === 'array'
          ? (value as Record<string, unknown>[]).map((item) => turnObject(item, itemsOf(inner), turn))
          : turnObject(value as Record<string, unknown>, inner, turn);
    }
  }
  return turned;
}

const known = new WeakMap<TSchema, boolean>();

function hasLinks(property: TSchema): boolean {
  let has = known.get(property);
  if (has === undefined) {
    const schema = core(property);
    const inner = typeOf(schema) === 'array' ? core(itemsOf(schema)) : schema;
    has = Object.entries(propertiesOf(inner)).some(([name, within]) => isLink(name) || hasLinks(within));
    known.set(property, has);
  }
  return has;
}

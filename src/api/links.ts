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

/** Where the links of an object are: its own, and the objects and lists in it that have some. */
interface Plan {
  readonly links: readonly string[];
  readonly within: readonly { readonly name: string; readonly isList: boolean; readonly schema: TSchema }[];
}

const plans = new WeakMap<TSchema, Plan>();

function planOf(schema: TSchema): Plan {
  let plan = plans.get(schema);
  if (plan === undefined) {
    const properties = Object.entries(propertiesOf(schema));
    const inner = properties.map(([name, property]) => {
      const isList = typeOf(core(property)) === 'array';
      return { name, isList, schema: core(isList ? itemsOf(core(property)) : property) };
    });
    const hasLinks = (within: Plan): boolean => within.links.length > 0 || within.within.length > 0;
    plan = { links: properties.map(([name]) => name).filter(isLink), within: inner.filter((object) => hasLinks(planOf(object.schema))) };
    plans.set(schema, plan);
  }
  return plan;
}

function turnObject(object: Record<string, unknown>, schema: TSchema, turn: (address: string) => string): Record<string, unknown> {
  const turned = { ...object };
  const { links, within } = planOf(schema);
  for (const name of links) {
    const address = object[name];
    if (typeof address === 'string') turned[name] = turn(address);
  }
  for (const { name, isList, schema: inner } of within) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    turned[name] = isList
      ? (value as Record<string, unknown>[]).map((item) => turnObject(item, inner, turn))
      : turnObject(value as Record<string, unknown>, inner, turn);
  }
  return turned;
}

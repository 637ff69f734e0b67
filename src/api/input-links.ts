// Links that a client gives as input become addresses below the service root, as resources know them.
// Knows no object: whether there is anything at the address, the resource finds out.
import { listOfLink, propertiesOf, type Faults, type Kind } from '../kinds/kind.ts';
import { ROOT } from './request.ts';

/** Where a link is given. */
export interface Given {
  /** Of the request, below the service root. */
  path: string;
  /** Whether an origin, such as `https://gps.example.org`, is this service. */
  isOwn(origin: string): boolean;
}

/** Stands for wherever the service is while a link is resolved. */
const HERE = 'http://here.invalid';

/**
 * The address, below the service root and without its query, of the member of `list` that a link leads to; null when it leads to none.
 * A link is taken as it was read: relative to the request's own address, or to the address of an answer that the link was
 * read from, of which only the link's last steps are left to go by; or absolute. Query and fragment say nothing here.
 */
export function addressInto(list: string, link: string, { path, isOwn }: Given): string | null {
  const url = URL.parse(link, HERE + ROOT + path);
  if (url === null || (url.origin !== HERE && !(/^https?:$/.test(url.protocol) && isOwn(url.origin)))) return null;
  const member = /^([^/]+)\/([^/]+)$/.exec(url.pathname.slice(url.pathname.lastIndexOf(ROOT) + ROOT.length));
  if (url.pathname.includes(ROOT) && member?.[1] === list) return `${list}/${member[2]}`;
  // As it stands in the list itself, in one of its members, or anywhere else: `targets/5`, `5`, `../../targets/5`.
  const [, before, last] = /^(?:\.{1,2}\/)*(?:([^/.?#:]+)\/)?([^/.?#:]+)(?:[?#]|$)/.exec(link) ?? [];
  return last !== undefined && (before === undefined || before === list) ? `${list}/${last}` : null;
}

/** The value with its links as addresses, and `invalid` for those that lead nowhere in their list. */
export function takeLinks(
  kind: Kind,
  value: Record<string, unknown>,
  given: Given,
): { value: Record<string, unknown>; faults: Faults | null } {
  const taken = { ...value };
  const faults: Faults = {};
  for (const [name, property] of Object.entries(propertiesOf(kind.schema))) {
    const list = listOfLink(property);
    const link = taken[name];
    if (list === undefined || typeof link !== 'string') continue;
    const address = addressInto(list, link, given);
    if (address !== null) taken[name] = address;
    else {
      delete taken[name];
      faults[name] = 'invalid';
    }
  }
  return { value: taken, faults: Object.keys(faults).length > 0 ? faults : null };
}

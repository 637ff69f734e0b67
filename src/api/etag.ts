// Entity tags (RFC 9110, sections 8.8.3 and 13.1). A tag has two parts: one for all that is shown, one for what can be altered.
// `If-None-Match` weighs the whole; `If-Match` only the second, so that a change is not refused because a tracker has moved on.
// What can only be read has one part, over its bytes.
import { hash } from 'node:crypto';
import { propertiesOf, inputOf, type Kind } from '../kinds/kind.ts';

const short = (text: string): string => hash('sha1', text, 'base64url').slice(0, 20);

/** Of an object that can be altered. `shown` has no persistent parameters in it: they are the asker's, not the object's. */
export function objectTag(shown: Record<string, unknown>, kind: Kind, format: string): string {
  const properties = propertiesOf(kind.schema);
  const alterable = Object.entries(shown).filter(([name]) => properties[name] !== undefined && inputOf(properties[name])?.drifts === false);
  return `"${short(JSON.stringify(shown))}.${short(JSON.stringify(alterable))}.${format}"`;
}

const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));

export function isUnchanged(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch !== undefined && (ifNoneMatch.trim() === '*' || tagsOf(ifNoneMatch).includes(tag));
}

/** True when the header is there and none of its tags is of the object as it stands. */
export function hasChanged(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return false;
  const altered = (text: string): string | undefined => text.slice(1, -1).split('.')[1];
  return !tagsOf(ifMatch).some((candidate) => altered(candidate) !== undefined && altered(candidate) === altered(tag));
}

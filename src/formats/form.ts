// Forms in: application/x-www-form-urlencoded (URL Standard, section 5.1), read strictly, for kinds that hold no object and no list.
import { Refusal } from '../basics/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { MAX_PAIRS } from './limits.ts';
import { decodeUtf8, readScalar } from './text.ts';

/** Of a name that comes twice the last value counts. Throws Refusal 400 for bad escapes, bad UTF-8 and too many pairs. */
export function readForm(bytes: Uint8Array, kind: Kind): Record<string, unknown> {
  const tree: Record<string, unknown> = {};
  // The limit of split() keeps a body of ampersands small; one more than allowed tells that there are too many.
  const pairs = decodeUtf8(bytes).split('&', MAX_PAIRS + 1);
  if (pairs.length > MAX_PAIRS) throw new Refusal(400, `The form has more than ${MAX_PAIRS} fields.`);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at));
    const text = at === -1 ? '' : decode(pair.slice(at + 1));
    const property = Object.hasOwn(kind.schema.properties, name) ? kind.schema.properties[name] : undefined;
    if (property !== undefined) tree[name] = readScalar(property, text);
  }
  return tree;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) throw new Refusal(400, 'The form has a malformed percent escape.');
    throw error;
  }
}

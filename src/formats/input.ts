// The body of a request becomes a tree of plain values, the same for the same object in every format.
// Knows no validation: whether the tree is what the kind wants, the kind's own check finds out.
import { Refusal } from '../basics/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { readForm } from './form.ts';
import { readJson } from './json.ts';
import { readXml } from './xml-input.ts';

type Read = (bytes: Uint8Array, kind: Kind) => Record<string, unknown>;

const READERS: Readonly<Record<string, Read>> = {
  'application/json': readJson,
  'application/xml': readXml,
  'text/xml': readXml,
  'application/x-www-form-urlencoded': readForm,
};

const FORM = 'application/x-www-form-urlencoded';

/**
 * `contentType` is the header as it came. An empty body is an object without properties, whatever its type.
 * Throws Refusal 400 for a malformed body, 415 for a type, charset or encoding that is not understood or a form where the kind is complex.
 * The caller limits the size of the body.
 */
export function readBody(contentType: string | undefined, bytes: Uint8Array, kind: Kind): Record<string, unknown> {
  if (bytes.length === 0) return {};
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  const name = type.toLowerCase();
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  const accept = {
    accept: Object.keys(READERS)
      .filter((reader) => reader !== FORM || kind.simple)
      .join(', '),
  };
  if (name === '') throw new Refusal(415, 'The request has a body but no Content-Type.', accept);
  if (read === undefined) throw new Refusal(415, 'Send JSON or XML, or a form where the object is simple.', accept);
  if (name === FORM && !kind.simple)
    throw new Refusal(415, `A ${kind.name} holds objects or lists, which a form cannot carry: send JSON or XML.`, accept);
  for (const parameter of parameters) {
    const charset = /^charset\s*=\s*"?([^"]*)"?$/i.exec(parameter)?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw new Refusal(415, 'The body must be encoded in UTF-8.', accept);
  }
  return read(bytes, kind);
}

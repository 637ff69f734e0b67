// JSON, both ways (RFC 8259).
import { Refusal } from '../basics/errors.ts';
import type { OutputFormat } from './format.ts';
import { MAX_DEPTH } from './limits.ts';
import { decodeUtf8 } from './text.ts';

export const json: OutputFormat = {
  name: 'json',
  mediaType: 'application/json; charset=utf-8',
  accepts: ['application/json'],
  write: (object) => JSON.stringify(object),
  slice(object, list) {
    // Quotes within a value are escaped, so this stands once.
    const [head = '', foot = ''] = JSON.stringify(object).split(`"${list}":[]`);
    return { head: `${head}"${list}":[`, members: (items) => JSON.stringify(items).slice(1, -1), between: ',', foot: `]${foot}` };
  },
};

/** Throws Refusal 400 for anything but one object in JSON. */
export function readJson(bytes: Uint8Array): Record<string, unknown> {
  const text = decodeUtf8(bytes);
  if (text.trim() === '') throw new Refusal(400, 'The body is empty; an object was expected.');
  if (isTooDeep(bytes)) throw new Refusal(400, `The JSON is nested deeper than ${MAX_DEPTH} levels.`);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal(400, 'The body must be a JSON object.');
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal(400, `The body is not JSON: ${error.message.slice(0, 200)}`);
    throw error;
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Found out before parsing, so that a deep body costs one look at each byte and no memory. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (++depth > MAX_DEPTH) return true;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
  }
  return false;
}

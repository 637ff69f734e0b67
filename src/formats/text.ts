// From bytes to text, and from a piece of text to the value that a kind means by it.
import type { TSchema } from 'typebox';
import { Refusal } from '../basics/errors.ts';
import { core, typeOf } from '../kinds/kind.ts';

/** A byte order mark at the beginning is left out. Throws Refusal 400 for what is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal(400, 'The body is not well-formed UTF-8.');
    throw error;
  }
}

/** A number as JSON writes it (RFC 8259, section 6), with blanks around it. */
const NUMBER = /^[ \t\r\n]*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?[ \t\r\n]*$/;
const BOOLEAN = /^[ \t\r\n]*(true|false)[ \t\r\n]*$/;

/**
 * What the text of an XML element or of a form's field stands for, where the property is a scalar. Text that is not what the property
 * should be stays text, as it would in JSON, and the check of the kind finds it.
 */
export function readScalar(property: TSchema, text: string): string | number | boolean {
  const type = typeOf(core(property));
  if ((type === 'number' || type === 'integer') && NUMBER.test(text)) return Number(text);
  if (type === 'boolean') {
    const word = BOOLEAN.exec(text)?.[1];
    if (word !== undefined) return word === 'true';
  }
  return text;
}

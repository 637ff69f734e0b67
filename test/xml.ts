// Objects as XML by the rules of the interface, both ways, written apart from the service's own so that the two check each other.
import { SaxesParser } from 'saxes';
import type { Thing } from './http.ts';

type Scalar = string | number | boolean;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');

function write(name: string, value: unknown): string {
  if (value === null) return `<${name} type="null"/>`;
  if (Array.isArray(value)) return `<${name} type="array">${value.map((item) => write('item', item)).join('')}</${name}>`;
  if (typeof value === 'object') return `<${name} type="object">${members(value as Thing)}</${name}>`;
  return `<${name}>${escape(`${value as Scalar}`)}</${name}>`;
}

const members = (object: Thing): string =>
  Object.entries(object)
    .map(([name, value]) => write(name, value))
    .join('');

export const toXml = (object: Thing): string => `<?xml version="1.0" encoding="UTF-8"?>\n<root type="object">${members(object)}</root>`;

/** The object that the document is; scalars as their text. Throws for what is not well-formed or breaks the rules. */
export function fromXml(text: string): Thing {
  if (!text.startsWith('<?xml version="1.0" encoding="UTF-8"?>')) throw new Error(`no XML declaration: ${text.slice(0, 100)}`);
  const root: Thing = {};
  const open: { value: unknown; text: string; type: string | undefined }[] = [{ value: root, text: '', type: 'object' }];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ attributes }) => {
    const type = attributes['type'];
    open.push({ value: type === 'object' ? {} : type === 'array' ? [] : null, text: '', type });
  });
  parser.on('text', (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.on('closetag', ({ name }) => {
    const closed = open.pop();
    const parent = open.at(-1);
    if (closed === undefined || parent === undefined) return;
    const value = closed.type === undefined ? closed.text : closed.value;
    if (parent.type === 'array' && name !== 'item') throw new Error(`a list has a member ${name}`);
    if (Array.isArray(parent.value)) parent.value.push(value);
    else if (parent.type === 'object') (parent.value as Thing)[name] = value;
    else throw new Error(`${name} stands where text should`);
  });
  parser.write(text).close();
  const inside = root['root'];
  if (typeof inside !== 'object' || inside === null) throw new Error('the root element is not root with type="object"');
  return inside as Thing;
}

/** The same object with every scalar as its text, as XML has it. */
export function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asTexts(inner)]));
  return value === null ? null : `${value as Scalar}`;
}

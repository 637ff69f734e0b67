// XML out: the whole of an object as elements, by the rules of the interface. Knows no kind: names and values tell all it needs.
// Property names come from descriptions of kinds, so they are XML names, few, and written as they are.
import { escapeXml } from './escape.ts';
import type { OutputFormat } from './format.ts';

export const xml: OutputFormat = {
  name: 'xml',
  mediaType: 'application/xml; charset=utf-8',
  accepts: ['application/xml', 'text/xml'],
  write,
  slice(object, list) {
    const [open, close] = [`<${list} type="array">`, `</${list}>`];
    // Angle brackets within a value are escaped, so this stands once.
    const [head = '', foot = ''] = write(object).split(open + close);
    return { head: head + open, members: (items) => writeItems(items), between: '', foot: close + foot };
  },
};

function write(object: Readonly<Record<string, unknown>>): string {
  return '<?xml version="1.0" encoding="UTF-8"?>\n<root type="object">' + writeMembers(object) + '</root>\n';
}

interface Tag {
  readonly open: string;
  readonly close: string;
}

/** Made once for each name: putting them together anew took longer than all else. */
const tags = new Map<string, Tag>();

function tagOf(name: string): Tag {
  let tag = tags.get(name);
  if (tag === undefined) tags.set(name, (tag = { open: '<' + name + '>', close: '</' + name + '>' }));
  return tag;
}

function writeMembers(object: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const name in object) {
    const value = object[name];
    if (value !== undefined) text += writeElement(name, value);
  }
  return text;
}

function writeElement(name: string, value: unknown): string {
  const { open, close } = tagOf(name);
  if (typeof value === 'number' || typeof value === 'boolean') return open + value + close;
  if (typeof value === 'string') return open + escapeXml(value) + close;
  if (value === null || value === undefined) return '<' + name + ' type="null"/>';
  if (!Array.isArray(value)) return '<' + name + ' type="object">' + writeMembers(value as Record<string, unknown>) + close;
  return '<' + name + ' type="array">' + writeItems(value) + close;
}

function writeItems(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) text += writeElement('item', item);
  return text;
}

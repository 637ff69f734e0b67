// XML in: a document becomes the tree that the same object in JSON would be. What type a value has follows from the kind.
// Reads no DTD, resolves nothing outside the document, and holds only the parts that the kind has.
import { SaxesParser } from 'saxes';
import type { TSchema } from 'typebox';
import { Refusal } from '../basics/errors.ts';
import { core, itemsOf, propertiesOf, typeOf, type Kind } from '../kinds/kind.ts';
import { MAX_ATTRIBUTE_LENGTH, MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS } from './limits.ts';
import { decodeUtf8, readScalar } from './text.ts';

/** An element that the kind has, while it is being read. */
interface Open {
  readonly name: string;
  readonly schema: TSchema;
  readonly shape: 'object' | 'array' | 'scalar';
  /** What its `type` attribute says, if it says one of these; any other word says nothing. */
  readonly said: 'object' | 'array' | 'null' | null;
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly members: Record<string, unknown>;
  readonly items: unknown[];
  /** Text, with what stands between child elements. */
  text: string;
  children: boolean;
  /** A child of a list that is no `item`. */
  stray: boolean;
}

/**
 * Of an element that comes twice in an object the last counts, as in JSON. Text where an object or list should be stays text, an object
 * or list where something else should be stays one: the check of the kind calls both `invalid`.
 * Throws Refusal 400 for what is not well-formed, has a DTD or is too deep or too large, 415 for another declared encoding.
 */
export function readXml(bytes: Uint8Array, kind: Kind): Record<string, unknown> {
  const text = decodeUtf8(bytes);
  refuseDoctype(text);
  const open: Open[] = [];
  let ignored = 0;
  let elements = 0;
  let attributes = 0;
  let tree: unknown;

  const parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  parser.on('error', (error) => {
    throw new Refusal(400, `The body is not well-formed XML: ${error.message.slice(0, 200)}`);
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) throw new Refusal(415, 'The XML must be encoded in UTF-8.');
  });
  parser.on('opentagstart', () => {
    attributes = 0;
    if (++elements > MAX_ELEMENTS) throw new Refusal(400, `The XML has more than ${MAX_ELEMENTS} elements.`);
    // A scalar is an element too, so the same object is one level deeper than in JSON.
    if (open.length + ignored > MAX_DEPTH) throw new Refusal(400, `The XML is nested deeper than ${MAX_DEPTH} levels.`);
  });
  parser.on('attribute', ({ value }) => {
    if (++attributes > MAX_ATTRIBUTES || value.length > MAX_ATTRIBUTE_LENGTH)
      throw new Refusal(400, 'The XML has too many or too long attributes.');
  });
  parser.on('opentag', (tag) => {
    const parent = open.at(-1);
    const schema = ignored > 0 ? undefined : parent === undefined ? rootSchema(tag.name, kind) : memberSchema(parent, tag.name);
    if (schema === undefined) ignored++;
    else open.push(begin(tag.name, schema, tag.attributes['type']));
  });
  const addText = (piece: string): void => {
    const element = open.at(-1);
    if (ignored === 0 && element !== undefined) element.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    if (ignored > 0) {
      ignored--;
      return;
    }
    const element = open.pop();
    if (element === undefined) return;
    const value = end(element);
    const parent = open.at(-1);
    if (parent === undefined) tree = value;
    else if (parent.shape === 'array') parent.items.push(value);
    else parent.members[element.name] = value;
  });
  parser.write(text).close();
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
    throw new Refusal(400, 'The XML must be one object: root with type="object".');
  return tree as Record<string, unknown>;
}

/** Looked for before parsing, since the parser would read all of a DTD before it tells of it. A DTD can only stand before the root. */
function refuseDoctype(text: string): void {
  let at = 0;
  for (;;) {
    while (isBlank(text.charCodeAt(at))) at++;
    const close = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : null;
    if (close === null) break;
    const closed = text.indexOf(close, at + 2);
    if (closed === -1) break;
    at = closed + close.length;
  }
  if (text.startsWith('<!', at)) throw new Refusal(400, 'The XML must not have a document type declaration.');
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function rootSchema(name: string, kind: Kind): TSchema {
  if (name !== 'root') throw new Refusal(400, 'The root element of the XML must be named root.');
  return kind.schema;
}

/** The schema of a child element; undefined for one that the kind does not have. */
function memberSchema(parent: Open, name: string): TSchema | undefined {
  parent.children = true;
  if (parent.shape === 'array') {
    if (name === 'item') return itemsOf(parent.schema);
    parent.stray = true;
  }
  return Object.hasOwn(parent.properties, name) ? parent.properties[name] : undefined;
}

function begin(name: string, property: TSchema, type: string | undefined): Open {
  const schema = core(property);
  const wanted = typeOf(schema);
  const shape = wanted === 'object' || wanted === 'array' ? wanted : 'scalar';
  const said = type === 'object' || type === 'array' || type === 'null' ? type : null;
  return {
    name,
    schema,
    shape,
    said,
    properties: shape === 'object' ? propertiesOf(schema) : {},
    members: {},
    items: [],
    text: '',
    children: false,
    stray: false,
  };
}

function end({ shape, said, schema, members, items, text, children, stray }: Open): unknown {
  if (shape === 'scalar' && said === null) return children ? {} : readScalar(schema, text);
  const blank = /^[ \t\r\n]*$/.test(text);
  if (said === 'null') {
    if (!blank || children) throw new Refusal(400, 'An XML element with type="null" must be empty.');
    return null;
  }
  if (shape === 'scalar') return said === 'array' ? [] : {};
  if (!blank) return text;
  if (said !== null && said !== shape) return said === 'array' ? [] : {};
  if (shape === 'array') return stray ? {} : items;
  return members;
}

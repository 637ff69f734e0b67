// CSV (RFC 4180): any list of objects as rows. Columns have the names that the properties have, and their units are the interface's.
// Links are left out, which lead nowhere from a file; a member of an object within is `object.member`, a list within is JSON in one cell.
import type { TSchema } from 'typebox';
import { core, isLink, propertiesOf, typeOf } from '../kinds/kind.ts';
import { isTrip, itemPropertiesOf, listOf, type StreamFormat } from './format.ts';

/** Carries every kind that is a list of objects, and a trip. All positions are in it, valid or not. */
export const csv: StreamFormat = {
  name: 'csv',
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  carries: (kind) => listOf(kind) !== null || isTrip(kind),
  open({ kind }) {
    const columns = kind === null ? [] : columnsOf(itemPropertiesOf(kind), []);
    return {
      head: () => columns.map((path) => path.join('.')).join(',') + '\r\n',
      item: (object) => columns.map((path) => cell(at(object, path))).join(',') + '\r\n',
      foot: () => '',
    };
  },
};

function columnsOf(properties: Readonly<Record<string, TSchema>>, path: readonly string[]): string[][] {
  return Object.entries(properties)
    .filter(([name]) => !isLink(name))
    .flatMap(([name, schema]) =>
      typeOf(core(schema)) === 'object' ? columnsOf(propertiesOf(core(schema)), [...path, name]) : [[...path, name]],
    );
}

function at(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return quote(JSON.stringify(value));
  if (typeof value !== 'string') return `${value as number | boolean}`;
  // A spreadsheet would run text that begins like a formula (OWASP, "CSV Injection"). Numbers are safe and stay numbers.
  return quote(/^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value);
}

const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

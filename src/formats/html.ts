// HTML, for browsing: any object as tables, with a map where it has places. Names, units and explanations come from the kind.
// Nothing in it is executable: no script, every text escaped, links only where the interface has links.
import type { TSchema } from 'typebox';
import { core, isLink, itemsOf, propertiesOf, typeOf, type Properties } from '../kinds/kind.ts';
import { escapeHtml } from './escape.ts';
import type { OutputFormat } from './format.ts';
import { isSafeLink, writeDocument } from './html-document.ts';
import { drawMap } from './map.ts';

type Thing = Readonly<Record<string, unknown>>;

export const html: OutputFormat = {
  name: 'html',
  mediaType: 'text/html; charset=utf-8',
  accepts: ['text/html'],
  write(object, { kind, title, crumbs, formats }) {
    const main = '_status' in object ? writeFailure(object) : writeObject(title, kind?.description ?? null, object, kind?.schema);
    return writeDocument(title, crumbs, formats, main);
  },
};

function writeFailure({ _status: status, _error: error, _detail: detail, ...rest }: Thing): string {
  const more = Object.keys(rest).length > 0 ? `<div class="card">${writeProperties(rest, {}, false)}</div>` : '';
  return `<p class="status">${escapeHtml(String(status))}</p><h1>${escapeHtml(String(error))}</h1><p class="detail">${typeof detail === 'string' ? escapeHtml(detail) : ''}</p>${more}`;
}

/** Lists of objects stand below, with the whole width to themselves. Without a kind it is an error object, whose words are marked. */
/** A kind's own words: names in backticks stand as code. */
const writeProse = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

function writeObject(title: string, about: string | null, object: Thing, schema: TSchema | undefined): string {
  const faults = schema === undefined;
  const map = faults ? null : drawMap(object);
  const properties = faults ? {} : propertiesOf(schema);
  const lists = Object.entries(object).filter((entry): entry is [string, (Thing | null)[]] => isTable(entry[1]));
  const rest = Object.fromEntries(Object.entries(object).filter(([name]) => !lists.some(([list]) => list === name)));
  const sections = lists.map(([name, members]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const heading = `<h2${writeTitle(property)}>${escapeHtml(name)}<span class="count">${members.length}</span></h2>`;
    return `${heading}<div class="card">${writeTable(members, itemOf(property), faults)}</div>`;
  });
  return (
    `<h1>${escapeHtml(title)}</h1>` +
    (about === null ? '' : `<p class="about">${writeProse(about)}</p>`) +
    (map === null ? '' : `<div class="card map">${map}</div>`) +
    (Object.keys(rest).length === 0 ? '' : `<div class="card">${writeProperties(rest, properties, faults)}</div>`) +
    sections.join('')
  );
}

/** In the order of the kind, then whatever else there is. */
const namesOf = (objects: readonly Thing[], properties: Properties): string[] => {
  const present = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...new Set([...Object.keys(properties).filter((name) => present.has(name)), ...present])];
};

function writeProperties(object: Thing, properties: Properties, faults: boolean): string {
  const rows = namesOf([object], properties).map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const unit = typeof object[name] === 'number' ? writeUnit(name, schema) : '';
    return `<tr><th scope="row"${writeTitle(schema)}>${escapeHtml(name)}</th><td>${writeValue(name, object[name], schema, faults)}${unit}</td></tr>\n`;
  });
  return rows.length === 0 ? '<span class="null">{ }</span>' : `<table class="object"><tbody>${rows.join('')}</tbody></table>`;
}

function writeTable(objects: readonly (Thing | null)[], item: TSchema | undefined, faults: boolean): string {
  const properties = item === undefined ? {} : propertiesOf(core(item));
  const columns = namesOf(
    objects.filter((object) => object !== null),
    properties,
  ).map((name) => ({
    name,
    schema: Object.hasOwn(properties, name) ? properties[name] : undefined,
    numeric: objects.some((object) => typeof object?.[name] === 'number'),
  }));
  const head = columns.map(
    ({ name, schema, numeric }) =>
      `<th scope="col"${numeric ? ' class="n"' : ''}${writeTitle(schema)}>${escapeHtml(name)}${writeUnit(name, schema)}</th>`,
  );
  const rows = objects.map((object, i) => {
    const cells = columns.map(({ name, schema, numeric }) => {
      const value = object?.[name];
      return `<td${numeric ? ' class="n"' : ''}>${value === undefined ? '' : writeValue(name, value, schema, faults)}</td>`;
    });
    return `<tr><td class="row">${i + 1}</td>${cells.join('')}</tr>\n`;
  });
  return `<table class="list"><thead><tr><th class="row">#</th>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function writeValue(name: string, value: unknown, schema: TSchema | undefined, faults: boolean): string {
  if (value === null || value === undefined) return '<span class="null">null</span>';
  if (typeof value === 'boolean') return `<span class="${value}">${value}</span>`;
  if (typeof value === 'number') return value + (name === 'ts' || name.endsWith('_ts') ? writeTime(value) : '');
  if (typeof value === 'string') return writeText(name, value, faults);
  if (!Array.isArray(value)) return writeProperties(value as Thing, schema === undefined ? {} : propertiesOf(core(schema)), faults);
  if (value.length === 0) return '<span class="null">none</span>';
  const item = itemOf(schema);
  // Only in a table or an object within, where there is little room, so it opens on demand; faults are what one came for.
  if (isTable(value))
    return `<details${faults ? ' open' : ''}><summary>${value.length}</summary>${writeTable(value, item, faults)}</details>`;
  return `<ul>${value.map((member) => `<li>${writeValue('', member, item, faults)}</li>`).join('')}</ul>`;
}

/** Objects, among which there may be nulls. */
const isTable = (value: unknown): value is (Thing | null)[] =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && !Array.isArray(row)) && value.some((row) => row !== null);

const itemOf = (schema: TSchema | undefined): TSchema | undefined =>
  schema !== undefined && typeOf(core(schema)) === 'array' ? itemsOf(core(schema)) : undefined;

function writeText(name: string, text: string, faults: boolean): string {
  if (isLink(name) && isSafeLink(text)) return `<a href="${escapeHtml(text)}">${escapeHtml(withoutToken(text))}</a>`;
  return faults ? `<span class="fault">${escapeHtml(text)}</span>` : escapeHtml(text);
}

/** A token that has to go along is not put on show. */
const withoutToken = (href: string): string => href.replace(/([?&])_token=[^&#]*&?/, '$1').replace(/[?&]$/, '');

function writeTime(ts: number): string {
  const date = new Date(ts * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const iso = date.toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

/** A time shows what it is by its date. */
function writeUnit(name: string, schema: TSchema | undefined): string {
  const unit =
    schema === undefined || name === 'ts' || name.endsWith('_ts') ? undefined : (core(schema) as { 'x-unit'?: string })['x-unit'];
  return unit === undefined ? '' : `<span class="unit">${escapeHtml(unit)}</span>`;
}

function writeTitle(schema: TSchema | undefined): string {
  const { description } = (schema ?? {}) as { description?: string };
  return description === undefined ? '' : ` title="${escapeHtml(description)}"`;
}

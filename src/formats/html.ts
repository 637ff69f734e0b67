// HTML, for browsing: any object as tables, with a map where it has places. Names, units and explanations come from the kind.
// Nothing in it is executable: no script, every text escaped, links only where the interface has links.
import type { TSchema } from 'typebox';
import { core, isLink, itemsOf, propertiesOf, typeOf, type Properties } from '../kinds/kind.ts';
import { escapeHtml } from './escape.ts';
import type { OutputFormat, Page } from './format.ts';
import { isSafeLink, writeDocument } from './html-document.ts';
import { drawMap } from './map.ts';

type Thing = Readonly<Record<string, unknown>>;

/** How values are written. `faults`: of an error object, whose words are marked; `brief`: in the cell of a table. */
interface Manner {
  readonly timezone: string;
  readonly faults: boolean;
  readonly brief: boolean;
}

export const html: OutputFormat = {
  name: 'html',
  mediaType: 'text/html; charset=utf-8',
  accepts: ['text/html'],
  write(object, page) {
    const manner = { timezone: page.timezone, faults: page.kind === null, brief: false };
    return writeDocument(page, '_status' in object ? writeFailure(object, manner) : writeObject(object, page, manner));
  },
};

function writeFailure({ _status: status, _error: error, _detail: detail, ...rest }: Thing, manner: Manner): string {
  const more = Object.keys(rest).length > 0 ? `<div class="card">${writeProperties(rest, {}, { ...manner, faults: false })}</div>` : '';
  return `<p class="status">${escapeHtml(String(status))}</p><h1>${escapeHtml(String(error))}</h1><p class="detail">${typeof detail === 'string' ? escapeHtml(detail) : ''}</p>${more}`;
}

/** A kind's own words: names in backticks stand as code. */
const writeProse = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** Lists of objects stand below, with the whole width to themselves. */
function writeObject(object: Thing, { kind, title, way }: Page, manner: Manner): string {
  const map = kind === null ? null : drawMap(object, way);
  const properties = kind === null ? {} : propertiesOf(kind.schema);
  const lists = Object.entries(object).filter((entry): entry is [string, (Thing | null)[]] => isTable(entry[1]));
  const rest = Object.fromEntries(Object.entries(object).filter(([name]) => !lists.some(([list]) => list === name)));
  const sections = lists.map(([name, members]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const heading = `<h2${writeTitle(property)}>${escapeHtml(name)}<span class="count">${members.length}</span></h2>`;
    return `${heading}<div class="card">${writeTable(members, itemOf(property), manner)}</div>`;
  });
  const next = object['next_url'];
  return (
    `<h1>${escapeHtml(title)}</h1>` +
    (kind === null ? '' : `<p class="about">${writeProse(kind.description)}</p>`) +
    (map === null ? '' : `<div class="card map">${map}</div>`) +
    (Object.keys(rest).length === 0 ? '' : `<div class="card">${writeProperties(rest, properties, manner)}</div>`) +
    sections.join('') +
    (typeof next === 'string' && isSafeLink(next) ? `<p class="next"><a href="${escapeHtml(next)}" rel="next">Next page</a></p>` : '')
  );
}

/** In the order of the kind, then whatever else there is. */
const namesOf = (objects: readonly Thing[], properties: Properties): string[] => {
  const present = new Set(objects.flatMap((object) => Object.keys(object)));
  return [...new Set([...Object.keys(properties).filter((name) => present.has(name)), ...present])];
};

function writeProperties(object: Thing, properties: Properties, manner: Manner): string {
  const rows = namesOf([object], properties).map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const unit = typeof object[name] === 'number' ? writeUnit(name, schema) : '';
    return `<tr><th scope="row"${writeTitle(schema)}>${escapeHtml(name)}</th><td>${writeValue(name, object[name], schema, manner)}${unit}</td></tr>\n`;
  });
  return rows.length === 0 ? '<span class="null">{ }</span>' : `<table class="object"><tbody>${rows.join('')}</tbody></table>`;
}

function writeTable(objects: readonly (Thing | null)[], item: TSchema | undefined, manner: Manner): string {
  const properties = item === undefined ? {} : propertiesOf(core(item));
  const columns = namesOf(
    objects.filter((object) => object !== null),
    properties,
  ).map((name) => ({
    name,
    schema: Object.hasOwn(properties, name) ? properties[name] : undefined,
    numeric: !isTime(name) && objects.some((object) => typeof object?.[name] === 'number'),
  }));
  const brief = { ...manner, brief: true };
  const head = columns.map(
    ({ name, schema, numeric }) =>
      `<th scope="col"${numeric ? ' class="n"' : ''}${writeTitle(schema)}>${escapeHtml(name)}${isTime(name) ? `<span class="unit">${escapeHtml(manner.timezone)}</span>` : writeUnit(name, schema)}</th>`,
  );
  const rows = objects.map((object, i) => {
    const cells = columns.map(({ name, schema, numeric }) => {
      const value = object?.[name];
      return `<td${numeric ? ' class="n"' : ''}>${value === undefined ? '' : writeValue(name, value, schema, brief)}</td>`;
    });
    return `<tr><td class="row">${i + 1}</td>${cells.join('')}</tr>\n`;
  });
  return `<table class="list"><thead><tr><th class="row">#</th>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function writeValue(name: string, value: unknown, schema: TSchema | undefined, manner: Manner): string {
  if (value === null || value === undefined) return NULL;
  if (typeof value === 'boolean') return `<span class="${value}">${value}</span>`;
  if (typeof value === 'number') return isTime(name) ? writeTime(value, manner) : String(value);
  if (typeof value === 'string') return writeText(name, value, manner);
  if (!Array.isArray(value)) {
    const properties = schema === undefined ? {} : propertiesOf(core(schema));
    return manner.brief && schema !== undefined
      ? writeBriefly(value as Thing, properties, manner)
      : writeProperties(value as Thing, properties, manner);
  }
  if (value.length === 0) return '<span class="null">none</span>';
  const item = itemOf(schema);
  // Only in a table or an object within, where there is little room, so it opens on demand; faults are what one came for.
  if (isTable(value))
    return `<details${manner.faults ? ' open' : ''}><summary>${value.length}</summary>${writeTable(value, item, manner)}</details>`;
  return `<ul>${value.map((member) => `<li>${writeValue('', member, item, manner)}</li>`).join('')}</ul>`;
}

const NULL = '<span class="null">null</span>';

/** What an object has, in one line; its names are told by pointing at it. */
function writeBriefly(object: Thing, properties: Properties, manner: Manner): string {
  const values = namesOf([object], properties)
    .filter((name) => object[name] !== null)
    .map((name) => `<span title="${escapeHtml(name)}">${writeValue(name, object[name], properties[name], manner)}</span>`);
  return values.length === 0 ? NULL : values.join(', ');
}

/** Objects, among which there may be nulls. */
const isTable = (value: unknown): value is (Thing | null)[] =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && !Array.isArray(row)) && value.some((row) => row !== null);

const itemOf = (schema: TSchema | undefined): TSchema | undefined =>
  schema !== undefined && typeOf(core(schema)) === 'array' ? itemsOf(core(schema)) : undefined;

function writeText(name: string, text: string, { faults, brief }: Manner): string {
  if (isLink(name) && isSafeLink(text)) return `<a href="${escapeHtml(text)}">${escapeHtml(nameOfLink(text, brief))}</a>`;
  return faults ? `<span class="fault">${escapeHtml(text)}</span>` : escapeHtml(text);
}

/** Without the way up to it, and without what every link repeats: a token is not put on show. */
function nameOfLink(href: string, brief: boolean): string {
  const [path = '', query = ''] = href.replace(/^(?:\.\.\/)+(?=[^?])/, '').split(/\?(.*)/s);
  const own = query.split('&').filter((parameter) => parameter !== '' && !parameter.startsWith('_'));
  return own.length === 0 || brief ? path : `${path}?${own.join('&')}`;
}

const isTime = (name: string): boolean => name === 'ts' || name.endsWith('_ts');

/** Seconds after 1970 that a date can be made of (ECMAScript, "Time Values and Time Range"). */
const LAST_SECOND = 8.64e12;

/** The date where it is meant for people; in a cell the number is told by pointing at it. */
function writeTime(ts: number, { timezone, brief }: Manner): string {
  if (!Number.isInteger(ts) || Math.abs(ts) > LAST_SECOND) return String(ts);
  const instant = Temporal.Instant.fromEpochMilliseconds(ts * 1000);
  const [date = '', clock = ''] = instant.toString({ timeZone: timezone, smallestUnit: 'second' }).split('T');
  const time = `<time datetime="${instant.toString({ smallestUnit: 'second' })}"`;
  if (brief) return `${time} title="${ts}, ${clock.slice(8)}">${date} ${clock.slice(0, 8)}</time>`;
  return `${ts}${time}>${date} ${clock.slice(0, 8)} ${clock.slice(8)}</time>`;
}

/** A time shows what it is by its date. */
function writeUnit(name: string, schema: TSchema | undefined): string {
  const unit = schema === undefined || isTime(name) ? undefined : (core(schema) as { 'x-unit'?: string })['x-unit'];
  return unit === undefined ? '' : `<span class="unit">${escapeHtml(unit)}</span>`;
}

function writeTitle(schema: TSchema | undefined): string {
  const { description } = (schema ?? {}) as { description?: string };
  return description === undefined ? '' : ` title="${escapeHtml(description)}"`;
}

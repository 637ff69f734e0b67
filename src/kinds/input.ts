// Checks what a client sent against the kind it should be: all faults at once, in the shape of what was sent.
// Knows no format: JSON, XML and forms have all become one tree of plain values before they come here.
import { Compile } from 'typebox/schema';
import type { TSchema } from 'typebox';
import {
  core,
  inputOf,
  isNullable,
  itemsOf,
  propertiesOf,
  typeOf,
  type Altered,
  type Created,
  type Fault,
  type Faults,
  type Kind,
} from './kind.ts';
import { isCarriable } from './format.ts';

/** `value` holds what is sound, which is all of it when there are no faults. */
export type Checked<T> = { value: T; faults: null } | { value: Partial<T>; faults: Faults };

/** A new object: what must have data and has none is `empty`. */
export function checkCreation<K extends Kind>(kind: K, tree: Record<string, unknown>): Checked<Created<K>> {
  return check(kind, tree, null) as Checked<Created<K>>;
}

/** A change: what is left out keeps its value. `current` is the object as it stands, for the faults between properties. */
export function checkAlteration<K extends Kind>(
  kind: K,
  tree: Record<string, unknown>,
  current: Record<string, unknown>,
): Checked<Altered<K>> {
  return check(kind, tree, current) as Checked<Altered<K>>;
}

function check(kind: Kind, tree: Record<string, unknown>, current: Record<string, unknown> | null): Checked<Record<string, unknown>> {
  const { value, faults } = checkObject(kind.schema, tree, current === null);
  return { value, faults: mergeFaults(faults, kind.check(alter(current ?? {}, value), faults)) };
}

/** The object with the change made: objects are changed property by property, lists are replaced. */
export function alter<T extends Record<string, unknown>>(current: T, change: Record<string, unknown>): T {
  const merged: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries(change)) {
    const before = merged[name];
    merged[name] = isObject(value) && isObject(before) ? alter(before, value) : value;
  }
  return merged as T;
}

/** Both; where both speak of a property, the first does. */
export function mergeFaults(first: Faults | null, second: Faults | null): Faults | null {
  if (first === null || second === null) return first ?? second;
  const merged: Faults = { ...second };
  for (const [name, fault] of Object.entries(first)) {
    const other = merged[name];
    merged[name] = isObject(fault) && isObject(other) ? (mergeFaults(fault, other) ?? fault) : fault;
  }
  return merged;
}

/** `value` is undefined where nothing of it is sound. */
type Result = { value: unknown; fault: Fault | null };
const sound = (value: unknown): Result => ({ value, fault: null });
const faulty = (fault: Fault): Result => ({ value: undefined, fault });

function checkObject(
  schema: TSchema,
  tree: Record<string, unknown>,
  creating: boolean,
): { value: Record<string, unknown>; faults: Faults | null } {
  const value: Record<string, unknown> = {};
  const faults: Faults = {};
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const rule = inputOf(property);
    if (rule === undefined || (rule.creationOnly && !creating)) continue;
    if (!Object.hasOwn(tree, name) || tree[name] === undefined) {
      if (creating && rule.required) faults[name] = 'empty';
      continue;
    }
    const result = checkProperty(property, tree[name], rule.required);
    if (result.fault !== null) faults[name] = result.fault;
    if (result.value !== undefined) value[name] = result.value;
  }
  return { value, faults: Object.keys(faults).length > 0 ? faults : null };
}

function checkProperty(property: TSchema, given: unknown, required: boolean): Result {
  const schema = core(property);
  const type = typeOf(schema);
  const blank = given === null || (typeof given === 'string' && given.trim() === '');
  if (blank && required) return faulty('empty');
  if (given === null || (given === '' && type !== 'string')) return isNullable(property) ? sound(null) : faulty('empty');
  if (given === '' && ('format' in schema || 'enum' in schema) && isNullable(property)) return sound(null);
  if (type === 'object') {
    if (!isObject(given)) return faulty('invalid');
    // What an object must have it must have whenever it is sent; what else is left out of it keeps its value.
    const { value, faults } = checkObject(schema, given, true);
    return { value, fault: faults };
  }
  if (type === 'array') return checkList(schema, given, required);
  return isLeaf(schema, given) ? sound(given) : faulty('invalid');
}

/** A list replaces the one before, so its members are always checked as new ones. */
function checkList(schema: TSchema, given: unknown, required: boolean): Result {
  const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
  if (!Array.isArray(given)) return faulty('invalid');
  if (given.length === 0 && required) return faulty('empty');
  if (given.length > maxItems) return faulty('invalid');
  const items = itemsOf(schema);
  const scalar = !['object', 'array'].includes(typeOf(core(items)));
  const results = given.map((item) => checkProperty(items, item, true));
  if (results.some((result) => result.fault !== null))
    return faulty(results.map((result) => (result.fault as Faults | null) ?? (scalar ? null : {})));
  if (given.length < minItems) return faulty('invalid');
  return sound(results.map((result) => result.value));
}

const compiled = new WeakMap<TSchema, (value: unknown) => boolean>();

function isLeaf(schema: TSchema, given: unknown): boolean {
  if (typeof given === 'string' && !isCarriable(given)) return false;
  let holds = compiled.get(schema);
  if (holds === undefined) {
    const validator = Compile(schema);
    holds = (value) => validator.Check(value);
    compiled.set(schema, holds);
  }
  return holds(given);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

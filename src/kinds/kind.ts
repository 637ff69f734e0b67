// The small language in which the data objects of the interface are described, each once. A kind is a JSON Schema with standard
// annotations (readOnly, writeOnly, description, format); types, input checks, every format and OpenAPI are read off it.
import { Type, type Static, type TObject, type TSchema } from 'typebox';

/** How a property may be given as input. Without it, a property is read-only: ignored in input, never an error. */
export interface Alterable<Required extends boolean = boolean> {
  readonly 'x-input': {
    /** It must exist and have data, else it is `empty`. */
    readonly required: Required;
    /** Only a POST that creates the object uses it. */
    readonly creationOnly: boolean;
    /** `taken` when another object has this value: the words for people; the resource finds out. */
    readonly unique: boolean;
    /** Changes by itself as well: that it did does not make a saved object one that changed in between (`If-Match`). */
    readonly drifts: boolean;
  };
}

export type Properties = Record<string, TSchema>;

export interface Kind<P extends Properties = Properties> {
  /** Singular, as it is called in OpenAPI and in file names. */
  readonly name: string;
  readonly description: string;
  readonly schema: TObject<P>;
  /** Holds no object and no list, so it may be sent as a form. */
  readonly simple: boolean;
  /** What no single property can tell: faults between properties. `value` holds those that are sound, `faults` names the others. */
  readonly check: (value: Record<string, unknown>, faults: Faults | null) => Faults | null;
}

/** Mirrors the structure of the input: an offending property holds its one word, sound list members stand as {} or null. */
export type Faults = { [property: string]: Fault };
export type Fault = 'empty' | 'invalid' | 'taken' | Faults | (Faults | FaultWord | null)[];
type FaultWord = 'empty' | 'invalid' | 'taken';

/** An object of the kind as the interface shows it. */
export type Shown<K extends Kind> = Static<K['schema']>;

type Given<P extends Properties, R extends boolean> = { [N in keyof P as P[N] extends Alterable<R> ? N : never]: Static<P[N]> };
/** What a POST of the kind brings once it is checked. */
export type Created<K extends Kind> = K extends Kind<infer P> ? Given<P, true> & Partial<Given<P, false>> : never;
/** What a PUT of the kind brings once it is checked: what it names, and no more. */
export type Altered<K extends Kind> = Partial<Created<K>>;

export function kind<P extends Properties>(name: string, description: string, properties: P, check: Kind['check'] = () => null): Kind<P> {
  const simple = Object.values(properties).every((property) => !['object', 'array'].includes(typeOf(core(property))));
  return { name, description, schema: Type.Object(properties, { title: name, description }), simple, check };
}

interface Options {
  min?: number;
  max?: number;
  unit?: string;
}

export const text = (description: string, { min = 0, max = 200, ...more }: Options & { format?: string; examples?: string[] } = {}) =>
  Type.String({ description, ...(min > 0 ? { minLength: min } : {}), maxLength: max, ...more });

export const number = (description: string, { min, max, unit }: Options = {}) =>
  Type.Number({
    description,
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(unit ? { 'x-unit': unit } : {}),
  });

export const integer = (description: string, { min, max, unit }: Options = {}) =>
  Type.Integer({
    description,
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(unit ? { 'x-unit': unit } : {}),
  });

export const truth = (description: string) => Type.Boolean({ description });

/** Unix time in seconds; named `ts` or `*_ts`. */
export const timestamp = (description: string) => Type.Integer({ description, minimum: 0, maximum: 253402300799, 'x-unit': 's' });

/** `HH:MM:SS`; named `*_t`. As a duration its hours may exceed 24. */
export const duration = (description: string) =>
  Type.String({ description, format: 'duration-hms', maxLength: 12, examples: ['02:33:08'] });

/** A day of the calendar, `YYYY-MM-DD`; named `*_dt`. */
export const date = (description: string) => Type.String({ description, format: 'date', maxLength: 10, examples: ['2026-10-25'] });

/** A time of day, `HH:MM:SS`; named `*_t`. 24:00:00 is the end of the day. */
export const timeOfDay = (description: string) => Type.String({ description, format: 'time-of-day', maxLength: 8, examples: ['08:30:00'] });

/** A set of weekdays: the sum of 2^n, Sunday n = 1 to Saturday n = 7; named `*_wd`. */
export const weekdays = (description: string) => Type.Integer({ description, minimum: 0, maximum: 254, multipleOf: 2 });

/** A link; named `url` or `*_url`. Inside it is an address below the service root; the answer shows it relative to itself. */
export const link = (description: string) => Type.String({ description, format: 'uri-reference', maxLength: 2000 });

/** A link that can be input: it leads to a member of that list of the account, such as `targets`. */
export const linkInto = (list: string, description: string) => ({ ...link(description), 'x-list': list });

export const choice = <V extends string[]>(description: string, values: readonly [...V]) => Type.Enum<V>(values, { description });

/** One of some whole numbers. */
export const choiceOfNumbers = (description: string, values: readonly number[]) => Type.Integer({ description, enum: [...values] });

export const object = <P extends Properties>(description: string, properties: P) => Type.Object(properties, { description });

export const list = <S extends TSchema>(description: string, items: S, { min = 0, max = 10_000 }: Options = {}) =>
  Type.Array(items, { description, minItems: min, maxItems: max });

/** May be null: unknown, or not set. */
export const nullable = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.Null()], 'description' in schema ? { description: schema.description as string } : {});

/** Left out where there is nothing to say. */
export const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);

function input<S extends TSchema, R extends boolean>(
  schema: S,
  required: R,
  more: { creationOnly?: boolean; unique?: boolean; drifts?: boolean } = {},
): S & Alterable<R> {
  return {
    ...schema,
    'x-input': { required, creationOnly: more.creationOnly ?? false, unique: more.unique ?? false, drifts: more.drifts ?? false },
  };
}

/** Must have data when the object is made, and cannot be emptied later. */
export const required = <S extends TSchema>(schema: S, more?: { creationOnly?: boolean; unique?: boolean }) => input(schema, true, more);

/** Can be altered and can be left out. */
export const alterable = <S extends TSchema>(schema: S, more?: { creationOnly?: boolean; drifts?: boolean }) => input(schema, false, more);

/** Taken as input, never shown. */
export const writeOnly = <S extends TSchema, R extends boolean>(schema: S & Alterable<R>): S & Alterable<R> => ({
  ...schema,
  writeOnly: true,
});

/** The schema inside `nullable`, with what it may hold; else the schema itself. */
export function core(schema: TSchema): TSchema {
  const options = (schema as { anyOf?: TSchema[] }).anyOf;
  return options?.find((option) => typeOf(option) !== 'null') ?? schema;
}

export function isNullable(schema: TSchema): boolean {
  return ((schema as { anyOf?: TSchema[] }).anyOf ?? []).some((option) => typeOf(option) === 'null');
}

/** JSON Schema's type word; a choice of words counts as a string. */
export function typeOf(schema: TSchema): string {
  return (schema as { type?: string }).type ?? ('enum' in schema ? 'string' : 'any');
}

export const propertiesOf = (schema: TSchema): Properties => (schema as { properties?: Properties }).properties ?? {};

export const itemsOf = (schema: TSchema): TSchema => (schema as { items?: TSchema }).items ?? Type.Unknown();

export const inputOf = (schema: TSchema): Alterable['x-input'] | undefined => (schema as Partial<Alterable>)['x-input'];

/** The list that a link given as input must lead into; undefined for every other property. */
export const listOfLink = (schema: TSchema): string | undefined => (core(schema) as { 'x-list'?: string })['x-list'];

/** By the interface's naming rule: `url` is the object's own address, `*_url` points to another. */
export const isLink = (name: string): boolean => name === 'url' || name.endsWith('_url');

// Plain JSON of a known shape without the names of its members: less than half as long, which is what counts where it is written
// with every report. Knows nothing of what it packs.

/** The names of an object's members in order, each with the shape of what it holds; null: whatever it holds, as it is. */
export type Shape<T> = T extends readonly (infer M)[]
  ? readonly [Shape<M>] | null
  : T extends object
    ? { readonly [N in keyof T]-?: Shape<NonNullable<T[N]>> } | null
    : null;

export interface Packing<T> {
  pack(value: T): string;
  unpack(text: string): T;
}

type AnyShape = readonly [AnyShape] | { readonly [name: string]: AnyShape } | null;
type Fold = (value: unknown) => unknown;

/** Objects become lists of their members' values. */
export function packing<T>(shape: Shape<T>): Packing<T> {
  const { fold, unfold } = folding(shape);
  return { pack: (value) => JSON.stringify(fold(value)), unpack: (text) => unfold(JSON.parse(text)) as T };
}

const asItIs: Fold = (value) => value;

function folding(shape: AnyShape): { fold: Fold; unfold: Fold } {
  if (shape === null) return { fold: asItIs, unfold: asItIs };
  if (isList(shape)) {
    const { fold, unfold } = folding(shape[0]);
    return { fold: (value) => (value as unknown[]).map(fold), unfold: (value) => (value as unknown[]).map(unfold) };
  }
  const members = Object.entries(shape).map(([name, inner]) => ({ name, ...folding(inner) }));
  return {
    fold: (value) => (value === null ? null : members.map(({ name, fold }) => fold((value as Record<string, unknown>)[name]))),
    unfold(value) {
      if (value === null) return null;
      const object: Record<string, unknown> = {};
      for (const [i, { name, unfold }] of members.entries()) object[name] = unfold((value as unknown[])[i]);
      return object;
    },
  };
}

const isList = (shape: NonNullable<AnyShape>): shape is readonly [AnyShape] => Array.isArray(shape);

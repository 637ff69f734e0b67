// What the query of a list may hold: whole numbers, a stretch of time, and the place to go on from.
import { Refusal } from '../basics/errors.ts';
import type { Ask } from './resource.ts';

/** The last second that a JavaScript date can name. */
const LAST_TS = 8.64e12;

/** Null when it is not there. Throws Refusal 400. */
export function integerOf(query: URLSearchParams, name: string, min: number, max: number): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || value < min || value > max) throw new Refusal(400, `${name} must be an integer from ${min} to ${max}.`);
  return value;
}

/** `limit`, cut to the largest page that there is. */
export const limitOf = (query: URLSearchParams, usual: number, most: number): number =>
  Math.min(integerOf(query, 'limit', 1, Number.MAX_SAFE_INTEGER) ?? usual, most);

/** `from_ts` and `to_ts` in ms. All of the last second counts: devices report milliseconds. */
export function stretchOf(query: URLSearchParams): { from: number; to: number } {
  const to = integerOf(query, 'to_ts', 0, LAST_TS);
  return { from: (integerOf(query, 'from_ts', 0, LAST_TS) ?? 0) * 1000, to: (to ?? LAST_TS) * 1000 + 999 };
}

/** For formats that hold a list whole. */
export function refuseLimit(query: URLSearchParams): void {
  if (query.has('limit')) throw new Refusal(400, 'This format is always whole: leave out limit, or bound it by from_ts and to_ts.');
}

/** This address with the same bounds; with `after`, from there on. */
export function addressOf({ address, query }: Pick<Ask, 'address' | 'query'>, after: string | null): string {
  const parameters = new URLSearchParams([...query].filter(([name]) => !name.startsWith('_') && (after === null || name !== 'after')));
  if (after !== null) parameters.set('after', after);
  return parameters.size === 0 ? address : `${address}?${parameters.toString()}`;
}

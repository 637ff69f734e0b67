// Long work on the thread that serves, done a slice at a time, so that quick requests go in between.
import { setImmediate as breathe } from 'node:timers/promises';

/** Members of one slice: some milliseconds of work at most. */
export const SLICE = 250;

/** All rows of a list that is read page by page; `next` reads the page behind the last row, undefined for the first. */
export async function readAll<R>(next: (last: R | undefined, limit: number) => Promise<R[]>): Promise<R[]> {
  const all: R[] = [];
  for (;;) {
    const page = await next(all.at(-1), SLICE);
    all.push(...page);
    if (page.length < SLICE) return all;
    await breathe();
  }
}

/** `work` over slices of a list, one result each. */
export async function mapSlices<T, R>(list: readonly T[], work: (slice: readonly T[]) => R): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < list.length; at += SLICE) {
    if (at > 0) await breathe();
    results.push(work(list.slice(at, at + SLICE)));
  }
  return results;
}

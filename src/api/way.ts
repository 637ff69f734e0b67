// The way of a trip, for the map of its page. Knows no map and no format.
import type { Point } from '../geo/polygon.ts';
import { trip } from '../kinds/trip.ts';
import type { Ask, Read } from './resource.ts';

/** Places of a way; more than a map has pixels to show. Of a longer one every second, fourth, ... position is taken. */
const MOST = 4000;

/** The valid positions of a trip, thinned out evenly where they are many; empty for any other kind. */
export async function readWay(get: Read, ask: Ask): Promise<Point[]> {
  if (get.kind !== trip || get.stream === undefined) return [];
  const { items, positions } = await get.stream(ask);
  let [way, count, every]: [Point[], number, number] = [[], 0, 1];
  for await (const item of items)
    for await (const { valid, latitude, longitude } of positions?.(item) ?? []) {
      if (valid !== true || count++ % every !== 0) continue;
      way.push({ latitude, longitude } as Point);
      if (way.length < MOST) continue;
      way = way.filter((_, i) => i % 2 === 0);
      every *= 2;
    }
  return way;
}

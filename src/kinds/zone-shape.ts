// What makes the shape of a zone impossible, though each of its numbers is sound.
import { distinctPoints, edgesCross, type Point } from '../geo/polygon.ts';
import type { Faults } from './kind.ts';

/** A polygon with fewer than 3 distinct corners or crossing edges, a circle without one centre, a corridor without a line, a missing radius. */
export function zoneFaults(value: Record<string, unknown>): Faults | null {
  const { type, points, radius = null } = value as { type?: string; points?: Point[]; radius?: number | null };
  const faults: Faults = {};
  if (type === undefined) return null;
  if (type !== 'polygon' && radius === null) faults['radius'] = 'empty';
  if (points === undefined) return Object.keys(faults).length > 0 ? faults : null;
  if (type === 'polygon') {
    if (distinctPoints(points) < 3 || edgesCross(points)) faults['points'] = 'invalid';
  } else if (type === 'circle' ? points.length !== 1 : distinctPoints(points) < 2) faults['points'] = 'invalid';
  return Object.keys(faults).length > 0 ? faults : null;
}

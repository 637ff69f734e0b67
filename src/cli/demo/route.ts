// The quickest way from node to node at the speed limits (Dijkstra). Knows no vehicles.
import type { Edge, Network } from './network.ts';

/** The edges to drive, in order; empty when from and to are the same. Throws when there is no way. */
export function findRoute(network: Network, from: number, to: number): Edge[] {
  const seconds = new Map<number, number>([[from, 0]]);
  const reachedBy = new Map<number, Edge>();
  const settled = new Set<number>();
  const queue: Entry[] = [];
  enqueue(queue, { node: from, seconds: 0 });
  for (let next = dequeue(queue); next !== undefined && next.node !== to; next = dequeue(queue)) {
    if (settled.has(next.node)) continue;
    settled.add(next.node);
    for (const edge of network.leaving[next.node] ?? []) {
      // A node costs a little, so that a way through many small junctions is not taken for a gain of nothing.
      const sum = next.seconds + edge.length / edge.limit + 2;
      if (sum >= (seconds.get(edge.to) ?? Infinity)) continue;
      seconds.set(edge.to, sum);
      reachedBy.set(edge.to, edge);
      enqueue(queue, { node: edge.to, seconds: sum });
    }
  }
  const route: Edge[] = [];
  for (let node = to; node !== from;) {
    const edge = reachedBy.get(node);
    if (edge === undefined) throw new RangeError(`no way from node ${from} to node ${to}`);
    route.push(edge);
    node = edge.from;
  }
  return route.toReversed();
}

interface Entry {
  node: number;
  seconds: number;
}

// A binary heap, the least at its head.
function enqueue(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt];
    if (parent === undefined || parent.seconds <= entry.seconds) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = entry;
}

function dequeue(heap: Entry[]): Entry | undefined {
  const least = heap[0];
  const moved = heap.pop();
  if (moved === undefined || heap.length === 0) return least;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const isRight = left !== undefined && right !== undefined && right.seconds < left.seconds;
    const child = isRight ? right : left;
    if (child === undefined || child.seconds >= moved.seconds) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = moved;
  return least;
}

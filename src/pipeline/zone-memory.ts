// What was lately used of the zones that were read, so that it need not be read again; its size is bounded, whatever its parts
// are. Knows no database and no geometry.
import type { Shape } from '../geo/shape.ts';

/** A name and shape that a zone had, and when. */
export interface ZoneVersion {
  /** Of the version. */
  readonly version: number;
  /** Of the zone. */
  readonly id: number;
  readonly name: string;
  readonly shape: Shape;
  /** In force for positions received from `since` up to before `until`, ms. */
  readonly since: number;
  readonly until: number;
}

/** Whether positions received then are judged by it. */
export const isInForce = ({ since, until }: ZoneVersion, received: number): boolean => since <= received && received < until;

/** What was read for one key. */
export interface Known {
  readonly account: number;
  /** The state of the account's zones that it is of. */
  readonly change: number;
  /** Versions that ended before this are left out, ms. */
  readonly from: number;
  readonly versions: readonly ZoneVersion[];
}

/** Parts of about 32 bytes that one generation holds: 150,000 circles, or 3,000 polygons of 1,000 corners. */
const MOST = 3_000_000;
const weightOf = ({ versions }: Known): number => 4 + versions.length;

interface Generation {
  known: Map<number, Known>;
  /** Each version once, however many keys have it. */
  versions: Map<number, ZoneVersion>;
  weight: number;
}

const newGeneration = (): Generation => ({ known: new Map(), versions: new Map(), weight: 0 });

/** Two generations: what is used moves into the young one; when that is full it becomes the old one, and what was old is forgotten. */
export class ZoneMemory {
  readonly #most: number;
  #young = newGeneration();
  #old = newGeneration();

  constructor(most = MOST) {
    this.#most = most;
  }

  get(key: number): Known | undefined {
    const young = this.#young.known.get(key);
    if (young !== undefined) return young;
    const old = this.#old.known.get(key);
    if (old !== undefined) this.put(key, old);
    return old;
  }

  put(key: number, known: Known): void {
    if (this.#young.weight >= this.#most) [this.#old, this.#young] = [this.#young, newGeneration()];
    const generation = this.#young;
    const before = generation.known.get(key);
    if (before !== undefined) generation.weight -= weightOf(before);
    generation.known.set(key, known);
    generation.weight += weightOf(known);
    for (const version of known.versions) {
      if (!generation.versions.has(version.version)) generation.weight += 20 + version.shape.weight;
      generation.versions.set(version.version, version);
    }
  }

  /** A version by its own number, if it is remembered under any key. */
  version(id: number): ZoneVersion | undefined {
    return this.#young.versions.get(id) ?? this.#old.versions.get(id);
  }
}

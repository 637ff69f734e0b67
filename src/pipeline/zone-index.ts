// Finds the zones near a tracker: the database has them by cells of a grid, and what was read and made ready is remembered, so
// that cost grows with the zones near, not with the zones there. Knows nothing of crossings.
import { overlap, touches, wayBetween, type Way } from '../geo/bounds.ts';
import { ancestors, boundsOfCell, cellAt, cellsAlong, FINEST, rangesOf, type Cell } from '../geo/cells.ts';
import type { Sql, SqlValue } from '../storage/operation.ts';
import { shapeOf } from '../storage/storage.ts';
import type { Place } from './outcome.ts';
import { isInForce, ZoneMemory, type Known, type ZoneVersion } from './zone-memory.ts';

export type { ZoneVersion } from './zone-memory.ts';

/** The zones of one account, as they stand in one transaction; not to be used after it. */
export interface Nearby {
  /** Those in force at `received` whose bounds the straight way touches, each once. A promise when the database has to be asked. */
  along(from: Place, to: Place, received: number): readonly ZoneVersion[] | Promise<readonly ZoneVersion[]>;
  /** Of the zones with these numbers, what was in force at `received`. */
  byIds(ids: readonly number[], received: number): readonly ZoneVersion[] | Promise<readonly ZoneVersion[]>;
}

export interface ZoneIndex {
  /** Null when the account has no zones and never had any. To be called once in every transaction that asks for zones. */
  open(sql: Sql, accountId: number): Promise<Nearby | null>;
}

/** On a way that touches more cells than this, the database is asked for a box around it, and nothing of it is remembered. */
const MOST_CELLS = 1024;
/** What is remembered leaves out versions that ended longer before the position that asked for it than this, ms. */
const PAST = 86_400_000;
/** Cells, and zones, that one statement asks for. */
const LOT = 32;

const VERSION = 'v.id, v.zone_id, v.name, v.type, v.points, v.radius, v.since, v.until';

// Cross joins are done as they stand: from the cells that are asked for, not from all that there are.
const BY_CELLS = `select c.level, c.x, c.y, ${VERSION}
  from (values ${lot((n) => `(cast($${3 * n + 3} as integer), cast($${3 * n + 4} as integer), cast($${3 * n + 5} as integer))`)}) k
  cross join zone_cells c cross join zone_versions v
  where c.account_id = $1 and c.level = k.column1 and c.x = k.column2 and c.y = k.column3 and v.id = c.version_id
    and (v.until is null or v.until > $2)`;

const BY_ZONES = `select ${VERSION} from zone_versions v
  where v.account_id = $1 and v.zone_id in (${lot((n) => `$${n + 3}`)}) and (v.until is null or v.until > $2)`;

const BY_BOX = `select ${VERSION} from zone_versions v where v.since <= $7 and (v.until is null or v.until > $7) and v.id in (
  select version_id from zone_cells where account_id = $1 and level = $2 and x between $3 and $4 and y between $5 and $6)`;

function lot(place: (n: number) => string): string {
  return Array.from({ length: LOT }, (_, n) => place(n)).join(', ');
}

/** One for a thread. What it remembers belongs to the connection that it was read from. */
export function createZoneIndex(): ZoneIndex {
  const memories = new WeakMap<Sql, ZoneMemory>();
  return {
    async open(sql, accountId) {
      const account = await sql.get<{ zones_change: number }>('select zones_change from accounts where id = $1', accountId);
      if (account === undefined || account.zones_change === 0) return null;
      let memory = memories.get(sql);
      if (memory === undefined) memories.set(sql, (memory = new ZoneMemory()));
      return new AccountZones(sql, accountId, account.zones_change, memory);
    },
  };
}

class AccountZones implements Nearby {
  readonly #sql: Sql;
  readonly #account: number;
  readonly #change: number;
  readonly #memory: ZoneMemory;

  constructor(sql: Sql, account: number, change: number, memory: ZoneMemory) {
    this.#sql = sql;
    this.#account = account;
    this.#change = change;
    this.#memory = memory;
  }

  along(from: Place, to: Place, received: number): readonly ZoneVersion[] | Promise<readonly ZoneVersion[]> {
    const way = wayBetween(from, to);
    const cell = cellAt(from.latitude, from.longitude);
    const cells = cell === cellAt(to.latitude, to.longitude) ? [cell] : cellsAlong(way, MOST_CELLS);
    if (cells === null) return this.#readBox(way, received);
    const known: Known[] = [];
    const missing: number[] = [];
    for (const one of cells) {
      const there = this.#known(this.#keyOf(one), received);
      if (there === undefined) missing.push(one);
      else known.push(there);
    }
    if (missing.length === 0) return touched(known, way, received);
    return this.#readCells(missing, received).then((read) => touched([...known, ...read], way, received));
  }

  byIds(ids: readonly number[], received: number): readonly ZoneVersion[] | Promise<readonly ZoneVersion[]> {
    const known: Known[] = [];
    const missing: number[] = [];
    for (const id of ids) {
      const there = this.#known(-id, received);
      if (there === undefined) missing.push(id);
      else known.push(there);
    }
    if (missing.length === 0) return inForce(known, received);
    return this.#readZones(missing, received).then((read) => inForce([...known, ...read], received));
  }

  /** Cells are remembered under the account and their number, zones under their own, below zero. */
  #keyOf(cell: number): number {
    return this.#account * 2 ** (2 * FINEST) + cell;
  }

  /** What is remembered, if it is of this state of the account's zones and goes back far enough. */
  #known(key: number, received: number): Known | undefined {
    const known = this.#memory.get(key);
    return known?.account === this.#account && known.change === this.#change && known.from <= received ? known : undefined;
  }

  #keep(key: number, versions: readonly ZoneVersion[], from: number): Known {
    const known = { account: this.#account, change: this.#change, from, versions };
    this.#memory.put(key, known);
    return known;
  }

  async #readCells(cells: readonly number[], received: number): Promise<Known[]> {
    const from = received - PAST;
    const fresh = new Map<number, ZoneVersion>();
    const byCell = new Map<string, ZoneVersion[]>(cells.flatMap(ancestors).map((cell) => [nameOf(cell), []]));
    const names = [...byCell.keys()];
    for (let i = 0; i < names.length; i += LOT) {
      // What is left of the last lot asks for a level that there is not.
      const values = Array.from({ length: LOT }, (_, n) => names[i + n]?.split(' ').map(Number) ?? [-1, 0, 0]).flat();
      for (const [level, x, y, ...row] of await this.#sql.rows(BY_CELLS, this.#account, from, ...values)) {
        const version = fresh.get(Number(row[0])) ?? this.#versionOf(row);
        fresh.set(version.version, version);
        byCell.get(nameOf({ level: Number(level), x: Number(x), y: Number(y) }))?.push(version);
      }
    }
    return cells.map((cell) => {
      const bounds = boundsOfCell(cell);
      const versions = ancestors(cell).flatMap((one) => byCell.get(nameOf(one)) ?? []);
      return this.#keep(
        this.#keyOf(cell),
        versions.filter(({ shape }) => overlap(shape.bounds, bounds)),
        from,
      );
    });
  }

  async #readZones(ids: readonly number[], received: number): Promise<Known[]> {
    const from = received - PAST;
    const byZone = new Map<number, ZoneVersion[]>(ids.map((id) => [id, []]));
    for (let i = 0; i < ids.length; i += LOT) {
      const values = Array.from({ length: LOT }, (_, n) => ids[i + n] ?? -1);
      for (const row of await this.#sql.rows(BY_ZONES, this.#account, from, ...values)) {
        const version = this.#versionOf(row);
        byZone.get(version.id)?.push(version);
      }
    }
    return [...byZone].map(([id, versions]) => this.#keep(-id, versions, from));
  }

  async #readBox(way: Way, received: number): Promise<readonly ZoneVersion[]> {
    const found: ZoneVersion[] = [];
    for (const { level, west, east, south, north } of rangesOf(way))
      for (const row of await this.#sql.rows(BY_BOX, this.#account, level, west, east, south, north, received)) {
        const version = this.#versionOf(row);
        if (touches(version.shape.bounds, way)) found.push(version);
      }
    return [...new Map(found.map((version) => [version.version, version])).values()];
  }

  #versionOf([id, zone, name, type, points, radius, since, until]: readonly SqlValue[]): ZoneVersion {
    const before = this.#memory.version(Number(id));
    const end = until === null ? Infinity : Number(until);
    if (before?.until === end) return before;
    const shape = before?.shape ?? shapeOf({ type: String(type), points: String(points), radius: radius === null ? null : Number(radius) });
    return { version: Number(id), id: Number(zone), name: String(name), shape, since: Number(since), until: end };
  }
}

const nameOf = ({ level, x, y }: Cell): string => `${level} ${x} ${y}`;

function touched(known: readonly Known[], way: Way, received: number): readonly ZoneVersion[] {
  const found: ZoneVersion[] = [];
  // A zone may touch several cells.
  const seen = known.length > 1 ? new Set<number>() : null;
  for (const { versions } of known)
    for (const version of versions) {
      if (!isInForce(version, received) || !touches(version.shape.bounds, way) || seen?.has(version.version) === true) continue;
      seen?.add(version.version);
      found.push(version);
    }
  return found;
}

const inForce = (known: readonly Known[], received: number): readonly ZoneVersion[] =>
  known.flatMap(({ versions }) => versions.filter((version) => isInForce(version, received)));

// Zones, with their points as JSON; every shape that one had, because positions are judged by the shape of the time when they
// were received; and the cells of a grid by which the shapes near a place are found.
import { cover } from '../../geo/cells.ts';
import { compileShape, type Shape, type ShapeType } from '../../geo/shape.ts';
import { quick, write, type Sql } from '../operation.ts';

export interface ZoneRow {
  id: number;
  account_id: number;
  name: string;
  type: string;
  /** JSON: [[latitude, longitude], ...] */
  points: string;
  radius: number | null;
  color: string | null;
  created_time: number;
}

export type ZoneValues = Pick<ZoneRow, 'name' | 'type' | 'points' | 'radius' | 'color'>;

const COLUMNS = 'id, account_id, name, type, points, radius, color, created_time';

export const zones = {
  /** In the order of their names, from behind `after` on. */
  list: quick((sql, accountId: number, after: string, limit: number) =>
    sql.all<ZoneRow>(`select ${COLUMNS} from zones where account_id = $1 and name > $2 order by name limit $3`, accountId, after, limit),
  ),

  byId: quick((sql, accountId: number, id: number) =>
    sql.get<ZoneRow>(`select ${COLUMNS} from zones where account_id = $1 and id = $2`, accountId, id),
  ),

  idOfName: quick((sql, accountId: number, name: string) =>
    sql.get<{ id: number }>('select id from zones where account_id = $1 and name = $2', accountId, name),
  ),

  /** The new zone's id, or null when the name is taken. */
  create: write(async (sql, accountId: number, zone: ZoneValues, now: number): Promise<number | null> => {
    const row = await sql.get<{ id: number }>(
      `insert into zones (account_id, name, type, points, radius, color, created_time) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (account_id, name) do nothing returning id`,
      accountId,
      zone.name,
      zone.type,
      zone.points,
      zone.radius,
      zone.color,
      now,
    );
    if (row === undefined) return null;
    await addVersion(sql, { ...zone, id: row.id, account_id: accountId }, firstMoment());
    await noteChange(sql, accountId);
    return row.id;
  }),

  /** False when the name is taken by another zone. */
  alter: write(async (sql, accountId: number, id: number, zone: ZoneValues): Promise<boolean> => {
    const other = await sql.get('select id from zones where account_id = $1 and name = $2 and id <> $3', accountId, zone.name, id);
    if (other !== undefined) return false;
    const before = await sql.get<ZoneRow>(`select ${COLUMNS} from zones where account_id = $1 and id = $2`, accountId, id);
    if (before === undefined) return true;
    await sql.run(
      'update zones set name = $3, type = $4, points = $5, radius = $6, color = $7 where account_id = $1 and id = $2',
      accountId,
      id,
      zone.name,
      zone.type,
      zone.points,
      zone.radius,
      zone.color,
    );
    if (VERSIONED.every((column) => before[column] === zone[column])) return true;
    const since = firstMoment();
    await endVersion(sql, accountId, id, since);
    await addVersion(sql, { ...zone, id, account_id: accountId }, since);
    await noteChange(sql, accountId);
    return true;
  }),

  /** The shapes that it had are kept: the past is judged by them. */
  remove: write(async (sql, accountId: number, id: number) => {
    const removed = await sql.run('delete from zones where account_id = $1 and id = $2', accountId, id);
    if (removed > 0) {
      await endVersion(sql, accountId, id, firstMoment());
      await noteChange(sql, accountId);
    }
    return removed;
  }),

  /** Files up to `limit` zones that were made before shapes were kept, as in force since they were made; how many there were. */
  indexMissing: write(async (sql, limit: number): Promise<number> => {
    const rows = await sql.all<ZoneRow>(
      `select ${COLUMNS} from zones z where not exists (
         select 1 from zone_versions v where v.account_id = z.account_id and v.zone_id = z.id) order by id limit $1`,
      limit,
    );
    for (const zone of rows) await addVersion(sql, zone, zone.created_time);
    for (const accountId of new Set(rows.map((row) => row.account_id))) await noteChange(sql, accountId);
    return rows.length;
  }),
};

/** What makes a new version when it changes. */
const VERSIONED = ['name', 'type', 'points', 'radius'] as const;

/**
 * From when on a change that this transaction makes is in force. Every position that was committed before was received
 * earlier: in the same millisecond at the latest. So none of them is ever judged by what was not there when it was first judged.
 */
const firstMoment = (): number => Date.now() + 1;

async function addVersion(sql: Sql, zone: Omit<ZoneRow, 'color' | 'created_time'>, since: number): Promise<void> {
  const row = await sql.get<{ id: number }>(
    `insert into zone_versions (account_id, zone_id, name, type, points, radius, since) values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    zone.account_id,
    zone.id,
    zone.name,
    zone.type,
    zone.points,
    zone.radius,
    since,
  );
  if (row === undefined) throw new Error('a version of a zone was not written');
  const { bounds } = shapeOf(zone);
  const cells = cover(bounds).map(({ level, x, y }) => [zone.account_id, level, x, y, row.id]);
  await sql.insertNew('zone_cells', ['account_id', 'level', 'x', 'y', 'version_id'], cells);
}

const endVersion = (sql: Sql, accountId: number, zoneId: number, until: number): Promise<number> =>
  sql.run('update zone_versions set until = $3 where account_id = $1 and zone_id = $2 and until is null', accountId, zoneId, until);

/** What anyone has read of the account's zones is out of date from here on. */
const noteChange = (sql: Sql, accountId: number): Promise<number> =>
  sql.run('update accounts set zones_change = zones_change + 1 where id = $1', accountId);

/** The shape of a zone, or of a version of one, as the tables have it. */
export function shapeOf({ type, points, radius }: Pick<ZoneRow, 'type' | 'points' | 'radius'>): Shape {
  const places = (JSON.parse(points) as [number, number][]).map(([latitude, longitude]) => ({ latitude, longitude }));
  return compileShape(type as ShapeType, places, radius);
}

// Zones, with their points as JSON. Knows no geometry.
import { quick, write } from '../operation.ts';

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
    return row?.id ?? null;
  }),

  /** False when the name is taken by another zone. */
  alter: write(async (sql, accountId: number, id: number, zone: ZoneValues): Promise<boolean> => {
    const other = await sql.get('select id from zones where account_id = $1 and name = $2 and id <> $3', accountId, zone.name, id);
    if (other !== undefined) return false;
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
    return true;
  }),

  remove: write((sql, accountId: number, id: number) => sql.run('delete from zones where account_id = $1 and id = $2', accountId, id)),
};

// Targets: where an account's messages go. Knows no message.
import { quick, write } from '../operation.ts';
import { updateSpeedLimits } from './speed-limits.ts';

export interface TargetRow {
  id: number;
  account_id: number;
  name: string;
  type: 'email' | 'http' | 'sms';
  address: string;
  /** 0 or 1. */
  active: number;
  created_time: number;
}

export type TargetValues = Pick<TargetRow, 'name' | 'type' | 'address' | 'active'>;

const COLUMNS = 'id, account_id, name, type, address, active, created_time';

export const targets = {
  /** Oldest first, from behind `after` on. */
  list: quick((sql, accountId: number, after: number, limit: number) =>
    sql.all<TargetRow>(`select ${COLUMNS} from targets where account_id = $1 and id > $2 order by id limit $3`, accountId, after, limit),
  ),

  byId: quick((sql, accountId: number, id: number) =>
    sql.get<TargetRow>(`select ${COLUMNS} from targets where account_id = $1 and id = $2`, accountId, id),
  ),

  /** The new target's id. */
  create: write(async (sql, accountId: number, { name, type, address, active }: TargetValues, now: number): Promise<number> => {
    const row = await sql.get<{ id: number }>(
      'insert into targets (account_id, name, type, address, active, created_time) values ($1, $2, $3, $4, $5, $6) returning id',
      accountId,
      name,
      type,
      address,
      active,
      now,
    );
    if (row === undefined) throw new Error('a target was inserted and has no id');
    return row.id;
  }),

  alter: write((sql, accountId: number, id: number, { name, type, address, active }: TargetValues) =>
    sql.run(
      'update targets set name = $3, type = $4, address = $5, active = $6 where account_id = $1 and id = $2',
      accountId,
      id,
      name,
      type,
      address,
      active,
    ),
  ),

  /** With its messages, and the notifications that lead to it. */
  remove: write(async (sql, accountId: number, id: number): Promise<number> => {
    const told = await sql.all<{ tracker_id: number }>(
      'select distinct tracker_id from notifications where target_id = $1 and account_id = $2',
      id,
      accountId,
    );
    const removed = await sql.run('delete from targets where account_id = $1 and id = $2', accountId, id);
    for (const { tracker_id: trackerId } of told) await updateSpeedLimits(sql, trackerId);
    return removed;
  }),
};

// Events as they are read. They are written with the positions that showed them.
import { long, quick } from '../operation.ts';

export interface EventRow {
  id: number;
  imei: string;
  time: number;
  /** See kinds/event-type.ts. */
  type: number;
  latitude: number | null;
  longitude: number | null;
  /** Null when the zone was removed since. */
  zone_id: number | null;
  /** Of the time of the event. */
  zone_name: string | null;
  cross_type: 'entry' | 'exit' | null;
  value: number | null;
}

/** The place of an event in the order of time. */
export interface EventKey {
  time: number;
  id: number;
}

export interface EventRange {
  accountId: number;
  /** Null: of all trackers of the account. */
  trackerId: number | null;
  /** First and last moment, ms, both included. */
  from: number;
  to: number;
  /** Only what follows this event. */
  after: EventKey | null;
  limit: number;
}

// A removed tracker's events are out of reach at once.
const SELECT = `select e.id, t.imei, e.time, e.type, e.latitude, e.longitude, z.id as zone_id, e.zone_name, e.cross_type, e.value
  from events e join trackers t on t.id = e.tracker_id left join zones z on z.id = e.zone_id`;

export const events = {
  /** In the order of time; `more` follow the last of these. */
  page: long(async (sql, range: EventRange): Promise<{ rows: EventRow[]; more: boolean }> => {
    const after = range.after ?? { time: range.from, id: -1 };
    const whose = range.trackerId === null ? 'e.account_id = $1' : 'e.tracker_id = $1';
    const rows = await sql.all<EventRow>(
      `${SELECT} where ${whose} and (e.time, e.id) > ($2, $3) and e.time <= $4 order by e.time, e.id limit $5`,
      range.trackerId ?? range.accountId,
      after.time,
      after.id,
      range.to,
      range.limit + 1,
    );
    return { rows: rows.slice(0, range.limit), more: rows.length > range.limit };
  }),

  byId: quick((sql, accountId: number, id: number) => sql.get<EventRow>(`${SELECT} where e.account_id = $1 and e.id = $2`, accountId, id)),
};

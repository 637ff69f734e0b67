// Trackers, what is known of each now, and the numbered changes that the live view reads. Times in ms, distances in m, speeds in m/s.
import { quick, write, type Sql } from '../operation.ts';
import { beginAnew } from './derivation.ts';

/** A tracker's own thresholds; null is the service's. */
export interface OwnThresholds {
  trip_source: 'auto' | 'ignition' | 'movement' | null;
  /** ms, as `gap_time` and `offline_after`. */
  stop_time: number | null;
  /** m, as `trip_distance`. */
  stop_radius: number | null;
  gap_time: number | null;
  trip_distance: number | null;
  /** 0: it is never offline. */
  offline_after: number | null;
}

export interface TrackerRow extends OwnThresholds {
  id: number;
  account_id: number;
  imei: string;
  name: string;
  model: string | null;
  start_time: number;
  end_time: number | null;
  /** Days. */
  data_retention: number | null;
  /** What a person's calibration adds to the distance that the device counts. */
  odometer_offset: number;
}

/** The last valid place, and of each sensor its last value with its time: a function of the set of reports, whatever their order. */
export interface TrackerState {
  tracker_id: number;
  account_id: number;
  seq: number;
  comm_time: number | null;
  pos_time: number | null;
  pos_digest: number | null;
  latitude: number | null;
  longitude: number | null;
  altitude: number | null;
  speed: number | null;
  heading: number | null;
  /** JSON: {"ignition":[time,1],"battery":[time,4.1],...} */
  sensors: string;
  /** Distance of all trips, mm. */
  driven: number;
}

export type TrackerView = TrackerRow & Omit<TrackerState, 'tracker_id' | 'account_id'>;

/** The place of a tracker in the order of changes. */
export interface ChangeKey {
  seq: number;
  id: number;
}

const VIEW = `select t.id, t.account_id, t.imei, t.name, t.model, t.start_time, t.end_time, t.data_retention, t.odometer_offset,
  t.trip_source, t.stop_time, t.stop_radius, t.gap_time, t.trip_distance, t.offline_after,
  s.seq, s.comm_time, s.pos_time, s.pos_digest, s.latitude, s.longitude, s.altitude, s.speed, s.heading, s.sensors, s.driven
  from trackers t join tracker_states s on s.tracker_id = t.id`;

/** The next number of the live view's sequence. Taken inside the transaction that changes states, so none is seen before a lower one. */
export async function nextSeq(sql: Sql): Promise<number> {
  const row = await sql.get<{ value: number }>(`update sequences set value = value + 1 where name = 'live' returning value`);
  if (row === undefined) throw new Error('the sequence "live" is missing');
  return row.value;
}

export const trackers = {
  byImei: quick((sql, imei: string) =>
    sql.get<{ id: number; imei: string; account_id: number }>('select id, imei, account_id from trackers where imei = $1', imei),
  ),

  view: quick((sql, accountId: number, imei: string) =>
    sql.get<TrackerView>(`${VIEW} where t.account_id = $1 and t.imei = $2`, accountId, imei),
  ),

  /** In the order of their IMEIs, from behind `after` on. */
  list: quick((sql, accountId: number, after: string, limit: number) =>
    sql.all<TrackerView>(`${VIEW} where t.account_id = $1 and t.imei > $2 order by t.imei limit $3`, accountId, after, limit),
  ),

  /** The number of the last change of any tracker. */
  lastChange: quick(async (sql) => (await sql.get<{ value: number }>(`select value from sequences where name = 'live'`))?.value ?? 0),

  /** Those whose state or name changed after `after`, up to the change `upTo`, oldest first. */
  changed: quick((sql, accountId: number, after: Readonly<ChangeKey>, upTo: number, limit: number) =>
    sql.all<TrackerView>(
      `${VIEW} where s.account_id = $1 and (s.seq, s.tracker_id) > ($2, $3) and s.seq <= $4 order by s.seq, s.tracker_id limit $5`,
      accountId,
      after.seq,
      after.id,
      upTo,
      limit,
    ),
  ),

  /** The new tracker's id, or null when the IMEI is taken. */
  create: write(
    async (sql, tracker: { accountId: number; imei: string; name: string; model: string | null; now: number }): Promise<number | null> => {
      const row = await sql.get<{ id: number }>(
        `insert into trackers (account_id, imei, name, model, start_time) values ($1, $2, $3, $4, $5)
       on conflict (imei) do nothing returning id`,
        tracker.accountId,
        tracker.imei,
        tracker.name,
        tracker.model,
        tracker.now,
      );
      if (row === undefined) return null;
      await sql.run(
        'insert into tracker_states (tracker_id, account_id, seq) values ($1, $2, $3)',
        row.id,
        tracker.accountId,
        await nextSeq(sql),
      );
      await sql.run('delete from unknown_devices where imei = $1', tracker.imei);
      return row.id;
    },
  ),

  /** Without `own` its thresholds stay as they are; with others than before, its trips are found anew. */
  alter: write(
    async (
      sql,
      id: number,
      to: { name: string; model: string | null; dataRetention: number | null; odometerOffset: number },
      own?: { thresholds: OwnThresholds; now: number },
    ) => {
      await sql.run(
        'update trackers set name = $2, model = $3, data_retention = $4, odometer_offset = $5 where id = $1',
        id,
        to.name,
        to.model,
        to.dataRetention,
        to.odometerOffset,
      );
      if (own !== undefined) await setThresholds(sql, id, own.thresholds, own.now);
      await sql.run('update tracker_states set seq = $2 where tracker_id = $1', id, await nextSeq(sql));
    },
  ),

  /** Removes a tracker at once: its positions are out of reach from here on, and deleted in batches by `positions.sweep`. */
  remove: write(async (sql, accountId: number, id: number) => {
    await sql.run('insert into removed_trackers (tracker_id) select id from trackers where account_id = $1 and id = $2', accountId, id);
    return sql.run('delete from trackers where account_id = $1 and id = $2', accountId, id);
  }),
};

async function setThresholds(sql: Sql, id: number, to: OwnThresholds, now: number): Promise<void> {
  const before = await sql.get<OwnThresholds>(
    'select trip_source, stop_time, stop_radius, gap_time, trip_distance, offline_after from trackers where id = $1',
    id,
  );
  if (before === undefined) return;
  await sql.run(
    `update trackers set trip_source = $2, stop_time = $3, stop_radius = $4, gap_time = $5, trip_distance = $6, offline_after = $7
     where id = $1`,
    id,
    to.trip_source,
    to.stop_time,
    to.stop_radius,
    to.gap_time,
    to.trip_distance,
    to.offline_after,
  );
  // Whether a tracker is offline is nothing that its record says.
  const deriving = ['trip_source', 'stop_time', 'stop_radius', 'gap_time', 'trip_distance'] as const;
  if (deriving.some((name) => to[name] !== before[name])) await beginAnew(sql, id, now);
}

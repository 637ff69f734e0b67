// The speed limits of a tracker, as its positions are judged by them: those of its overspeed notifications, with when each was in force.
import { EVENT } from '../../kinds/event-type.ts';
import type { Sql } from '../operation.ts';

/** m/s; in force for positions received from `since` on, ms, up to `until`. */
type SpeedLimit = [speed: number, since: number, until: number | null];

/** Limits that ended are kept, because the past is judged by them: as many as this, the last ones. */
const MOST_ENDED = 500;

/**
 * Brings `tracker_states.speed_limits` up to date with the tracker's notifications, in the transaction that changed them. A change is
 * in force from the next millisecond on: every position that was committed before was received earlier, and keeps being judged as it was.
 */
export async function updateSpeedLimits(sql: Sql, trackerId: number): Promise<void> {
  const state = await sql.get<{ speed_limits: string }>('select speed_limits from tracker_states where tracker_id = $1', trackerId);
  if (state === undefined) return;
  const rules = await sql.all<{ speed: number }>(
    'select distinct speed from notifications where tracker_id = $1 and event_type = $2 and speed is not null order by speed',
    trackerId,
    EVENT.overspeed,
  );
  const after = JSON.stringify(
    limitsAfter(
      JSON.parse(state.speed_limits) as SpeedLimit[],
      rules.map(({ speed }) => speed),
      Date.now() + 1,
    ),
  );
  if (after !== state.speed_limits) await sql.run('update tracker_states set speed_limits = $2 where tracker_id = $1', trackerId, after);
}

/** Those in force go on or end now, new ones begin now. */
function limitsAfter(before: readonly SpeedLimit[], speeds: readonly number[], now: number): SpeedLimit[] {
  const ended: SpeedLimit[] = [];
  const open: SpeedLimit[] = [];
  for (const [speed, since, until] of before) {
    if (until !== null) ended.push([speed, since, until]);
    else if (speeds.includes(speed)) open.push([speed, since, null]);
    // One that ends in the moment in which it began was never in force.
    else if (now > since) ended.push([speed, since, now]);
  }
  const started = speeds.filter((speed) => !open.some(([other]) => other === speed)).map((speed): SpeedLimit => [speed, now, null]);
  return [...ended.slice(-MOST_ENDED), ...open, ...started];
}

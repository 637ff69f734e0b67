// Writes what the state machines found. Where a stretch of fixes was replayed, what it showed before is compared with what it
// shows now: what is the same is left alone, what changed keeps its address, what is gone goes.
import type { Sql } from '../storage/operation.ts';
import type { Fix } from './fix.ts';
import { insertEvents, replaceEvents, type NewEvent, type Owner } from './found-events.ts';
import { closeTrip, distanceOf, dropStaleParts, insertPart, insertTrip, replaceParts, replaceTrips } from './found-trips.ts';
import type { Outcome } from './outcome.ts';
import { boundsOf, type Stretch } from './stretch.ts';

export type { Owner } from './found-events.ts';

/** What came of writing. */
export interface Written {
  /** Events that were not known before. */
  events: NewEvent[];
  /** By how much the distance of all trips changed, mm. */
  driven: number;
  /** Rows that differ from those before; what is new in a stretch that was not replayed does not count. */
  changes: number;
}

/** Writes an outcome that follows everything found before. */
export async function addFindings(sql: Sql, owner: Owner, outcome: Outcome): Promise<Written> {
  const { trackerId } = owner;
  for (const { time, digest } of outcome.jumps) await mark(sql, trackerId, time, digest, 2);
  for (const opening of outcome.opened) await insertTrip(sql, trackerId, opening);
  for (const part of outcome.parts) await insertPart(sql, trackerId, part);
  for (const closing of outcome.closed) await closeTrip(sql, trackerId, closing);
  const events = await insertEvents(sql, owner, outcome.events);
  return { events, driven: distanceOf(outcome.parts), changes: 0 };
}

/** Fixes of which it is open whether they are believed, before the first of a stretch and behind its last. */
export interface Undecided {
  before: readonly FixKey[];
  after: readonly FixKey[];
}

type FixKey = Pick<Fix, 'time' | 'digest'>;

/** Writes the outcome of a replay in the place of what the same stretch showed before. */
export async function replaceFindings(sql: Sql, owner: Owner, stretch: Stretch, outcome: Outcome, undecided: Undecided): Promise<Written> {
  const { trackerId } = owner;
  const jumps = await replaceJumps(sql, trackerId, stretch, outcome, undecided);
  const trips = await replaceTrips(sql, trackerId, stretch, outcome);
  const parts = await replaceParts(sql, trackerId, stretch, outcome.parts);
  const stale = await dropStaleParts(sql, trackerId, stretch, trips.starts);
  const events = await replaceEvents(sql, owner, stretch, outcome.events);
  return {
    events: events.added,
    driven: parts.driven - stale.driven,
    changes: jumps + trips.changes + parts.changes + stale.changes + events.changes,
  };
}

const mark = (sql: Sql, trackerId: number, time: number, digest: number, valid: number): Promise<number> =>
  sql.run('update positions set valid = $4 where tracker_id = $1 and time = $2 and digest = $3', trackerId, time, digest, valid);

const keyOf = ({ time, digest }: FixKey): string => `${time} ${digest}`;
const keysOf = (fixes: readonly FixKey[]): ReadonlySet<string> => new Set(fixes.map(keyOf));

async function replaceJumps(sql: Sql, trackerId: number, { from, to }: Stretch, { jumps }: Outcome, undecided: Undecided): Promise<number> {
  const old = await sql.all<FixKey>(
    'select time, digest from positions where tracker_id = $1 and time >= $2 and time < $3 and valid = 2',
    ...boundsOf(trackerId, { from: undecided.before[0]?.time ?? from, to }),
  );
  const now = new Map(jumps.map((jump) => [keyOf(jump), jump]));
  const before = keysOf(undecided.before);
  const after = keysOf(undecided.after);
  let changes = 0;
  for (const { time, digest } of old) {
    const key = keyOf({ time, digest });
    // What was decided before the stretch stays; of what is undecided at its end, what follows has decided.
    if (now.delete(key) || after.has(key) || (time < from && !before.has(key))) continue;
    await mark(sql, trackerId, time, digest, 1);
    changes++;
  }
  for (const { time, digest } of now.values()) {
    await mark(sql, trackerId, time, digest, 2);
    changes++;
  }
  return changes;
}

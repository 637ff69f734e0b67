// A stretch of fixes that were replayed, and how the tables are asked for what it showed.

/**
 * The fixes that were replayed: those with from <= time < to. What fixes behind it show is as before; where the rest of the record is
 * yet to be replayed, that may be what is found in the stretch now, shown by a later fix.
 */
export interface Stretch {
  from: number;
  to: number;
}

/** What a stretch showed; parameters as of `boundsOf`. */
export const BETWEEN = 'tracker_id = $1 and made >= $2 and made < $3';

/** The tracker and its stretch as parameters; what a column of whole numbers can hold stands for the end of time. */
export const boundsOf = (trackerId: number, { from, to }: Stretch): [number, number, number] => [trackerId, from, Math.min(to, 8.64e15)];

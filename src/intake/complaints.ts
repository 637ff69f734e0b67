// A log for what strangers can cause at will: so many lines a second, and then how many were left unsaid. What they say is not its matter.
import type { Log } from '../basics/log.ts';

const LINES_PER_SECOND = 20;

export type Complain = (level: 'info' | 'warn' | 'error', fields: object, text: string) => void;

/** A way to write to `log` that a flood of bad frames cannot fill a disk with. */
export function limitComplaints(log: Log): Complain {
  let second = 0;
  let said = 0;
  let unsaid = 0;
  return (level, fields, text) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      said = 0;
    }
    if (said >= LINES_PER_SECOND) {
      unsaid++;
      return;
    }
    said++;
    log[level](unsaid === 0 ? fields : { ...fields, unsaid }, text);
    unsaid = 0;
  };
}

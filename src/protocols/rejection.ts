// How a protocol's reader gives up on a frame: thrown inside the protocol, turned into a message at its edge.
// Knows no socket and no log.
import { Truncated } from '../basics/bytes.ts';
import type { BadReason } from './protocol.ts';

/** The frame, datagram or request breaks the protocol's rules. */
export class Rejection extends Error {
  override name = 'Rejection';
  readonly reason: BadReason;
  constructor(reason: BadReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** What was thrown, as a bad message. Anything but a rejection or a truncated frame is a bug of ours and is thrown on. */
export function describeRejection(error: unknown): { kind: 'bad'; reason: BadReason; detail: string } {
  if (error instanceof Rejection) return { kind: 'bad', reason: error.reason, detail: error.message };
  if (error instanceof Truncated) return { kind: 'bad', reason: 'truncated', detail: error.message };
  throw error;
}

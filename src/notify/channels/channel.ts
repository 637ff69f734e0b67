// What a channel is: the way to the targets of one type. Knows no queue: it tries once and says how it went.
import type { TargetRow } from '../../storage/storage.ts';
import type { Pair } from '../message-text.ts';

/** A message on its way to one target. */
export interface Outgoing {
  /** The same whenever this message is sent. */
  uid: string;
  accountId: number;
  /** A mailbox, a URL or a phone number, as the target's type has it. */
  address: string;
  /** For a person: one line. */
  sentence: string;
  /** For a program. */
  pairs: readonly Pair[];
}

/** The HTTP status or the reply code of a mail server; null where there is none. */
export type Status = number | null;

/**
 * Sends a message once and resolves when the other side has taken it. Throws Undelivered when it has not, a Fault when
 * something of our own failed. Ends soon after `signal` is aborted.
 */
export type Channel = (outgoing: Outgoing, signal: AbortSignal) => Promise<{ status: Status }>;

export type Channels = Readonly<Record<TargetRow['type'], Channel>>;

/** The other side did not take a message. Its text is a sentence for the account's owner: no addresses of ours, no secrets. */
export class Undelivered extends Error {
  readonly status: Status;
  constructor(sentence: string, status: Status = null, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Undelivered';
    this.status = status;
  }
}

/** Foreign text within a sentence: one line, short. */
// oxlint-disable-next-line no-control-regex -- the control characters are what it looks for
export const excerpt = (text: string): string => text.replaceAll(/[\s\u0000-\u001F\u007F-\u009F]+/g, ' ').trim().slice(0, 200); // prettier-ignore

// The sorts of failure that cross rooms. A problem (wrong input) is returned as data; these are thrown.
// Each edge (HTTP, device socket, command line) translates them once. Anything else thrown is a bug.

/** The request cannot be served as asked: unknown, forbidden, conflicting, too large. `status` is an HTTP status. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  constructor(status: number, detail: string, headers: Record<string, string | string[]> = {}) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.headers = headers;
  }
}

/** Something that we depend on failed (database, disk, mail server). `retryable`: the same call may go through later. */
export class Fault extends Error {
  readonly retryable: boolean;
  constructor(message: string, retryable: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Fault';
    this.retryable = retryable;
  }
}

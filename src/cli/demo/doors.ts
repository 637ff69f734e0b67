// Where simulated devices knock.

/** Where the service listens, each `host:port`. */
export interface Doors {
  readonly teltonikaTcp: string;
  readonly teltonikaUdp: string;
  readonly osmandHttp: string;
}

/** Splits `host:port`, where an IPv6 host stands in brackets. */
export function parseDoor(door: string): { host: string; port: number } {
  const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(door) ?? [];
  if (host === undefined || port === undefined) throw new RangeError(`not host:port: ${door}`);
  return { host, port: Number(port) };
}

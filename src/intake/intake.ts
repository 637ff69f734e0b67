// What the sockets of devices ask of the rest of the house, and the limits that they keep. Knows no protocol and no storage.
import type { Log } from '../basics/log.ts';
import type { Report } from '../kinds/report.ts';
import type { IntakeMetrics } from './metrics.ts';

/** A tracker that is registered. */
export interface Tracker {
  id: number;
  imei: string;
}

export interface House {
  /** The tracker that a device is; null when no account has it. */
  find(imei: string): Promise<Tracker | null>;
  /**
   * Resolves when all of the reports are durable; with `gone` when the tracker was removed meanwhile. Rejects when they could
   * not be committed: the device is then not acknowledged and sends them again.
   */
  accept(tracker: Tracker, reports: Report[]): Promise<'committed' | 'gone'>;
  /** An unknown device knocked. `imei` is what it called itself, `address` where it came from. Called often; must not wait. */
  unknown(imei: string, protocol: string, address: string): void;
}

export interface Limits {
  /** A TCP device must have logged in after this, ms. */
  loginTimeout: number;
  /** A TCP device that was silent for longer is hung up, ms. */
  idleTimeout: number;
  /** Connections of one listener, in all and from one address (whole fleets share one behind a carrier's gateway). */
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Datagrams, or HTTP requests, that wait for their commit at one time. */
  maxPending: number;
  /** An HTTP request must have arrived whole after this, ms. */
  requestTimeout: number;
  /** How long stopping may take, ms. */
  stopTimeout: number;
}

export const defaultLimits: Limits = {
  loginTimeout: 30_000,
  idleTimeout: 30 * 60_000,
  maxConnections: 20_000,
  maxConnectionsPerAddress: 20_000,
  maxPending: 5_000,
  requestTimeout: 30_000,
  stopTimeout: 10_000,
};

export interface ListenOptions {
  log: Log;
  metrics: IntakeMetrics;
  limits?: Partial<Limits>;
}

/** Where to listen. Port 0 is any free one. */
export interface Endpoint {
  host: string;
  port: number;
}

export interface Listener {
  /** Where it listens, as `host:port`, with brackets around an IPv6 address. */
  readonly address: string;
  /** Takes in nothing more, finishes and acknowledges what has arrived, then closes. Bounded by `stopTimeout`. */
  stop(): Promise<void>;
}

export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The address of a peer; an IPv4 one that came through an IPv6 socket in its usual form. */
export function peerAddress(remote: string | undefined): string {
  if (remote === undefined) return 'gone';
  return remote.startsWith('::ffff:') && remote.includes('.') ? remote.slice(7) : remote;
}

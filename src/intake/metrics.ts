// What the intake counts. The children of a protocol and transport are looked up once, not for every frame.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { BadReason } from '../protocols/protocol.ts';

export type Transport = 'tcp' | 'udp' | 'http';

/** Why a connection was refused or cut off by us. */
export type CutReason = 'limit' | 'address_limit' | 'login_timeout' | 'request_timeout' | 'idle' | 'unread_replies' | 'bad_frames';

/** The counters of one listener. */
export interface Counts {
  opened(): void;
  closed(): void;
  received(bytes: number): void;
  frame(): void;
  acknowledged(reports: number): void;
  /** A frame, datagram or request that broke the protocol. */
  refused(reason: BadReason): void;
  cut(reason: CutReason): void;
  unknown(): void;
  /** Reports that could not be committed. */
  failed(reports: number): void;
  /** A datagram or request that was not looked at, because too many were waiting. */
  dropped(): void;
}

export interface IntakeMetrics {
  of(protocol: string, transport: Transport): Counts;
}

/** Registers the intake's metrics; once for a registry. */
export function createIntakeMetrics(registry: Registry): IntakeMetrics {
  const labelNames = ['protocol', 'transport'] as const;
  const withReason = ['protocol', 'transport', 'reason'] as const;
  const registers = [registry];
  const connections = new Gauge({ name: 'waypost_device_connections', help: 'Open connections of devices', labelNames, registers });
  const bytes = new Counter({ name: 'waypost_received_bytes_total', help: 'Bytes that devices sent', labelNames, registers });
  const frames = new Counter({
    name: 'waypost_frames_total',
    help: 'Frames, datagrams and requests read, good or bad',
    labelNames,
    registers,
  });
  const acknowledged = new Counter({
    name: 'waypost_reports_acknowledged_total',
    help: 'Reports committed and acknowledged to their device',
    labelNames,
    registers,
  });
  const refused = new Counter({
    name: 'waypost_frames_refused_total',
    help: 'Frames, datagrams and requests that broke their protocol',
    labelNames: withReason,
    registers,
  });
  const cut = new Counter({
    name: 'waypost_connections_cut_total',
    help: 'Connections refused or cut off by a limit',
    labelNames: withReason,
    registers,
  });
  const unknown = new Counter({
    name: 'waypost_unknown_devices_total',
    help: 'Logins of devices that no account has',
    labelNames,
    registers,
  });
  const failed = new Counter({
    name: 'waypost_reports_failed_total',
    help: 'Reports not acknowledged because their commit failed',
    labelNames,
    registers,
  });
  const dropped = new Counter({
    name: 'waypost_requests_dropped_total',
    help: 'Datagrams and requests turned away because too many were waiting',
    labelNames,
    registers,
  });
  return {
    of(protocol, transport) {
      const labels = { protocol, transport };
      const openHere = connections.labels(labels);
      const bytesHere = bytes.labels(labels);
      const framesHere = frames.labels(labels);
      const acknowledgedHere = acknowledged.labels(labels);
      const unknownHere = unknown.labels(labels);
      const failedHere = failed.labels(labels);
      const droppedHere = dropped.labels(labels);
      return {
        opened: () => openHere.inc(),
        closed: () => openHere.dec(),
        received: (count) => bytesHere.inc(count),
        frame: () => framesHere.inc(),
        acknowledged: (reports) => acknowledgedHere.inc(reports),
        refused: (reason) => refused.labels({ ...labels, reason }).inc(),
        cut: (reason) => cut.labels({ ...labels, reason }).inc(),
        unknown: () => unknownHere.inc(),
        failed: (reports) => failedHere.inc(reports),
        dropped: () => droppedHere.inc(),
      };
    },
  };
}

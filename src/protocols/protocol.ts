// What a device protocol is to the rest of the house: bytes in, messages and replies out. No clock, no sockets, no services.
import type { Report } from '../kinds/report.ts';

/** What one frame, datagram or request says. */
export type Message =
  /** The device names itself. Reply `accept` if it is known, else `refuse` (and hang up). */
  | { kind: 'login'; imei: string; accept: Uint8Array; refuse: Uint8Array }
  /** Reports of the device that logged in. `acknowledgement` is sent only once they are committed. */
  | { kind: 'reports'; reports: Report[]; acknowledgement: Uint8Array }
  /** A frame that is understood and wants nothing, such as a keep-alive. */
  | { kind: 'idle' }
  /** A bad frame, never acknowledged. `fatal`: the stream cannot be trusted any more, hang up. */
  | { kind: 'bad'; reason: BadReason; detail: string; fatal: boolean };

/** Why a frame was refused: the label of the counter `waypost_frames_refused_total`. */
export type BadReason = 'checksum' | 'length' | 'count' | 'codec' | 'truncated' | 'identity' | 'order' | 'syntax' | 'trailing';

/** A step through a stream: `consumed` bytes made up `message`; null when the frame is not complete yet. */
export type Step = { consumed: number; message: Message } | null;

/** What a protocol remembers of a connection between frames. */
export interface Session {
  /** Set by the intake once a login was accepted. */
  imei: string | null;
}

/** A protocol over TCP. */
export interface StreamProtocol {
  /** The largest frame, bytes: more without a complete frame ends the connection. */
  readonly maxFrame: number;
  /** Reads the first frame of `bytes`. Never throws on hostile input. */
  read(bytes: Uint8Array, session: Session): Step;
}

/** What one datagram or one HTTP request says: who it is from, what it reports and what to answer. */
export type Packet =
  | { kind: 'reports'; imei: string; reports: Report[]; acknowledgement: Uint8Array }
  | { kind: 'bad'; reason: BadReason; detail: string };

/** A protocol over UDP. */
export interface DatagramProtocol {
  /** Reads one datagram. Never throws on hostile input. */
  read(bytes: Uint8Array): Packet;
}

/** The parts of an HTTP request that a protocol may read. */
export interface HttpMessage {
  method: string;
  /** Parameters of the address; the first of each name. */
  query: ReadonlyMap<string, string>;
  /** Media type without parameters, lower case; '' when none was sent. */
  contentType: string;
  body: Uint8Array;
}

/** What an HTTP request of a device says. `unknownStatus` is the protocol's answer to a device that is not known. */
export type HttpPacket =
  | { kind: 'reports'; imei: string; reports: Report[]; unknownStatus: number }
  | { kind: 'bad'; reason: BadReason; detail: string; status: number };

export interface HttpProtocol {
  /** The largest body, bytes. */
  readonly maxBody: number;
  read(message: HttpMessage): HttpPacket;
}

/** A device protocol, as the list in `protocols/protocols.ts` names it. */
export interface Protocol {
  readonly name: string;
  /** The port that devices of this kind are set to by custom. */
  readonly port: number;
  readonly tcp?: StreamProtocol;
  readonly udp?: DatagramProtocol;
  readonly http?: HttpProtocol;
}

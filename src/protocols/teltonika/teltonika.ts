// Teltonika trackers: Codec 8, 8 Extended and 16 over TCP and UDP, as a protocol of the house.
// Source: Teltonika "Data Sending Protocols" and "Help with Server FAQ" (login).
import { describeRejection, Rejection } from '../rejection.ts';
import type { Message, Packet, Protocol, Session, Step } from '../protocol.ts';
import { isCommandAnswer } from './codec.ts';
import { cutFrame, IMEI_LENGTH, MAX_FRAME, openDatagram, readImei } from './frame.ts';
import { readRecords } from './record.ts';

const ACCEPT = Uint8Array.of(1);
const REFUSE = Uint8Array.of(0);
const LOGIN_SIZE = 2 + IMEI_LENGTH;
/** Sent alone by some devices between frames, to keep the connection open. */
const PING = 0xff;

function readStream(bytes: Uint8Array, session: Session): Step {
  if (bytes.length === 0) return null;
  let pings = 0;
  while (bytes[pings] === PING) pings++;
  if (pings > 0) return { consumed: pings, message: { kind: 'idle' } };
  try {
    return session.imei === null ? readLogin(bytes) : readFrame(bytes);
  } catch (error) {
    // Where the next frame starts is not known any more.
    return { consumed: bytes.length, message: { ...describeRejection(error), fatal: true } };
  }
}

function readLogin(bytes: Uint8Array): Step {
  if (bytes[0] !== 0) throw new Rejection('identity', `a login does not start with 0x${bytes.subarray(0, 1).toHex()}`);
  const length = bytes[1];
  if (length === undefined) return null;
  if (length === 0) throw new Rejection('order', 'data before the login');
  if (length !== IMEI_LENGTH) throw new Rejection('identity', `an IMEI of ${length} bytes`);
  // What is there so far is looked at, so that a stranger is not waited for.
  const imei = readImei(bytes.subarray(2, LOGIN_SIZE));
  if (imei.length < IMEI_LENGTH) return null;
  return { consumed: LOGIN_SIZE, message: { kind: 'login', imei, accept: ACCEPT, refuse: REFUSE } };
}

function readFrame(bytes: Uint8Array): Step {
  if (bytes[0] === 0 && bytes[1] === IMEI_LENGTH) throw new Rejection('order', 'a second login');
  const frame = cutFrame(bytes);
  if (frame === null) return null;
  return { consumed: frame.size, message: frame.isSound ? readData(frame.data) : badChecksum };
}

const badChecksum: Message = { kind: 'bad', reason: 'checksum', detail: 'the checksum does not fit the data', fatal: false };

/** Reads the data of a frame whose checksum is right: a fault in it costs this frame only. */
function readData(data: Uint8Array): Message {
  // A frame has at least three bytes of data.
  if (isCommandAnswer(data[0]!)) return { kind: 'idle' };
  try {
    const reports = readRecords(data);
    return { kind: 'reports', reports, acknowledgement: Uint8Array.of(0, 0, 0, reports.length) };
  } catch (error) {
    return { ...describeRejection(error), fatal: false };
  }
}

function readDatagram(bytes: Uint8Array): Packet {
  try {
    const { imei, data, acknowledge } = openDatagram(bytes);
    const reports = readRecords(data);
    return { kind: 'reports', imei, reports, acknowledgement: acknowledge(reports.length) };
  } catch (error) {
    return describeRejection(error);
  }
}

export const teltonika: Protocol = {
  name: 'teltonika',
  port: 5027,
  tcp: { maxFrame: MAX_FRAME, read: readStream },
  udp: { read: readDatagram },
};

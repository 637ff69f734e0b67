// The data part of Teltonika codecs 8, 8 Extended and 16: from codec id through second count, to reports.
// Knows nothing of frames, checksums and sockets. Source: Teltonika "Data Sending Protocols".
import { ByteReader } from '../../basics/bytes.ts';
import type { Report } from '../../kinds/report.ts';
import { Rejection } from '../rejection.ts';
import { layoutOf, type Layout } from './codec.ts';
import { elementName, takeElement, type Attributes } from './elements.ts';

const YEAR_10000 = Date.UTC(10000, 0);
const DEGREE = 1e7;

/** The records of one packet, in the order sent. @throws Rejection, Truncated when any byte of it is not as it must be. */
export function readRecords(data: Uint8Array): Report[] {
  const reader = new ByteReader(data);
  const codec = reader.u8();
  const layout = layoutOf(codec);
  if (layout === null) throw new Rejection('codec', `codec 0x${codec.toString(16).padStart(2, '0')}`);
  const count = reader.u8();
  if (count === 0) throw new Rejection('count', 'a packet of no records');
  const reports: Report[] = [];
  for (let i = 0; i < count; i++) reports.push(readRecord(reader, layout));
  const again = reader.u8();
  if (again !== count) throw new Rejection('count', `${count} records announced before, ${again} after them`);
  if (reader.left > 0) throw new Rejection('trailing', `${reader.left} bytes after the records`);
  return reports;
}

function readRecord(reader: ByteReader, layout: Layout): Report {
  // Two halves, not a bigint: this runs for every position that comes in.
  const time = reader.u32() * 2 ** 32 + reader.u32();
  if (time >= YEAR_10000) throw new Rejection('range', `a time of ${time} ms`);
  const priority = reader.u8();
  const longitude = reader.i32() / DEGREE;
  const latitude = reader.i32() / DEGREE;
  const altitude = reader.i16();
  const angle = reader.u16();
  if (angle > 360) throw new Rejection('range', `an angle of ${angle} degrees`);
  const satellites = reader.u8();
  // km/h to m/s.
  const speed = reader.u16() / 3.6;
  const report: Report = {
    time,
    latitude,
    longitude,
    // Without satellites the device repeats its last known place.
    fixed: satellites > 0,
    altitude,
    speed,
    heading: angle === 360 ? 0 : angle,
    satellites,
  };
  const attributes: Attributes = {};
  const event = layout.idBytes === 1 ? reader.u8() : reader.u16();
  if (event !== 0) attributes['event'] = event;
  if (priority !== 0) attributes['priority'] = priority;
  if (layout.hasGeneration) attributes['generation'] = reader.u8();
  readElements(reader, layout, report, attributes);
  for (const _ in attributes) {
    report.attributes = attributes;
    break;
  }
  return report;
}

function readElements(reader: ByteReader, layout: Layout, report: Report, attributes: Attributes): void {
  const narrowCount = layout.countBytes === 1;
  const narrowId = layout.idBytes === 1;
  const total = narrowCount ? reader.u8() : reader.u16();
  let sum = 0;
  let count = narrowCount ? reader.u8() : reader.u16();
  for (let i = 0; i < count; i++) takeElement(report, attributes, narrowId ? reader.u8() : reader.u16(), 1, reader.u8());
  sum += count;
  count = narrowCount ? reader.u8() : reader.u16();
  for (let i = 0; i < count; i++) takeElement(report, attributes, narrowId ? reader.u8() : reader.u16(), 2, reader.u16());
  sum += count;
  count = narrowCount ? reader.u8() : reader.u16();
  for (let i = 0; i < count; i++) takeElement(report, attributes, narrowId ? reader.u8() : reader.u16(), 4, reader.u32());
  sum += count;
  count = narrowCount ? reader.u8() : reader.u16();
  for (let i = 0; i < count; i++) attributes[elementName(narrowId ? reader.u8() : reader.u16())] = readLong(reader);
  sum += count;
  if (layout.hasVariable) {
    count = reader.u16();
    for (let i = 0; i < count; i++) attributes[elementName(reader.u16())] = reader.bytes(reader.u16()).toHex();
    sum += count;
  }
  if (sum !== total) throw new Rejection('count', `${total} elements announced, ${sum} in the groups`);
}

/** An unsigned number of 8 bytes; as decimal digits when it is too large for a number to be exact. */
function readLong(reader: ByteReader): number | string {
  const high = reader.u32();
  const low = reader.u32();
  if (high < 2 ** 21) return high * 2 ** 32 + low;
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
}

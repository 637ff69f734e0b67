// The data part of Teltonika codecs 8, 8 Extended and 16: from codec id through second count, to reports.
// Knows nothing of frames, checksums and sockets. Source: Teltonika "Data Sending Protocols".
import { ByteReader } from '../../basics/bytes.ts';
import { bounds, isTime } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import { Rejection } from '../rejection.ts';
import { layoutOf, type Layout } from './codec.ts';
import { alarmsOf, elementName, takeElement, type Attributes } from './elements.ts';

const DEGREE = 1e7;
const LOWEST = bounds.altitude.min;

/** The records of one packet, in the order sent. @throws Rejection, Truncated when its structure is not as it must be. */
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
  const sent = readLong(reader);
  const time = typeof sent === 'number' && isTime(sent) ? sent : null;
  const priority = reader.u8();
  const longitude = reader.i32() / DEGREE;
  const latitude = reader.i32() / DEGREE;
  const altitude = reader.i16();
  const angle = reader.u16();
  const satellites = reader.u8();
  // km/h to m/s.
  const speed = reader.u16() / 3.6;
  const report: Report = {
    time,
    latitude,
    longitude,
    // Without satellites the device repeats its last known place; without a time it cannot say when it was there.
    fixed: satellites > 0 && time !== null,
    altitude,
    speed,
    heading: angle === 360 ? 0 : angle,
    satellites,
  };
  const attributes: Attributes = {};
  if (time === null || altitude < LOWEST || angle > 360) keepApart(report, attributes, sent, altitude, angle);
  const event = layout.idBytes === 1 ? reader.u8() : reader.u16();
  if (event !== 0) attributes['event'] = event;
  if (priority !== 0) attributes['priority'] = priority;
  if (layout.hasGeneration) attributes['generation'] = reader.u8();
  readElements(reader, layout, report, attributes);
  if (event !== 0 || priority !== 0) {
    const alarms = alarmsOf(event, priority, attributes);
    if (alarms.length > 0) report.alarms = alarms;
  }
  for (const _ in attributes) {
    report.attributes = attributes;
    break;
  }
  return report;
}

/** What cannot be a time, an altitude or a heading stays as it was sent. Speed and satellites have too few bits to be out of bounds. */
function keepApart(report: Report, attributes: Attributes, time: number | string, altitude: number, angle: number): void {
  if (report.time === null) attributes['time'] = String(time);
  if (altitude < LOWEST) {
    delete report.altitude;
    attributes['altitude'] = altitude;
  }
  if (angle > 360) {
    delete report.heading;
    attributes['angle'] = angle;
  }
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

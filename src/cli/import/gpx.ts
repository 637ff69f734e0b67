// Reads GPX 1.0 and 1.1 as it streams in: track points and waypoints with a time. Knows no file and no account.
// Source: topografix.com/GPX/1/1 and /1/0, Garmin TrackPointExtension v2 (speed in m/s, course in degrees).
import { SaxesParser } from 'saxes';
import type { Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import {
  Flaw,
  Unreadable,
  attempt,
  checkTime,
  keepAttribute,
  parseIsoTime,
  parseDegrees,
  parseNumber,
  readText,
  takeValue,
  type Reading,
  type Skipped,
} from './reading.ts';

const deepest = 32;
/** Characters without the end of a tag: more is no GPX, and would have to be kept. */
const farthest = 262_144;
/** Characters of text in one element that are of use to us. */
const longestText = 1024;

interface Point {
  line: number;
  element: string;
  latitude: string | undefined;
  longitude: string | undefined;
  values: Map<string, string>;
  /** The reason why it cannot be read, once there is one. */
  flaw: string | null;
}

/**
 * Points without a time, route points (which are plans), and points with values that are none come as Skipped.
 * Throws Unreadable where it is not XML.
 */
export async function* readGpx(bytes: AsyncIterable<Uint8Array>): Reading {
  const parser = new SaxesParser();
  const found: (Report | Skipped)[] = [];
  const path: string[] = [];
  let point: Point | null = null;
  let text = '';
  let isLeaf = false;
  let sinceTag = 0;

  parser.on('error', (error) => {
    throw new Unreadable(`not well-formed XML: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw new Unreadable('a document type declaration is not accepted');
  });
  parser.on('opentag', ({ name, attributes }) => {
    sinceTag = 0;
    const element = localName(name);
    if (path.length === 0 && element !== 'gpx') throw new Unreadable(`not GPX: the root element is ${element.slice(0, 40)}`);
    if (path.push(element) > deepest) throw new Unreadable(`line ${parser.line}: elements deeper than ${deepest}`);
    text = '';
    isLeaf = true;
    if (point === null && (element === 'trkpt' || element === 'wpt' || element === 'rtept')) {
      point = { line: parser.line, element, latitude: attributes['lat'], longitude: attributes['lon'], values: new Map(), flaw: null };
    }
  });
  const take = (piece: string): void => {
    if (point !== null && isLeaf && text.length <= longestText) text += piece.slice(0, longestText + 1);
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', () => {
    sinceTag = 0;
    const element = path.pop() ?? '';
    if (point !== null && element === point.element && !path.includes(element)) {
      const whole = point;
      found.push(attempt(whole.line, () => toReport(whole)));
      point = null;
    } else if (point !== null && isLeaf && text.trim() !== '') {
      const { values } = point;
      if (text.length > longestText) point.flaw ??= `${element.slice(0, 40)} is too long`;
      else if (values.size >= 100) point.flaw ??= 'too many values';
      else if (!values.has(element)) values.set(element, text.trim());
    }
    isLeaf = false;
  });

  for await (const piece of readText(bytes)) {
    sinceTag += piece.length;
    parser.write(piece);
    if (sinceTag > farthest) throw new Unreadable(`line ${parser.line}: no element ends within ${farthest} characters`);
    yield* found.splice(0);
  }
  parser.close();
  yield* found.splice(0);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function toReport({ element, latitude, longitude, values, flaw }: Point): Report {
  if (flaw !== null) throw new Flaw(flaw);
  if (element === 'rtept') throw new Flaw('a point of a route is a plan, not a position');
  const time = values.get('time');
  if (time === undefined) throw new Flaw('a point without a time');
  if (latitude === undefined || longitude === undefined) throw new Flaw('a point without lat or lon');
  const report: Report = {
    time: checkTime(parseIsoTime(time), time),
    latitude: parseDegrees('lat', latitude.trim()),
    longitude: parseDegrees('lon', longitude.trim()),
    fixed: true,
  };
  for (const [name, text] of values) {
    const take = (property: Bounded): void => takeValue(report, property, parseNumber(name, text), name, text);
    switch (name) {
      case 'time':
        break;
      case 'ele':
        take('altitude');
        break;
      case 'speed':
        take('speed');
        break;
      case 'course':
        take('heading');
        break;
      case 'sat':
        take('satellites');
        break;
      case 'fix':
        report.fixed = text !== 'none';
        break;
      case 'accuracy':
        take('accuracy');
        break;
      default:
        keepAttribute(report, name, text);
    }
  }
  return report;
}

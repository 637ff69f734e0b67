// The query form: one report in the parameters of an address or of a form.
// Source: traccar.org/osmand; names and units as its ecosystem uses them: speed in knots.
import type { Report } from '../../kinds/report.ts';
import { Rejection } from '../rejection.ts';
import {
  Attributes,
  checkIdentity,
  parseNumber,
  parseTime,
  parseTruth,
  readUnixTime,
  takeAccuracy,
  takeBatteryLevel,
  takeHeading,
  takePlace,
  takeSpeed,
} from './values.ts';

/** @throws Rejection */
export function readParameters(parameters: ReadonlyMap<string, string>): { imei: string; reports: Report[] } {
  const imei = checkIdentity(parameters.get('id') ?? parameters.get('deviceid'));
  const report: Report = { time: null, latitude: null, longitude: null, fixed: true };
  const attributes = new Attributes();
  let latitude: number | null = null;
  let longitude: number | null = null;
  for (const [name, text] of parameters) {
    const number = (): number => parseNumber(name, text);
    switch (name) {
      case 'id':
      case 'deviceid':
        break;
      case 'timestamp':
        report.time = /^\d+(\.\d+)?$/.test(text) ? readUnixTime(number()) : parseTime(text);
        break;
      case 'lat':
        latitude = number();
        break;
      case 'lon':
        longitude = number();
        break;
      case 'location': {
        const [first = '', second = '', ...more] = text.split(',');
        if (more.length > 0) throw new Rejection('syntax', 'location must be latitude,longitude');
        latitude = parseNumber(name, first);
        longitude = parseNumber(name, second);
        break;
      }
      case 'valid':
        report.fixed = parseTruth(name, text);
        break;
      case 'speed':
        // A knot is 1852 m in an hour. Divided first, so that the largest number does not become infinite.
        takeSpeed(report, (number() / 3600) * 1852);
        break;
      case 'bearing':
      case 'heading':
        takeHeading(report, number());
        break;
      case 'altitude':
        report.altitude = number();
        break;
      case 'accuracy':
        takeAccuracy(report, number());
        break;
      case 'batt':
        takeBatteryLevel(report, number());
        break;
      case 'hdop':
        attributes.keep(name, number());
        break;
      case 'charge':
        // Some apps send the number of their battery state here instead.
        attributes.keep(name, /^(true|false|1|0)$/.test(text) ? parseTruth(name, text) : text);
        break;
      default:
        attributes.keep(name, text);
    }
  }
  takePlace(report, latitude, longitude);
  attributes.giveTo(report);
  return { imei, reports: [report] };
}

// The query form: one report in the parameters of an address or of a form.
// Source: traccar.org/osmand; names and units as its ecosystem uses them: speed in knots.
import type { Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import { Rejection } from '../rejection.ts';
import { Attributes, checkIdentity, parseNumber, parseTime, parseTruth, readUnixTime, takePlace, takeTime, takeValue } from './values.ts';

/** @throws Rejection */
export function readParameters(parameters: ReadonlyMap<string, string>): { imei: string; reports: Report[] } {
  const imei = checkIdentity(parameters.get('id') ?? parameters.get('deviceid'));
  const report: Report = { time: null, latitude: null, longitude: null, fixed: true };
  const attributes = new Attributes();
  let latitude: number | null = null;
  let longitude: number | null = null;
  let isValid = true;
  for (const [name, text] of parameters) {
    const number = (): number => parseNumber(name, text);
    const value = (property: Bounded, sent: number): void => takeValue(report, attributes, property, sent, name, text);
    switch (name) {
      case 'id':
      case 'deviceid':
        break;
      case 'timestamp':
        takeTime(report, attributes, /^-?\d+(\.\d+)?$/.test(text) ? readUnixTime(number()) : parseTime(text), text);
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
        isValid = parseTruth(name, text);
        break;
      case 'speed':
        // A knot is 1852 m in an hour.
        value('speed', (number() * 1852) / 3600);
        break;
      case 'bearing':
      case 'heading':
        value('heading', number());
        break;
      case 'altitude':
        value('altitude', number());
        break;
      case 'accuracy':
        value('accuracy', number());
        break;
      case 'batt':
        value('batteryLevel', number());
        break;
      case 'ignition':
      case 'motion':
        // Gateways of wired devices send these too; another word than a truth value is kept as it came.
        if (isTruth(text)) report[name] = parseTruth(name, text);
        else attributes.keep(name, text);
        break;
      case 'power':
      case 'odometer':
        // Not of the app's own: what is no number is no reason to refuse where it is.
        if (isNumber(text)) value(name, number());
        else attributes.keep(name, text);
        break;
      case 'hdop':
        attributes.keep(name, number());
        break;
      case 'charge':
        // Some apps send the number of their battery state here instead.
        attributes.keep(name, isTruth(text) ? parseTruth(name, text) : text);
        break;
      default:
        attributes.keep(name, text);
    }
  }
  if (!takePlace(report, latitude, longitude))
    for (const name of ['lat', 'lon', 'location']) if (parameters.has(name)) attributes.keep(name, parameters.get(name) ?? '');
  if (!isValid) report.fixed = false;
  attributes.giveTo(report);
  return { imei, reports: [report] };
}

const isTruth = (text: string): boolean => /^(true|false|1|0)$/.test(text);
const isNumber = (text: string): boolean => /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(text);

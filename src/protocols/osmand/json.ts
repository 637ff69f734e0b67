// The JSON form: what Traccar Client sends since version 9, and the location array of the library that it is built on.
// Source: traccar.org/osmand (JSON) and the location schema of transistorsoft's background-geolocation: speed in m/s.
import type { Bounded } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';
import { Rejection } from '../rejection.ts';
import { Attributes, checkIdentity, parseTime, readUnixTime, takePlace, takeTime, takeValue } from './values.ts';

const MAX_DEPTH = 8;

type Members = Readonly<Record<string, unknown>>;

/** Only `device_id` and `location` are read of the body: what else an app adds there is its own business. @throws Rejection */
export function readBody(text: string): { imei: string; reports: Report[] } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Rejection('syntax', 'the body is not JSON');
  }
  const { device_id: id, location } = members('the body', body);
  const imei = checkIdentity(typeof id === 'string' ? id : Number.isSafeInteger(id) ? String(id) : undefined);
  const locations = Array.isArray(location) ? location : [location];
  if (locations.length === 0) throw new Rejection('count', 'no location');
  return { imei, reports: locations.map(readLocation) };
}

function readLocation(location: unknown): Report {
  const report: Report = { time: null, latitude: null, longitude: null, fixed: true };
  const attributes = new Attributes();
  for (const [name, value] of Object.entries(members('location', location))) {
    // null is how this form leaves a value out.
    if (value === null) continue;
    switch (name) {
      case 'timestamp':
        takeTimestamp(report, attributes, value);
        break;
      case 'coords':
        takeCoords(report, attributes, members(name, value));
        break;
      case 'is_moving':
        report.motion = truth(name, value);
        break;
      case 'odometer':
        takeNumber(report, attributes, 'odometer', name, value);
        break;
      case 'battery':
        takeBattery(report, attributes, members(name, value));
        break;
      case 'activity':
        for (const [key, part] of Object.entries(members(name, value))) keep(attributes, key === 'type' ? name : `${name}_${key}`, part);
        break;
      case 'extras':
        for (const [key, part] of Object.entries(members(name, value))) keep(attributes, key, part);
        break;
      default:
        keep(attributes, name, value);
    }
  }
  if (report.latitude === null) report.fixed = false;
  attributes.giveTo(report);
  return report;
}

function takeTimestamp(report: Report, attributes: Attributes, value: unknown): void {
  if (typeof value === 'string') return takeTime(report, attributes, parseTime(value), value);
  const sent = number('timestamp', value);
  takeTime(report, attributes, readUnixTime(sent), String(sent));
}

function takeCoords(report: Report, attributes: Attributes, coords: Members): void {
  let latitude: number | null = null;
  let longitude: number | null = null;
  for (const [name, value] of Object.entries(coords)) {
    if (value === null) continue;
    switch (name) {
      case 'latitude':
        latitude = number(name, value);
        break;
      case 'longitude':
        longitude = number(name, value);
        break;
      case 'altitude':
        takeNumber(report, attributes, 'altitude', name, value);
        break;
      case 'accuracy':
        takeNumber(report, attributes, 'accuracy', name, value);
        break;
      case 'speed':
        takeNumber(report, attributes, 'speed', name, value);
        break;
      case 'heading':
        takeNumber(report, attributes, 'heading', name, value);
        break;
      default:
        keep(attributes, name, value);
    }
  }
  if (!takePlace(report, latitude, longitude)) {
    keep(attributes, 'latitude', latitude);
    keep(attributes, 'longitude', longitude);
  }
}

function takeNumber(report: Report, attributes: Attributes, property: Bounded, name: string, value: unknown): void {
  const sent = number(name, value);
  takeValue(report, attributes, property, sent, name, sent);
}

function takeBattery(report: Report, attributes: Attributes, battery: Members): void {
  for (const [name, value] of Object.entries(battery)) {
    if (value === null) continue;
    if (name === 'level') {
      const level = number(name, value);
      // Sent as a share of 1. Rounded, because 0.29 * 100 is not 29.
      takeValue(report, attributes, 'batteryLevel', Math.round(level * 1e4) / 100, 'battery_level', level);
    } else keep(attributes, name === 'is_charging' ? 'charge' : `battery_${name}`, value);
  }
}

/** Keeps a value as it came; an object or list as its JSON text. */
function keep(attributes: Attributes, name: string, value: unknown): void {
  if (value === null) return;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') attributes.keep(name, value);
  else if (isDeeperThan(MAX_DEPTH, value)) throw new Rejection('syntax', `${name} is nested too deeply`);
  else attributes.keep(name, JSON.stringify(value));
}

/** Asked before anything walks the value, because a walk of a hostile depth overflows the stack. */
function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((part) => isDeeperThan(depth - 1, part));
}

function members(name: string, value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Rejection('syntax', `${name} must be an object`);
  // An object that JSON.parse made has text for keys, and any values.
  return value as Members;
}

function number(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Rejection('syntax', `${name} must be a number`);
  return value;
}

function truth(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Rejection('syntax', `${name} must be true or false`);
  return value;
}

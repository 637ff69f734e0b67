// The IO elements of a Teltonika record: the few that every tracker has are understood, all others are kept by their number.
// Source: Teltonika "FMB910 Basic / Teltonika Data Sending Parameters ID" and "Data Sending Protocols" (priority).
import type { Alarm } from '../../kinds/alarm.ts';
import { bounds } from '../../kinds/bounds.ts';
import type { Report } from '../../kinds/report.ts';

export type Attributes = NonNullable<Report['attributes']>;

/** Elements that the list gives as signed: axes (mg) and Dallas temperatures (0.1 degrees Celsius). */
const signed: ReadonlySet<number> = new Set([17, 18, 19, 72, 73, 74, 75]);

/** The most that is taken for a voltage (mV) and a charge (%). Constants, because this runs for every element that comes in. */
const MOST_POWER = bounds.power.max * 1000;
const MOST_BATTERY = bounds.battery.max * 1000;
const MOST_LEVEL = bounds.batteryLevel.max;

const names: string[] = [];

/** The name under which an element that is not understood is kept, such as `io21`. */
export function elementName(id: number): string {
  return (names[id] ??= `io${id}`);
}

/** Takes one element of `size` bytes into the report, or into its attributes. `value` is the unsigned number as sent. */
export function takeElement(report: Report, attributes: Attributes, id: number, size: 1 | 2 | 4, value: number): void {
  switch (id) {
    case 16: // total odometer, m
      report.odometer = value;
      return;
    case 66: // external voltage, mV
      if (value > MOST_POWER) break;
      report.power = value / 1000;
      return;
    case 67: // battery voltage, mV
      if (value > MOST_BATTERY) break;
      report.battery = value / 1000;
      return;
    case 113: // battery level, %
      if (value > MOST_LEVEL) break;
      report.batteryLevel = value;
      return;
    case 181: // PDOP, tenths
      attributes['pdop'] = value / 10;
      return;
    case 182: // HDOP, tenths
      attributes['hdop'] = value / 10;
      return;
    case 239:
      report.ignition = value !== 0;
      return;
    case 240:
      report.motion = value !== 0;
      return;
  }
  attributes[elementName(id)] = signed.has(id) ? asSigned(value, size) : value;
}

function asSigned(value: number, size: 1 | 2 | 4): number {
  const limit = 2 ** (8 * size);
  return value >= limit / 2 ? value - limit : value;
}

/** The priority of a record that somebody is meant to look at at once. */
const PANIC = 2;

/**
 * What a record raises. Only the element that caused it does: others, and those of periodical records, say how things stand.
 * A record whose event tells that things are well again (such as 252 with value 0) raises nothing.
 */
export function alarmsOf(event: number, priority: number, attributes: Readonly<Attributes>): Alarm[] {
  const alarms: Alarm[] = priority === PANIC ? ['panic'] : [];
  const value = event === 0 ? undefined : attributes[elementName(event)];
  switch (event) {
    case 236: // alarm button, 1: pressed
      if (value === 1 && priority !== PANIC) alarms.push('panic');
      break;
    case 246: // towing, 1: detected
      if (value === 1) alarms.push('towed');
      break;
    case 252: // supply, 1: unplugged
      if (value === 1) alarms.push('batteryDisconnected');
      break;
    case 255: // the speed, km/h, at which a limit in the device was exceeded, or was kept again
      if (typeof value === 'number' && value > 0) alarms.push('overspeed');
      break;
  }
  return alarms;
}

// What the interface can carry of a report: the bounds of a position's properties, in the units of the inside.
// Knows nothing of what can be believed within them, and of no protocol.
import { position } from './position.ts';
import type { Report } from './report.ts';

const { properties } = position.schema;

/** Least and most of a property; `unit`: how many units of the inside make one of the interface. */
function boundsOf(name: keyof typeof properties, unit = 1): { readonly min: number; readonly max: number } {
  const { minimum = -Infinity, maximum = Infinity } = properties[name] as { minimum?: number; maximum?: number };
  return { min: minimum * unit, max: maximum * unit };
}

/** Both ends are within, but for a heading of 360, which is 0. */
export const bounds = {
  altitude: boundsOf('altitude'),
  speed: boundsOf('speed', 1 / 3.6),
  heading: boundsOf('heading'),
  accuracy: boundsOf('accuracy'),
  satellites: boundsOf('satellites'),
  battery: boundsOf('battery'),
  batteryLevel: boundsOf('battery_level'),
  power: boundsOf('power'),
  odometer: boundsOf('odometer_dist', 1000),
} as const;

export type Bounded = keyof typeof bounds;

/** Below 0 is how devices say that they do not know these. */
const unknownBelow0: ReadonlySet<Bounded> = new Set(['speed', 'heading', 'accuracy', 'batteryLevel']);

/**
 * Sets a property of the report, unless the value says that the device does not know it.
 * False when it is neither: the caller then keeps what the device sent under its own name.
 */
export function take(report: Report, property: Bounded, value: number): boolean {
  const { min, max } = bounds[property];
  if (!(value >= min && value <= max)) return value < 0 && unknownBelow0.has(property);
  if (property === 'satellites' && !Number.isInteger(value)) return false;
  report[property] = property === 'heading' && value === 360 ? 0 : value;
  return true;
}

/** The last millisecond of the year 9999. */
const LAST_TIME = boundsOf('ts', 1000).max + 999;

/** Whether a report can be of this time: ms since 1970, in the years 1970 to 9999. */
export const isTime = (time: number): boolean => Number.isSafeInteger(time) && time >= 0 && time <= LAST_TIME;

/** Degrees beyond this are no place that anyone meant, and no number to be shown. */
const FARTHEST = 1000;

/** Whether a latitude or longitude is kept as one. Those of no place on earth are, and marked by whoever judges. */
export const isAngle = (degrees: number): boolean => Math.abs(degrees) <= FARTHEST;

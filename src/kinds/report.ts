// What a device sent, in the units of the inside: metres, seconds, m/s, degrees, volts, UTC.
// Knows no protocol, no storage, and not whose device it was.
import type { Alarm } from './alarm.ts';

/** One report of a device. Values that it did not send are absent. */
export interface Report {
  /** When the fix was taken, ms since 1970 UTC; null when the device sent no time: it is then the time of receipt. */
  time: number | null;
  /** WGS 84 degrees, as sent, plausible or not; null when the device sent no place. */
  latitude: number | null;
  longitude: number | null;
  /** False when the device itself says that the place is not a current fix (no satellites, "void"). */
  fixed: boolean;
  /** Metres above sea level or ellipsoid, as the device has it. */
  altitude?: number;
  /** m/s. */
  speed?: number;
  /** Degrees clockwise from north, 0 <= heading < 360. */
  heading?: number;
  /** Radius of the likely error, metres. */
  accuracy?: number;
  satellites?: number;
  ignition?: boolean;
  /** The device's own sense of movement. */
  motion?: boolean;
  /** Voltage of the device's own battery. */
  battery?: number;
  /** Charge of the device's own battery, 0 to 100 %. */
  batteryLevel?: number;
  /** Voltage of the supply, such as the vehicle's battery. */
  power?: number;
  /** Total distance counted by the device or vehicle, metres. */
  odometer?: number;
  /** What the device raised with this very report, each once; absent when it raised nothing. */
  alarms?: Alarm[];
  /** All else that the device sent, by the protocol's own names, such as `io21` or `hdop`. */
  attributes?: Record<string, string | number | boolean>;
}

// A position as the state machines see it. Only positions whose time can be believed come to them, each once, in the order of
// (time, digest); whether its place can be believed is another matter.

export interface Fix {
  /** When it was taken, ms. With the digest it is the fix's place in the order. */
  time: number;
  digest: number;
  /** When the service received it, ms. */
  received: number;
  /** The place can be believed as far as the report alone shows (judge.ts). Without it, only what was sensed counts. */
  placed: boolean;
  /** NaN, as for all that follows, when the device did not say. */
  latitude: number;
  longitude: number;
  /** m/s. */
  speed: number;
  /** m. */
  accuracy: number;
  /** 0 or 1. */
  ignition: number;
  /** Charge of the device's own battery, %. */
  batteryLevel: number;
  /** Voltage of the supply. */
  power: number;
  /** Bits of kinds/alarm.ts; 0 when nothing was raised. */
  alarms: number;
}

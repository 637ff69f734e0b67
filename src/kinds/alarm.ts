// What a device can raise with a report by itself, as bits of one number. Knows no protocol: each maps its own words to these.

export const ALARM = { panic: 1, batteryDisconnected: 2, batteryLow: 4, towed: 8, overspeed: 16 } as const;

export type Alarm = keyof typeof ALARM;

/** The set as one number; null when nothing was raised. */
export const alarmBits = (alarms: readonly Alarm[]): number | null =>
  alarms.length === 0 ? null : alarms.reduce((bits, alarm) => bits | ALARM[alarm], 0);

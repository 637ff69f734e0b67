// Whether a report's place can be believed. What cannot is kept in the record and marked, and left out of all that is derived.
import type { Report } from '../kinds/report.ts';

/** GPS trackers did not exist before; receivers with a dead clock or a rolled-over week report such times. */
export const EARLIEST = Date.UTC(2000, 0, 1);
/** How far a device's clock may run ahead, ms. */
const AHEAD = 24 * 3600 * 1000;
/** m/s; faster than an airliner in a jet stream. */
const FASTEST = 420;

/** False for no fix, a place that is none, (0, 0), a time that cannot be and a speed that cannot be. */
export function isCredible(report: Report, time: number, received: number): boolean {
  const { latitude, longitude, speed = 0 } = report;
  if (!report.fixed || latitude === null || longitude === null) return false;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180 || (latitude === 0 && longitude === 0)) return false;
  return isCredibleTime(time, received) && speed <= FASTEST;
}

export const isCredibleTime = (time: number, received: number): boolean => time >= EARLIEST && time <= received + AHEAD;

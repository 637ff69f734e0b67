// The numbers that decide what is a stop, a trip, a gap, a crossing. The service has settings for all of them, a tracker its
// own where that makes sense. Times in ms, distances in m, speeds in m/s.

export type TripSource = 'auto' | 'ignition' | 'movement';

export interface Thresholds {
  /** What makes a trip: the ignition where the device reports it, else movement (auto), or always the one or the other. */
  tripSource: TripSource;
  /** A standstill of this length ends a trip; a shorter one is part of it. */
  stopTime: number;
  /** The same while the ignition is on. */
  idleLimit: number;
  /** Within this distance of where it stands, a vehicle has not moved. */
  stopRadius: number;
  /** A drive that leads less far away than this is none. */
  tripDistance: number;
  /** A hole between two fixes that is longer than this, and than the tracker's usual steps, is a gap: nobody knows what was driven in it. */
  gapTime: number;
  /** Faster than this from one fix to the next, the later one is doubted, unless the device says that it is so fast. */
  jumpSpeed: number;
  /** How long a speed limit must be exceeded without a break. */
  overspeedTime: number;
  /** How far beyond the line of a zone a fix must be to count at once. */
  zoneMargin: number;
  /** How long a tracker must stay on the other side to count without that. */
  zoneDwell: number;
  /** Charge of the device's battery, %, at which it is low. */
  batteryLow: number;
}

export const DEFAULT_THRESHOLDS: Thresholds = {
  tripSource: 'auto',
  stopTime: 300_000,
  idleLimit: 1_800_000,
  stopRadius: 75,
  tripDistance: 200,
  gapTime: 600_000,
  jumpSpeed: 50,
  overspeedTime: 10_000,
  zoneMargin: 20,
  zoneDwell: 60_000,
  batteryLow: 20,
};

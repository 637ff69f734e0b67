// Storage as the rest of the house knows it: operations by table, whatever engine runs them.
import type { Bound } from './operation.ts';
import type { tables } from './tables/tables.ts';

export type Storage = Bound<typeof tables>;

export type { AccountRow, NewAccount } from './tables/accounts.ts';
export { addDelivery, type AttemptResult, type DeliveryHead, type DeliveryRow, type NewDelivery } from './tables/deliveries.ts';
export { beginAnew } from './tables/derivation.ts';
export type { EventKey, EventRange, EventRow } from './tables/events.ts';
export {
  matchingNotifications,
  MOST_ALIKE,
  type MatchingNotification,
  type NotificationRow,
  type NotificationValues,
} from './tables/notifications.ts';
export { NUMBERS, WIDTH, type PositionKey, type PositionPage, type PositionRange } from './tables/positions.ts';
export type { TargetRow, TargetValues } from './tables/targets.ts';
export type { TokenRow } from './tables/tokens.ts';
export { nextSeq, type OwnThresholds, type TrackerState, type TrackerView } from './tables/trackers.ts';
export { PART_WIDTH, type Driving, type OpenTrip, type TripView } from './tables/trips.ts';
export type { UnknownDevice } from './tables/unknown-devices.ts';
export { shapeOf, type ZoneRow } from './tables/zones.ts';

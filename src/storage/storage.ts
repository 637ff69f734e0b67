// Storage as the rest of the house knows it: operations by table, whatever engine runs them.
import type { Bound } from './operation.ts';
import type { tables } from './tables/tables.ts';

export type Storage = Bound<typeof tables>;

export type { AccountRow, NewAccount } from './tables/accounts.ts';
export { NUMBERS, WIDTH, type PositionKey, type PositionPage, type PositionRange } from './tables/positions.ts';
export type { TokenRow } from './tables/tokens.ts';
export { nextSeq, type TrackerState, type TrackerView } from './tables/trackers.ts';
export type { UnknownDevice } from './tables/unknown-devices.ts';
export type { ZoneRow } from './tables/zones.ts';

// Everything that can be asked of storage, by table.
import { accounts } from './accounts.ts';
import { deliveries } from './deliveries.ts';
import { events } from './events.ts';
import { notifications } from './notifications.ts';
import { positions } from './positions.ts';
import { samples } from './samples.ts';
import { targets } from './targets.ts';
import { tokens } from './tokens.ts';
import { trackers } from './trackers.ts';
import { trips } from './trips.ts';
import { unknownDevices } from './unknown-devices.ts';
import { zones } from './zones.ts';

export const tables = {
  accounts,
  tokens,
  trackers,
  positions,
  trips,
  zones,
  samples,
  events,
  targets,
  notifications,
  unknownDevices,
  deliveries,
};

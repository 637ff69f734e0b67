// Everything that can be asked of storage, by table.
import { accounts } from './accounts.ts';
import { positions } from './positions.ts';
import { samples } from './samples.ts';
import { tokens } from './tokens.ts';
import { trackers } from './trackers.ts';
import { unknownDevices } from './unknown-devices.ts';
import { zones } from './zones.ts';

export const tables = { accounts, tokens, trackers, positions, zones, samples, unknownDevices };

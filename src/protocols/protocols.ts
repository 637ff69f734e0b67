// The device protocols that the service speaks. A new one is a folder and a line here.
import { osmand } from './osmand/osmand.ts';
import type { Protocol } from './protocol.ts';
import { teltonika } from './teltonika/teltonika.ts';

export const protocols: readonly Protocol[] = [teltonika, osmand];

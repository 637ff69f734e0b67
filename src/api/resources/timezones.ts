// `timezones`: each leads to the gateway with `_tz` set.
import { timeZoneNames, timezones } from '../../kinds/timezones.ts';
import type { Resource } from '../resource.ts';

const NAMES = timeZoneNames().map((name) => ({ name, url: `gateway?_tz=${encodeURIComponent(name)}` }));

export const timezonesResource: Resource = {
  path: 'timezones',
  get: { kind: timezones, read: async ({ timezone }) => ({ url: 'timezones', timezone, timezones: NAMES }) },
};

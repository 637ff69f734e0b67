// What the demo's account has when a person first looks: trackers, zones, one target, and the rules that send it messages.
import { EVENT } from '../../kinds/event-type.ts';
import type { Store } from '../../operations.ts';
import type { NewAccount } from '../../storage/storage.ts';
import type { Member } from './fleet.ts';

/** In the demo's town, which is made up. */
const ZONES = [
  { name: 'Old town', type: 'circle', points: [[47.55, 20.96]], radius: 600, color: '#c2410c' },
  { name: 'Eastern works', type: 'polygon', points: [[47.556, 20.99], [47.556, 21.01], [47.545, 21.012], [47.543, 20.992]], radius: null, color: '#1d4ed8' },
]; // prettier-ignore

/** Of the target. */
export const TARGET = "the demo's terminal";

/** km/h. */
const TOO_FAST = 90;

/** Which vehicles tell of what; of panic, all do. So few that a message stays an event: one every minute or two. */
const TELLS = { ignition: /^(Van 1|Taxi 4)$/, crossings: /^(Bus|Taxi 4)/, speeding: /^Service car/ };

/** A rule for all days and hours, without rest. */
const ALWAYS = { active: 1, days_wd: 254, from_t: 0, to_t: 86_400, cooldown: 0 };

/** Makes the account with all that it has; `receiver` is the address of its target. The addresses of the target and of a tracker. */
export async function createDemoAccount(
  storage: Store,
  account: NewAccount,
  fleet: readonly Member[],
  receiver: string,
): Promise<{ tracker: string; target: string }> {
  const now = account.created_time;
  const made = (id: number | null): number => {
    if (id === null) throw new Error('the demo is in the new database already');
    return id;
  };
  const accountId = made(await storage.accounts.create(account));
  const zoneIds: number[] = [];
  for (const zone of ZONES)
    zoneIds.push(made(await storage.zones.create(accountId, { ...zone, points: JSON.stringify(zone.points) }, now)));
  const target = { name: TARGET, type: 'http', address: receiver, active: 1 } as const;
  const targetId = await storage.targets.create(accountId, target, now);
  for (const { imei, name, model } of fleet) {
    const trackerId = made(await storage.trackers.create({ accountId, imei, name, model, now }));
    const common = { ...ALWAYS, tracker_id: trackerId, target_id: targetId, zone_id: null, cross_type: null, speed: null };
    const rules = [
      { ...common, event_type: EVENT.panic },
      ...(TELLS.ignition.test(name) ? [EVENT.ignitionOn, EVENT.ignitionOff].map((type) => ({ ...common, event_type: type })) : []),
      ...(TELLS.speeding.test(name) ? [{ ...common, event_type: EVENT.overspeed, speed: TOO_FAST / 3.6 }] : []),
      ...(TELLS.crossings.test(name) ? zoneIds : []).map((id) => ({
        ...common,
        event_type: EVENT.zoneCrossing,
        zone_id: id,
        cross_type: 'both' as const,
      })),
    ];
    for (const rule of rules) made(await storage.notifications.create(accountId, rule, now));
  }
  return { tracker: `trackers/${fleet[0]?.imei ?? ''}`, target: `targets/${targetId}` };
}

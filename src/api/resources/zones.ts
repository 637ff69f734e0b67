// `zones` and `zones/<id>`: areas on the ground.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { mapSlices, readAll } from '../../basics/slices.ts';
import type { Point } from '../../geo/polygon.ts';
import { alter } from '../../kinds/input.ts';
import { zone, zones, type Zone } from '../../kinds/zone.ts';
import type { Storage, ZoneRow } from '../../storage/storage.ts';
import { numberIn, type Ask, type Resource } from '../resource.ts';
import { seconds } from '../show.ts';

type Zones = Pick<Storage, 'zones'>;

const show = (row: ZoneRow): Zone => ({
  url: `zones/${row.id}`,
  name: row.name,
  type: row.type as Zone['type'],
  points: (JSON.parse(row.points) as [number, number][]).map(([latitude, longitude]) => ({ latitude, longitude })),
  radius: row.radius,
  color: row.color,
  created_ts: seconds(row.created_time),
  zone_notifications_url: `zones/${row.id}/zone_notifications`,
});

const valuesOf = ({
  name,
  type,
  points,
  radius = null,
  color = null,
}: {
  name: string;
  type: string;
  points: Point[];
  radius?: number | null;
  color?: string | null;
}) => ({
  name,
  type,
  points: JSON.stringify(points.map(({ latitude, longitude }) => [latitude, longitude])),
  radius,
  color,
});

/** The account's zone that the address names. */
export async function findZone(storage: Zones, ask: Ask): Promise<ZoneRow> {
  const row = await storage.zones.byId(ask.account.id, numberIn(ask, 'id'));
  if (row === undefined) throw new Refusal(404, 'There is no such zone.');
  return row;
}

/** The name is another zone's. */
async function taken(storage: Zones, ask: Ask, name: unknown, own: string | undefined) {
  const other = typeof name === 'string' ? await storage.zones.idOfName(ask.account.id, name) : undefined;
  return other !== undefined && String(other.id) !== own ? { name: 'taken' as const } : null;
}

export function zonesResource(storage: Zones, clock: Clock): Resource {
  return {
    path: 'zones',
    get: {
      kind: zones,
      read: async ({ account }) => ({
        url: 'zones',
        zones: (
          await mapSlices(await readAll<ZoneRow>((last, limit) => storage.zones.list(account.id, last?.name ?? '', limit)), (slice) =>
            slice.map(show),
          )
        ).flat(),
      }),
    },
    post: {
      kind: zone,
      faults: (ask, { name }) => taken(storage, ask, name, undefined),
      async make({ account }, value) {
        const made = await storage.zones.create(account.id, valuesOf(value as Parameters<typeof valuesOf>[0]), clock());
        return made === null ? { faults: { name: 'taken' } } : { location: `zones/${made}` };
      },
    },
  };
}

export function zoneResource(storage: Zones): Resource {
  return {
    path: 'zones/:id',
    get: { kind: zone, read: async (ask) => show(await findZone(storage, ask)), title: ({ name }) => String(name) },
    put: {
      faults: (ask, { name }) => taken(storage, ask, name, ask.params['id']),
      async change(ask, value, shown) {
        const { id } = await findZone(storage, ask);
        const done = await storage.zones.alter(ask.account.id, id, valuesOf(alter(shown, value) as Parameters<typeof valuesOf>[0]));
        return done ? undefined : { faults: { name: 'taken' } };
      },
    },
    async delete(ask) {
      const { id } = await findZone(storage, ask);
      await storage.zones.remove(ask.account.id, id);
    },
  };
}

// `targets`, `targets/<id>` and `targets/<id>/test`: where messages go.
import type { Clock } from '../../basics/clock.ts';
import { Refusal } from '../../basics/errors.ts';
import { readAll } from '../../basics/slices.ts';
import { alter } from '../../kinds/input.ts';
import { target, targets, test, type Target } from '../../kinds/target.ts';
import type { Storage, TargetRow, TargetValues } from '../../storage/storage.ts';
import { numberIn, type Ask, type Resource } from '../resource.ts';
import { seconds } from '../show.ts';

type Targets = Pick<Storage, 'targets'>;

/** Messages that are deleted in one transaction: some milliseconds of the writer. */
const BATCH = 1000;

/** Tells the courier that these targets have messages waiting. */
export type Wake = (targetIds: readonly number[]) => void;

const show = (row: TargetRow): Target => ({
  url: `targets/${row.id}`,
  name: row.name,
  type: row.type,
  address: row.address,
  active: row.active === 1,
  created_ts: seconds(row.created_time),
  test_url: `targets/${row.id}/test`,
  deliveries_url: `targets/${row.id}/deliveries`,
});

const valuesOf = ({ name, type, address, active }: Pick<Target, 'name' | 'type' | 'address' | 'active'>): TargetValues => ({
  name,
  type,
  address,
  active: active ? 1 : 0,
});

/** The account's target that the address names. */
export async function findTarget(storage: Targets, ask: Ask): Promise<TargetRow> {
  const row = await storage.targets.byId(ask.account.id, numberIn(ask, 'id'));
  if (row === undefined) throw new Refusal(404, 'There is no such target.');
  return row;
}

export function targetsResource(storage: Targets, clock: Clock): Resource {
  return {
    path: 'targets',
    get: {
      kind: targets,
      async read({ account }) {
        const rows = await readAll<TargetRow>((last, limit) => storage.targets.list(account.id, last?.id ?? 0, limit));
        return { url: 'targets', targets: rows.map(show) };
      },
    },
    post: {
      kind: target,
      async make({ account }, value) {
        const made = { active: true, ...value } as Parameters<typeof valuesOf>[0];
        return { location: `targets/${await storage.targets.create(account.id, valuesOf(made), clock())}` };
      },
    },
  };
}

export function targetResource(storage: Pick<Storage, 'targets' | 'deliveries'>, wake: Wake): Resource {
  return {
    path: 'targets/:id',
    get: { kind: target, read: async (ask) => show(await findTarget(storage, ask)), title: ({ name }) => String(name) },
    put: {
      async change(ask, value, shown) {
        const before = await findTarget(storage, ask);
        const after = valuesOf(alter(shown, value) as Target);
        await storage.targets.alter(ask.account.id, before.id, after);
        // What was held while it was not active, or could not get to where it was before, is tried at once.
        if (after.type !== before.type || after.address !== before.address || after.active !== before.active) {
          await storage.deliveries.hurry(before.id);
          wake([before.id]);
        }
        return undefined;
      },
    },
    async delete(ask) {
      const { id } = await findTarget(storage, ask);
      // There may be a month of them: some at a time, so that nothing else waits for long.
      for (let count = BATCH; count === BATCH;) count = await storage.deliveries.clear(ask.account.id, id, BATCH);
      await storage.targets.remove(ask.account.id, id);
    },
  };
}

export function testResource(storage: Pick<Storage, 'targets' | 'deliveries'>, clock: Clock, wake: Wake): Resource {
  return {
    path: 'targets/:id/test',
    get: {
      kind: test,
      async read(ask) {
        const { id } = await findTarget(storage, ask);
        return { url: `targets/${id}/test`, target_url: `targets/${id}` };
      },
    },
    post: {
      kind: test,
      async make(ask) {
        const { id, active } = await findTarget(storage, ask);
        if (active === 0) throw new Refusal(400, 'The target is not active: it is sent nothing.');
        const made = await storage.deliveries.create(ask.account.id, id, clock());
        if (made === null) throw new Refusal(404, 'There is no such target.');
        wake([id]);
        return { location: `targets/${id}/deliveries/${made}` };
      },
    },
  };
}

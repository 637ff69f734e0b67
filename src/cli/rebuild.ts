// `waypost rebuild`: derives trips, crossings and events anew from the record, and says what came out differently.
import type { Command } from 'commander';
import { Refusal } from '../basics/errors.ts';
import { readAll } from '../basics/slices.ts';
import { derivingOf } from '../deriving.ts';
import type { Store } from '../operations.ts';
import type { Deriving } from '../pipeline/commit.ts';
import { derivationSettings, storeSettings } from '../settings.ts';
import type { TrackerView } from '../storage/storage.ts';
import { addSettings, settingsOf } from './options.ts';
import { accountNamed, tell, withStorage } from './store.ts';
import { startProgress, type Progress } from './terminal.ts';

interface Flags {
  json?: true;
  account?: string;
  imei?: string;
}

/** Positions of one transaction: few enough that a running server's devices hardly wait. */
const STRETCH = 1000;

interface Outcome {
  imei: string;
  positions: number;
  /** Rows that came out differently, also where a running server did part of the work. */
  changes: number;
}

export function registerRebuild(program: Command): void {
  const command = addSettings(
    program
      .command('rebuild')
      .description('derive trips, zone crossings and events anew from the record; without other settings, nothing comes out differently'),
    { ...storeSettings, ...derivationSettings },
  )
    .option('--account <username>', "only this account's trackers (default: all)")
    .option('--imei <imei>', 'only this tracker')
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'after',
      '\nRun it after a change of thresholds, with the same settings as the service. It may run beside the service. Messages about\nwhat is found in the past are not sent; what people wrote on trips stays.',
    );
  command.action(async () => {
    const flags = command.opts<Flags>();
    const settings = settingsOf(command, { ...storeSettings, ...derivationSettings });
    await withStorage(settings, async (storage) => {
      const trackers = await chosen(storage, flags);
      const totals = await Promise.all(trackers.map(({ id }) => storage.positions.count(id)));
      const total = totals.reduce((sum, count) => sum + count, 0);
      const progress = startProgress('rebuild', total, 'positions');
      const start = performance.now();
      const outcomes: Outcome[] = [];
      let done = 0;
      for (const [i, { id, imei }] of trackers.entries()) {
        outcomes.push({ imei, ...(await rebuildTracker(storage, id, derivingOf(settings), (steps) => progress.reach(done + steps))) });
        progress.reach((done += totals[i] ?? 0));
      }
      const seconds = (performance.now() - start) / 1000;
      progress.end(`${total} positions of ${trackers.length} trackers in ${seconds.toFixed(1)} s`);
      tell(flags.json ?? false, outcomes, sentence(outcomes));
    });
  });
}

/** Derives one tracker's record anew; `reach` is told of the positions done so far. */
export async function rebuildTracker(
  storage: Store,
  id: number,
  deriving: Deriving,
  reach: Progress['reach'],
): Promise<Omit<Outcome, 'imei'>> {
  await storage.pipeline.forget(id, Date.now());
  return deriveRest(storage, id, deriving, reach);
}

/** Derives what waits of one tracker's record. */
export async function deriveRest(storage: Store, id: number, deriving: Deriving, reach: Progress['reach']): Promise<Omit<Outcome, 'imei'>> {
  let positions = 0;
  for (;;) {
    const stretch = await storage.pipeline.catchUp(id, deriving, STRETCH);
    if (stretch === null) return { positions, changes: 0 };
    positions += stretch.steps;
    reach(positions);
    if (stretch.done) return { positions, changes: stretch.allChanges };
  }
}

async function chosen(storage: Store, { account, imei }: Flags): Promise<{ id: number; imei: string }[]> {
  const accountId = account === undefined ? null : (await accountNamed(storage, account)).id;
  if (imei !== undefined) {
    const tracker = await storage.trackers.byImei(imei);
    if (tracker === undefined || (accountId !== null && tracker.account_id !== accountId))
      throw new Refusal(404, `there is no tracker with IMEI ${imei}${account === undefined ? '' : ` in the account "${account}"`}`);
    return [tracker];
  }
  const accounts = accountId === null ? (await storage.accounts.list()).map(({ id }) => id) : [accountId];
  const lists = await Promise.all(
    accounts.map((id) => readAll<TrackerView>((last, limit) => storage.trackers.list(id, last?.imei ?? '', limit))),
  );
  return lists.flat();
}

function sentence(outcomes: readonly Outcome[]): string {
  const differing = outcomes.filter(({ changes }) => changes > 0);
  if (differing.length === 0) return `nothing came out differently (${outcomes.length} trackers)`;
  return differing.map(({ imei, changes }) => `${imei}: ${changes} rows came out differently`).join('\n');
}

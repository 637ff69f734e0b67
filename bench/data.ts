// Data folders for measurements: made once, copied for each server, so that each starts from the same.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { passwordColumns } from '../src/api/auth/auth.ts';
import { createHasher } from '../src/api/auth/password.ts';
import { openSecretBox } from '../src/api/auth/secret-box.ts';
import { makeKey } from '../src/api/auth/tokens.ts';
import { derivingOf } from '../src/deriving.ts';
import { operations } from '../src/operations.ts';
import { BatchWriter } from '../src/pipeline/batch.ts';
import { derivationSettings, readSettings } from '../src/settings.ts';
import { databaseFile, openStorage } from '../src/storage/open.ts';
import { openConnection } from '../src/storage/sqlite/connection.ts';
import { benchImeis } from './imeis.ts';

/** Trackers of every fleet: those that devices.ts plays, and one more for a long record. */
export const DEVICES = 10_000;
export const imeis = benchImeis(DEVICES + 1);
/** The tracker with the long record, which no device plays. */
export const RECORDED = imeis[DEVICES] ?? '';

export interface Copy extends Disposable {
  readonly folder: string;
}

export interface Data extends Disposable {
  /** Web service key of the one account. */
  readonly key: string;
  /** Trackers and no positions: the first so many, or all. */
  fleet(trackers?: number): Promise<Copy>;
  /** All trackers, and `recorded` positions of one, whose trips nobody has looked for. */
  record(): Promise<Copy>;
  readonly recorded: number;
  /** An empty folder. */
  empty(): Copy;
}

/** What a service without settings of its own derives. */
export const deriving = (() => {
  const read = readSettings(derivationSettings, { flags: {}, env: {}, file: null });
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return derivingOf(read.values);
})();

/** Everything is made below `parent`, and removed at the end. */
export function createData(parent: string, recorded: number): Data {
  const root = mkdtempSync(join(parent, 'waypost-bench-'));
  const { key, ...hashed } = makeKey();
  let count = 0;
  const empty = (): Copy => {
    const folder = join(root, `${++count}`);
    mkdirSync(folder);
    return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  };
  const copyOf = (original: string): Copy => {
    const copy = empty();
    cpSync(original, copy.folder, { recursive: true });
    return copy;
  };
  const made = new Map<string, Promise<string>>();
  const once = (name: string, make: () => Promise<string>): Promise<string> => {
    const before = made.get(name);
    if (before !== undefined) return before;
    const making = make();
    made.set(name, making);
    return making;
  };

  async function makeFleet(trackers: number): Promise<string> {
    const { folder } = empty();
    const { close } = await openStorage(folder, operations);
    await close();
    const password = await passwordColumns('bench', key, createHasher(), openSecretBox(join(folder, 'secret.key')));
    const connection = openConnection(databaseFile(folder));
    const now = Date.now();
    // All in one transaction: made one by one, each tracker would wait for the disk.
    await connection.transaction(async () => {
      const account = { username: 'bench', name: 'Benchmark', email: null, timezone: 'UTC', created_time: now, ...password, ...hashed };
      const accountId = (await operations.accounts.create.work(connection, account)) ?? 0;
      for (const imei of imeis.slice(0, trackers))
        await operations.trackers.create.work(connection, { accountId, imei, name: `Vehicle ${imei.slice(8, 14)}`, model: 'FMB920', now });
    });
    connection.close();
    return folder;
  }
  const fleet = (trackers = DEVICES + 1): Promise<string> => once(`${trackers} trackers`, () => makeFleet(trackers));

  const record = (): Promise<string> =>
    once('record', async () => {
      const { folder } = copyOf(await fleet());
      const { storage, close } = await openStorage(folder, operations);
      const tracker = await storage.trackers.byImei(RECORDED);
      if (tracker === undefined) throw new Error('the tracker with the long record is missing');
      // Every ten seconds, until now.
      const now = Date.now();
      for (let number = 0; number < recorded;) {
        const writer = new BatchWriter();
        for (; number < recorded && writer.count < 5000; number++)
          writer.add(tracker.id, reportOf(number, now - (recorded - number) * 10_000), now);
        await storage.pipeline.commit(writer.finish(), null);
      }
      await close();
      // Not to be derived while something else is measured: the service begins with what waits for it.
      const connection = openConnection(databaseFile(folder));
      await connection.run('update tracker_states set behind_since = null');
      connection.close();
      return folder;
    });

  return {
    key,
    recorded,
    empty,
    fleet: async (trackers) => copyOf(await fleet(trackers)),
    record: async () => copyOf(await record()),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** What a vehicle's device reports, with as many values as those of devices.ts. */
function reportOf(number: number, time: number) {
  const turn = number % 7200;
  const metres = 100 * (turn < 3600 ? turn : 7200 - turn);
  return {
    time,
    latitude: 47.4979,
    longitude: Math.round((16 + metres / 75_950) * 1e7) / 1e7,
    fixed: true,
    altitude: 95 + (number % 40),
    speed: 10 + (number % 7) / 3.6,
    heading: turn < 3600 ? 90 : 270,
    satellites: 8 + (number % 6),
    ignition: true,
    motion: true,
    battery: 4.08,
    power: 13.95 + (number % 10) / 100,
    odometer: 1_000_000 + 100 * number,
    attributes: { io21: 4, io69: 1, pdop: 1.2, hdop: 0.8 },
  };
}

// The storage engines, each tried in the same words: a new one is one more line in the list. And what the trials share.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite } from 'node:test';
import type { Report } from '../../src/kinds/report.ts';
import { operations } from '../../src/operations.ts';
import { BatchWriter, type Batch } from '../../src/pipeline/batch.ts';
import type { Deriving } from '../../src/pipeline/commit.ts';
import { DEFAULT_THRESHOLDS } from '../../src/pipeline/thresholds.ts';
import { openStorage, type Opened } from '../../src/storage/open.ts';
import { WIDTH, type PositionPage, type PositionRange, type TrackerView } from '../../src/storage/storage.ts';

type Open = Opened<typeof operations>;

interface Engine {
  name: string;
  /** A storage of its own, empty. */
  open(): Promise<Open>;
}

const folders: string[] = [];
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true })));

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-storage-'));
  folders.push(folder);
  return folder;
}

export const operationsModule = new URL('../../src/operations.ts', import.meta.url);

const engines: readonly Engine[] = [
  { name: 'sqlite, inline', open: () => openStorage(newFolder(), operations) },
  { name: 'sqlite, threaded', open: () => openStorage(newFolder(), operations, operationsModule) },
];

/** A storage to try, and what has to be in it first. */
export interface Trial {
  storage: Open['storage'];
  /** Different at every call. */
  newName(): string;
  newImei(): string;
  newAccount(more?: object): Promise<number>;
  newTracker(accountId: number, imei?: string): Promise<number>;
  page(trackerId: number, more?: Partial<PositionRange>): Promise<PositionPage>;
  count(trackerId: number): Promise<number>;
  /** Trackers that changed after the change `since`. */
  changed(accountId: number, since: number): Promise<TrackerView[]>;
}

/** A suite for every engine, its tests declared by `declare`. */
export function onEveryEngine(declare: (trial: Trial) => void): void {
  for (const { name, open } of engines)
    suite(name, async () => {
      const { storage, close } = await open();
      after(close);
      declare(trialOf(storage));
    });
}

function trialOf(storage: Open['storage']): Trial {
  let last = 0;
  const newName = (): string => `name ${++last}`;
  const newImei = (): string => String(100_000_000_000_000 + ++last);
  const page: Trial['page'] = (trackerId, more = {}) =>
    storage.positions.page({ trackerId, from: 0, to: 8.64e15, after: null, limit: 1000, attributes: false, ...more });
  return {
    storage,
    newName,
    newImei,
    async newAccount(more = {}) {
      const id = await storage.accounts.create(account(newName(), more));
      assert.ok(id !== null);
      return id;
    },
    async newTracker(accountId, imei = newImei()) {
      const id = await storage.trackers.create({ accountId, imei, name: imei, model: null, now: start });
      assert.ok(id !== null);
      return id;
    },
    page,
    count: async (trackerId) => (await page(trackerId)).count,
    changed: (accountId, since) => storage.trackers.changed(accountId, { seq: since, id: Number.MAX_SAFE_INTEGER }, 1e15, 100),
  };
}

export const account = (username: string, more: object = {}) => ({
  username,
  name: username,
  email: null,
  timezone: 'UTC',
  created_time: 1000,
  password_hash: `hash of ${username}`,
  digest_secret: Uint8Array.of(0, 255, 1),
  key_hash: null,
  key_hint: null,
  ...more,
});

/** As of a key or a token. */
export const newHash = (): Uint8Array => Uint8Array.from(randomBytes(32));

export const start = Date.UTC(2026, 0, 1);
export const received = start + 86_400_000;

/** What the service derives by default. */
export const deriving: Deriving = {
  thresholds: DEFAULT_THRESHOLDS,
  telling: { lateAfter: 3_600_000, lateAlarms: 'send', lateRoutine: 'skip' },
};

export const report = (time: number, more: Partial<Report> = {}): Report => ({ time, latitude: 48, longitude: 16, fixed: true, ...more });

export function batchOf(reports: readonly (readonly [trackerId: number, report: Report])[], at = received): Batch {
  const writer = new BatchWriter();
  for (const [trackerId, one] of reports) writer.add(trackerId, one, at);
  return writer.finish();
}

export const timesOf = ({ count, numbers }: PositionPage): number[] =>
  Array.from({ length: count }, (_, row) => Number(numbers[row * WIDTH]));

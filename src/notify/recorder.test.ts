// Recording of attempts while the storage is away, and many in one commit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as breathe } from 'node:timers/promises';
import { pino } from 'pino';
import { Fault } from '../basics/errors.ts';
import type { AttemptResult } from '../storage/storage.ts';
import { createRecorder } from './recorder.ts';

const log = pino({ level: 'silent' });
const resultOf = (deliveryId: number): AttemptResult => ({
  deliveryId,
  targetId: 1,
  time: 0,
  seconds: 0.1,
  status: 200,
  error: null,
  outcome: 'delivered',
});
const never = new AbortController().signal;

test('what comes while one commit is under way shares the next', async () => {
  const commits: number[][] = [];
  const write = async (results: AttemptResult[]): Promise<void> => {
    commits.push(results.map(({ deliveryId }) => deliveryId));
    await breathe();
  };
  const record = createRecorder(write, never, log);
  await Promise.all([1, 2, 3, 4].map((id) => record(resultOf(id))));
  await record(resultOf(5));
  assert.deepEqual(commits, [[1], [2, 3, 4], [5]]);
});

test('what cannot be written is written later, before it counts as done', async () => {
  let failures = 3;
  const written: number[] = [];
  const write = async (results: AttemptResult[]): Promise<void> => {
    if (failures-- > 0) throw new Fault('the disk is full', true);
    written.push(...results.map(({ deliveryId }) => deliveryId));
  };
  const record = createRecorder(write, never, log, 1);
  await Promise.all([record(resultOf(1)), record(resultOf(2))]);
  assert.deepEqual(written, [1, 2]);
});

test('a stop does not wait for a storage that is away', async () => {
  const stopping = new AbortController();
  const record = createRecorder(() => Promise.reject(new Fault('away', true)), stopping.signal, log);
  const [first, second] = [record(resultOf(1)), record(resultOf(2))];
  await breathe();
  stopping.abort();
  await Promise.all([first, second]);
});

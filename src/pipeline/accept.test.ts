import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../basics/errors.ts';
import type { Report } from '../kinds/report.ts';
import { createAcceptance, type Acceptance } from './accept.ts';
import type { Batch } from './batch.ts';
import type { Committed } from './commit.ts';

const reports = (count: number): Report[] =>
  Array.from({ length: count }, (_, i) => ({ time: 1_700_000_000_000 + i, latitude: 1, longitude: 1, fixed: true }));

/** An acceptance over a writer that the test plays: what it was handed, and how it answers. */
function withWriter(
  write: (batch: Batch) => Promise<Committed>,
  options: { commitRows?: number; waitingRows?: number } = {},
): Acceptance & { sizes: number[] } {
  const sizes: number[] = [];
  const acceptance = createAcceptance({
    commit: (batch) => {
      sizes.push(batch.count);
      return write(batch);
    },
    clock: () => 1_700_000_100_000,
    commitRows: options.commitRows ?? 100,
    waitingRows: options.waitingRows ?? 1000,
    committed: () => undefined,
  });
  return { ...acceptance, sizes };
}

const nothing: Committed = { inserted: 0, gone: [], accounts: [], targets: [], events: 0 };

const done = async ({ count }: Batch): Promise<Committed> => ({ ...nothing, inserted: count });

test('what arrives together shares one commit, up to its size; one larger delivery is committed whole', async () => {
  const { accept, sizes } = withWriter(done);
  const outcomes = await Promise.all([accept(1, reports(60)), accept(2, reports(30)), accept(3, reports(30)), accept(4, reports(250))]);
  assert.deepEqual(outcomes, ['committed', 'committed', 'committed', 'committed']);
  assert.deepEqual(sizes, [90, 30, 250]);
});

test('nobody hears of a commit before it is done, and all hear of one that failed', async () => {
  let fail: (error: Error) => void = () => undefined;
  const { accept } = withWriter(() => new Promise((_, reject) => (fail = reject)));
  const heard: string[] = [];
  const both = [accept(1, reports(1)), accept(2, reports(1))].map((accepted) =>
    accepted.then(
      () => heard.push('committed'),
      (error: Error) => heard.push(error.message),
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(heard, []);
  fail(new Fault('the disk is full', true));
  await Promise.all(both);
  assert.deepEqual(heard, ['the disk is full', 'the disk is full']);
});

test('a delivery that cannot be committed, whatever its reason, costs itself only', async () => {
  const { accept } = withWriter(async (batch) => {
    if (batch.trackers.includes(2)) throw new Error('poison');
    return done(batch);
  });
  const outcomes = await Promise.allSettled([accept(1, reports(1)), accept(2, reports(1)), accept(3, reports(1))]);
  assert.deepEqual(outcomes.map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled']); // prettier-ignore
});

test('more than may wait is refused as a fault that passes, and what waits is still committed', async () => {
  const { accept, settled } = withWriter(done, { waitingRows: 10 });
  const first = accept(1, reports(8));
  await assert.rejects(accept(2, reports(8)), (error) => error instanceof Fault && error.retryable);
  assert.equal(await first, 'committed');
  await settled();
});

test('whose tracker is gone is told so', async () => {
  const { accept } = withWriter(async () => ({ ...nothing, inserted: 1, gone: [2] }));
  assert.deepEqual(await Promise.all([accept(1, reports(1)), accept(2, reports(1))]), ['committed', 'gone']);
});

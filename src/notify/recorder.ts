// Records attempts, those of many targets in one commit. What cannot be recorded now is tried again: a message that has
// arrived is not to be sent again because the disk was full.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../basics/log.ts';
import type { AttemptResult } from '../storage/storage.ts';

/** After a failure of the storage, ms. */
const REST = 5000;

/** Resolves when the result is on the disk, or when the service stops and it cannot be put there. */
export type Recorder = (result: AttemptResult) => Promise<void>;

export function createRecorder(
  write: (results: AttemptResult[]) => Promise<void>,
  stopping: AbortSignal,
  log: Log,
  pauseAfterFailure = REST,
): Recorder {
  let waiting: { result: AttemptResult; done: () => void }[] = [];
  let isWriting = false;

  async function drain(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const results = batch.map(({ result }) => result);
      while (!(await isWritten(results)) && !stopping.aborted) await rest();
      for (const { done } of batch) done();
    }
    isWriting = false;
  }

  async function isWritten(results: AttemptResult[]): Promise<boolean> {
    try {
      await write(results);
      return true;
    } catch (error) {
      const then = stopping.aborted ? 'they may be sent again' : 'it is tried again';
      log.error({ err: error, attempts: results.length }, `attempts to deliver messages could not be recorded; ${then}`);
      return false;
    }
  }

  async function rest(): Promise<void> {
    // Woken early by the stop: that is no failure.
    await pause(pauseAfterFailure, undefined, { signal: stopping }).catch((error: Error) => {
      if (error.name !== 'AbortError') throw error;
    });
  }

  return (result) =>
    new Promise((resolve) => {
      waiting.push({ result, done: resolve });
      if (!isWriting) void drain();
    });
}

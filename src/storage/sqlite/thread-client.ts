// The near end of a storage thread: calls go over, answers come back, failures keep their sort.
import { Worker } from 'node:worker_threads';
import { Fault } from '../../basics/errors.ts';

export type ThreadRole = 'writer' | 'reader';

export interface ThreadData {
  file: string;
  module: string;
  role: ThreadRole;
}

export type Call = [id: number, group: string, name: string, values: unknown[]];
export type Answer = [
  id: number,
  result: unknown,
  failure: { message: string; retryable: boolean | null; stack: string | undefined } | null,
];

export interface Thread {
  run(group: string, name: string, values: unknown[]): Promise<unknown>;
  /** Lets the calls under way end, then ends the thread. */
  close(): Promise<void>;
}

export async function startThread(file: string, module: URL, role: ThreadRole): Promise<Thread> {
  const workerData: ThreadData = { file, module: module.href, role };
  const entry = new URL(import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js', import.meta.url);
  const worker = new Worker(entry, { workerData, name: `storage-${role}` });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let calls = 0;
  let dead: Error | null = null;
  let closing = false;

  const die = (error: Error): void => {
    if (dead !== null) return;
    dead = error;
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
    // Half a service would look alive and store nothing. Whoever runs this process starts it anew; what was acknowledged is on the disk.
    if (!closing)
      setImmediate(() => {
        throw error;
      });
  };

  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  });
  worker.on('error', (error) => die(new Fault(`The storage ${role} ended: ${(error as Error).message}`, false, { cause: error })));
  worker.on('exit', () => die(new Fault(`The storage ${role} has ended.`, false)));
  worker.on('message', ([id, result, failure]: Answer) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (failure === null) call?.resolve(result);
    else call?.reject(revive(failure));
  });

  return {
    run: (group, name, values) =>
      new Promise((resolve, reject) => {
        if (dead !== null) return reject(dead);
        const id = ++calls;
        waiting.set(id, { resolve, reject });
        worker.postMessage([id, group, name, values] satisfies Call);
      }),
    async close() {
      closing = true;
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.postMessage(null);
      await ended;
    },
  };
}

function revive({ message, retryable, stack }: { message: string; retryable: boolean | null; stack: string | undefined }): Error {
  const error = retryable === null ? new Error(message) : new Fault(message, retryable);
  if (stack !== undefined) error.stack = stack;
  return error;
}

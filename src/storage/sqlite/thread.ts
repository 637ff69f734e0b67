// A storage thread: one connection, asked by messages. It loads the operations from the module that it is told.
import { parentPort, workerData } from 'node:worker_threads';
import { Fault } from '../../basics/errors.ts';
import type { Operations } from '../operation.ts';
import { openConnection } from './connection.ts';
import { runner } from './engine.ts';
import type { Answer, Call, ThreadData } from './thread-client.ts';

const { file, module, role } = workerData as ThreadData;
const { operations } = (await import(module)) as { operations: Operations };
const port = parentPort;
if (port === null) throw new Error('this file runs as a thread only');

const connection = openConnection(file, { readOnly: role === 'reader' });
const run = runner(connection, operations);
const underway = new Set<Promise<void>>();

port.on('message', (call: Call | null) => {
  if (call === null) {
    void Promise.all(underway).then(() => {
      connection.close();
      port.close();
    });
    return;
  }
  const answered = answer(call);
  underway.add(answered);
  void answered.then(() => underway.delete(answered));
});
port.postMessage('ready');

async function answer([id, group, name, values]: Call): Promise<void> {
  let reply: Answer;
  try {
    reply = [id, await run(group, name, values), null];
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    reply = [id, null, { message, retryable: error instanceof Fault ? error.retryable : null, stack }];
  }
  port?.postMessage(reply);
}

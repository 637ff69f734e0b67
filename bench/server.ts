// The service under measurement: `bin/waypost serve` on a data folder, on free ports of the loopback address.
import { fileURLToPath } from 'node:url';
import type { Listening } from '../src/assemble.ts';
import { start, threadSeconds, type Program } from './process.ts';

export const waypost = fileURLToPath(new URL('../bin/waypost', import.meta.url));

export interface Server extends AsyncDisposable {
  readonly program: Program;
  /** Of the interface, such as `http://127.0.0.1:8080`. */
  readonly http: string;
  readonly teltonikaPort: string;
  /** From starting the process to the line that says that it listens. */
  readonly startSeconds: number;
  /** What the metrics say now, by name; of a metric with labels the sum. */
  metrics(): Promise<Map<string, number>>;
  /** A token of the account that the key belongs to. */
  token(key: string): Promise<string>;
}

/** The service may run for five minutes: more than any measurement takes. */
export async function startServer(data: string, env: Record<string, string> = {}): Promise<Server> {
  const began = performance.now();
  const free = ['--port', '0', '--teltonika-port', '0', '--osmand-port', '0', '--metrics-port', '0'];
  const program = start(waypost, ['serve', '--data', data, ...free, '--log-level', 'warn', '--json'], 300, env);
  const listening = JSON.parse(await program.firstLine) as Listening;
  const startSeconds = (performance.now() - began) / 1000;
  const { http = '', metrics = '', protocols } = listening;
  return {
    program,
    http,
    teltonikaPort: (protocols['teltonika']?.['tcp'] ?? '').split(':').at(-1) ?? '',
    startSeconds,
    async metrics() {
      const found = new Map<string, number>();
      for (const line of (await (await fetch(`${metrics}/metrics`)).text()).split('\n')) {
        const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
        if (name !== undefined) found.set(name, (found.get(name) ?? 0) + Number(value));
      }
      return found;
    },
    async token(key) {
      const answer = await fetch(`${http}/rest/v2/token`, { method: 'POST', body: new URLSearchParams({ key }), redirect: 'manual' });
      const token = /_token=([\w-]+)/.exec(answer.headers.get('location') ?? '')?.[1];
      if (token === undefined) throw new Error(`no token, but status ${answer.status}`);
      return token;
    },
    [Symbol.asyncDispose]: () => program.stop(),
  };
}

/** The threads whose work is named in the results; all others (garbage collection, compilation, pool) count as `other`. */
const NAMED: Readonly<Record<string, string>> = { 'node-MainThread': 'main', 'storage-writer': 'writer', 'storage-reader': 'reader' };

/** Watches the processor time of a process. The result tells what its threads took since, microseconds for each of `count` pieces of work. */
export function watchThreads(pid: number): (count: number) => Record<string, number> {
  const before = threadSeconds(pid);
  return (count) => {
    const taken: Record<string, number> = {};
    for (const [thread, total] of threadSeconds(pid)) {
      const name = `${NAMED[thread] ?? 'other'} us`;
      taken[name] = (taken[name] ?? 0) + ((total - (before.get(thread) ?? 0)) / count) * 1e6;
    }
    return taken;
  };
}

// The programs that measurements start: each a process of its own, bounded in time, and none outlives the benchmark.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const running = new Set<ChildProcess>();

export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Its first line on standard output. Rejects when it ends before that. */
  readonly firstLine: Promise<string>;
  /** Its last line, when it has ended well. Rejects when it ended badly. */
  readonly lastLine: Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and SIGKILL when that does not help. */
  stop(): Promise<void>;
}

/** Starts a program that may run for `seconds`. Its standard error is ours, so that what it complains of is seen. */
export function start(command: string, words: readonly string[], seconds: number, env: Record<string, string> = {}): Program {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  running.add(child);
  const name = `${command} ${words.join(' ')}`.slice(0, 200);
  const bound = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
  const lines = createInterface({ input: child.stdout });
  let last = '';
  const firstLine = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`ended without a word: ${name}`)));
  });
  lines.on('line', (line) => (last = line));
  const lastLine = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(bound);
      running.delete(child);
      if (code === 0) resolve(last);
      else reject(new Error(`ended with ${code ?? signal ?? 'nothing'}: ${name}`));
    });
  });
  // Whoever waits for either hears of its failure; nobody has to.
  firstLine.catch(() => undefined);
  lastLine.catch(() => undefined);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(impatience);
  };
  return {
    // Without a process there is no id, and `firstLine` rejects with the reason.
    pid: child.pid ?? 0,
    firstLine,
    lastLine,
    signal: (signal) => void child.kill(signal),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A program of this folder. */
export function startOurs(file: string, words: readonly string[], seconds: number): Program {
  return start(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...words], seconds);
}

/** Runs a program of this folder to its end; its last line is JSON. */
export async function runOurs<T>(file: string, words: readonly string[], seconds: number): Promise<T> {
  return JSON.parse(await startOurs(file, words, seconds).lastLine) as T;
}

/** For the end of the benchmark, however it comes. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Kernel ticks of a second, as Linux reports times to programs on every machine (proc(5), `sysconf(_SC_CLK_TCK)`). */
export const TICKS = 100;

/** Seconds of processor time by the thread's name, those of one name together, since the process began. Empty where there is no /proc. */
export function threadSeconds(pid: number): Map<string, number> {
  const found = new Map<string, number>();
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return found;
  for (const id of readdirSync(folder)) {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`${folder}/${id}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ');
    found.set(name, (found.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) / TICKS);
  }
  return found;
}

/** What a process has in memory, bytes. */
export function residentBytes(pid: number): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

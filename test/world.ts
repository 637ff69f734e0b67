// A world to test in: a data folder of its own, the real command as processes on it, and clients for what listens.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Listening } from '../src/assemble.ts';
import { ask, Client } from './http.ts';

const command = join(import.meta.dirname, '../bin/waypost');
/** The tests' own environment must not set the service. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('WAYPOST_') && name !== 'NODE_TEST_CONTEXT'),
);

/** How a command ended. */
export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `waypost` with exactly these words. */
export async function run(words: readonly string[], input = '', variables: Record<string, string> = {}): Promise<Run> {
  const child = spawn(command, words, { env: { ...env, ...variables } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // A command that ends without reading its input is no failure of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Worlds that are not closed yet. However this process ends, no server outlives it and no folder is left. */
const open = new Set<World>();
const closeAll = (): void => open.forEach((world) => world.abandon());
process.on('exit', closeAll);
process.on('uncaughtExceptionMonitor', closeAll);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export const PASSWORD = 'a password for tests';

export class World {
  readonly data = mkdtempSync(join(tmpdir(), 'waypost-'));
  /** All that the servers of this world wrote to standard error. */
  log = '';
  #child: ChildProcessByStdio<null, Socket, Socket> | null = null;
  #listening: Listening | null = null;

  constructor() {
    open.add(this);
  }

  /** A world whose server runs. */
  static async open(...flags: string[]): Promise<World> {
    const world = new World();
    await world.start(...flags);
    return world;
  }

  async start(...flags: string[]): Promise<void> {
    const ports = ['port', 'teltonika-port', 'osmand-port', 'metrics-port'].flatMap((name) => [`--${name}`, '0']);
    const words = ['serve', '--data', this.data, '--json', ...ports, ...flags];
    // Node's pipes to a child are sockets, though its types do not say so.
    const child = spawn(command, words, { env, stdio: ['ignore', 'pipe', 'pipe'] }) as ChildProcessByStdio<null, Socket, Socket>;
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    const first = new Promise<string>((resolve) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.includes('\n')) resolve(text);
      });
    });
    const line = await Promise.race([first, once(child, 'close').then(() => null)]);
    if (line === null) throw new Error(`the server did not start: ${this.log}`);
    this.#listening = JSON.parse(line) as Listening;
    // A test that failed and closes nothing is not to keep this process from its end.
    for (const handle of [child, child.stdout, child.stderr]) handle.unref();
  }

  get listening(): Listening {
    if (this.#listening === null) throw new Error('no server runs');
    return this.#listening;
  }

  /** Where the interface is; its entrance, from which all else is found. */
  get http(): string {
    return this.listening.http ?? '';
  }

  /** `host:port` of a protocol's transport, or its address. */
  place(protocol: string, transport: string): string {
    return this.listening.protocols[protocol]?.[transport] ?? '';
  }

  /** Ends the server; the exit code, or the signal that ended it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
    const child = this.#child;
    if (child === null) return null;
    this.#child = null;
    for (const handle of [child, child.stdout, child.stderr]) handle.ref();
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    child.kill(signal);
    const [code, by] = await closed;
    return code ?? by;
  }

  /** Sends the server a signal, and does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Runs a command on this world's data. */
  run(words: readonly string[], input = ''): Promise<Run> {
    return run([...words, '--data', this.data], input);
  }

  /** Adds an account; its web service key. */
  async addAccount(name: string, password = PASSWORD): Promise<string> {
    const { code, stdout, stderr } = await this.run(['account', 'add', name, '--password-stdin', '--json'], `${password}\n`);
    if (code !== 0) throw new Error(`no account was added: ${stderr}`);
    return (JSON.parse(stdout) as { key: string }).key;
  }

  /** A client of a new account. */
  async newClient(name: string): Promise<Client> {
    return Client.signIn(this.http, { key: await this.addAccount(name) });
  }

  /** The sum of a metric over those of its lines that have all of these labels. */
  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const { text } = await ask(`${this.listening.metrics ?? ''}/metrics`);
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL');
    this.abandon();
  }

  /** Ends everything without waiting for it. */
  abandon(): void {
    this.#child?.kill('SIGKILL');
    open.delete(this);
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** Waits until `check` gives something other than null; fails with `what` when that takes too long. */
export async function until<T>(what: string, check: () => Promise<T | null> | T | null, milliseconds = 10_000): Promise<T> {
  const last = performance.now() + milliseconds;
  for (;;) {
    const found = await check();
    if (found !== null) return found;
    if (performance.now() > last) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

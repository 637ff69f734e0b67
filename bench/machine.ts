// The machine that figures were measured on, how it is held to two cores, and who else was at work on it.
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { start, TICKS } from './process.ts';

export interface Machine {
  system: string;
  processor: string;
  cores: number;
  /** Cores that everything measured shared. */
  coresUsed: number;
  memoryGb: number;
  node: string;
  sqlite: string;
  folder: string;
  /** Data are in memory: what is said of durability is worth nothing here. */
  inMemory: boolean;
}

/** Linux's numbers of tmpfs and ramfs (statfs(2)). */
const MEMORY_FILE_SYSTEMS = new Set([0x0102_1994, 0x8584_58f6]);

/** Holds this process, and with it all that it starts, to two cores where the system can do that (taskset(1)). */
export async function describeMachine(folder: string): Promise<Machine> {
  const cores = availableParallelism();
  if (cores > 2) {
    try {
      await start('taskset', ['-a', '-c', '-p', '0,1', `${process.pid}`], 5).lastLine;
    } catch {
      // No taskset, or these two cores are not ours: `coresUsed` says what came of it.
    }
  }
  return {
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores,
    coresUsed: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? 'unknown',
    folder,
    inMemory: MEMORY_FILE_SYSTEMS.has(statfsSync(folder).type),
  };
}

/** Watches what other programs take. The result tells the cores that they had in the mean since; null where there is no /proc. */
export function watchOthers(): () => number | null {
  if (!existsSync('/proc/stat')) return () => null;
  const began = performance.now();
  const before = othersTicks();
  return () => Math.max(0, (othersTicks() - before) / TICKS / ((performance.now() - began) / 1000));
}

/** All processor time but ours and that of the programs that we started and that have ended (proc(5), fields 14 to 17 of `stat`). */
function othersTicks(): number {
  const sum = (words: readonly string[]): number => words.reduce((total, word) => total + Number(word), 0);
  const [user = '', nice = '', system = '', , , ...rest] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/ +/).slice(1) ?? [];
  const [, own = ''] = /\) (.*)/s.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
  // After idle and waiting come interrupts (hard, soft) and what another machine on the same host took.
  return sum([user, nice, system, ...rest.slice(0, 3)]) - sum(own.split(' ').slice(11, 15));
}

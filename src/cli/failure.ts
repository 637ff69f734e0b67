// The command's edge for errors: what was thrown becomes a plain sentence and an exit code. Knows no command.
import { Fault, Refusal } from '../basics/errors.ts';

/** 0 done, 1 failed, 2 wrongly called, 3 no such thing or one too many (an unknown account, a name in use). */
export type ExitCode = 0 | 1 | 2 | 3;

/** The command was called with something that it does not take; each problem is a sentence, all of them at once. */
export class WrongUsage extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'WrongUsage';
    this.problems = problems;
  }
}

export interface Failure {
  /** For standard error; '' when all has been said. */
  readonly text: string;
  readonly code: ExitCode;
}

/** What the person at the terminal is told of `error`, and how the command ends. */
export function explain(error: unknown): Failure {
  if (error instanceof WrongUsage) return { text: error.problems.map((problem) => `waypost: ${problem}`).join('\n'), code: 2 };
  if (error instanceof Refusal) return { text: `waypost: ${error.message}`, code: codeOf(error.status) };
  if (error instanceof Fault) return { text: `waypost: ${error.message}${error.retryable ? '; trying again may help' : ''}`, code: 1 };
  if (isSystemError(error)) return { text: `waypost: ${sentenceOf(error)}`, code: 1 };
  return { text: `waypost: this is a bug in waypost, please report it with the lines below\n${stackOf(error)}`, code: 1 };
}

function codeOf(status: number): ExitCode {
  if (status === 404 || status === 409 || status === 410) return 3;
  return status === 400 || status === 422 ? 2 : 1;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

interface SystemError extends Error {
  code: string;
  syscall: string;
  path?: string;
  address?: string;
  port?: number;
}

/** The operating system's own errors, as Node throws them. */
function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not; change its owner or run as the user that it belongs to',
  EPERM: 'this user may not; change its owner or run as the user that it belongs to',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it is there already',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk cannot be written to',
  EMFILE: 'too many files are open; raise the limit of open files (ulimit -n)',
};

function sentenceOf(error: SystemError): string {
  if (error.syscall === 'listen' || error.syscall === 'bind') {
    const place = `${error.address ?? 'the address'}${error.port === undefined ? '' : ` port ${error.port}`}`;
    if (error.code === 'EADDRINUSE') return `${place} is in use by another program; choose another port, or 0 for any free one`;
    if (error.code === 'EADDRNOTAVAIL') return `${place} is not an address of this machine`;
    if (error.code === 'EACCES') return `this user may not listen on ${place}; ports below 1024 are for root`;
  }
  const reason = reasons[error.code];
  return error.path === undefined || reason === undefined ? error.message : `${error.path}: ${reason}`;
}

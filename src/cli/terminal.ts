// What commands show to a person and ask of one: tables, the progress of something long, passwords.
// A command's own answer goes to standard output and everything else to standard error, so that answers can be piped.
import type { Readable, Writable } from 'node:stream';
import { WrongUsage } from './failure.ts';

/** Text that a terminal shows and does not obey: control characters, such as a stored name may hold, become U+FFFD. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Columns under headings, as wide as they need to be; without rows, the headings alone. Ends in a newline. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(plain));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines
    .map((line) => line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell))))
    .map((line) => `${line.join('  ').trimEnd()}\n`)
    .join('');
}

const graphemes = new Intl.Segmenter();

function widthOf(text: string): number {
  return [...graphemes.segment(text)].length;
}

export interface Progress {
  /** Tells how far it is, in the unit of `total`. */
  reach(done: number): void;
  /** Ends the line, with what came of it. */
  end(summary: string): void;
}

type Screen = Writable & { isTTY?: boolean; columns?: number };

/**
 * Shows how far something long has come: on a terminal one line that is drawn anew, with rate and time left; elsewhere only the summary.
 * `total` and what is reached are counted in `unit`, such as bytes.
 */
export function startProgress(label: string, total: number, unit: 'bytes' | 'positions', screen: Screen = process.stderr): Progress {
  const started = performance.now();
  let drawn = -Infinity;
  return {
    reach(done) {
      const now = performance.now();
      if (screen.isTTY !== true || now - drawn < 100) return;
      drawn = now;
      screen.write(
        `\r${progressLine(plain(label), done, total, unit, (now - started) / 1000).slice(0, (screen.columns ?? 80) - 1)}\u001b[K`,
      );
    },
    end(summary) {
      screen.write(`${screen.isTTY === true ? '\r\u001b[K' : ''}${plain(label)}: ${plain(summary)}\n`);
    },
  };
}

/** `trip.gpx [#########-----------]  45 %  1.2 MB/s  0:41 left` */
export function progressLine(label: string, done: number, total: number, unit: 'bytes' | 'positions', seconds: number): string {
  const part = total > 0 ? Math.min(1, done / total) : 1;
  const filled = Math.round(part * 20);
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `${clockTime((total - done) / rate)} left` : '';
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(20 - filled)}]`;
  return `${label} ${bar} ${`${Math.floor(part * 100)}`.padStart(3)} %  ${rateText(rate, unit)}  ${left}`.trimEnd();
}

function rateText(rate: number, unit: 'bytes' | 'positions'): string {
  const [scaled, prefix] = rate >= 1e6 ? [rate / 1e6, 'M'] : rate >= 1e3 ? [rate / 1e3, 'k'] : [rate, ''];
  return unit === 'bytes' ? `${scaled.toFixed(1)} ${prefix}B/s` : `${scaled.toFixed(1)}${prefix} positions/s`;
}

function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${`${whole % 60}`.padStart(2, '0')}`;
}

type Keyboard = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };

/** More than any password may have: a longer line is something else. */
const maxPasswordBytes = 4096;

/**
 * A password: the first line of standard input when `fromStdin`, else typed twice at the terminal, unseen.
 * Throws WrongUsage when there is none, when it is no UTF-8, when the two differ, and when there is no terminal to ask at.
 */
export async function readNewPassword(
  fromStdin: boolean,
  input: Keyboard = process.stdin,
  screen: Writable = process.stderr,
): Promise<string> {
  if (fromStdin) return firstLine(input);
  if (input.isTTY !== true || input.setRawMode === undefined) {
    throw new WrongUsage([
      'there is no terminal to ask for the password at; give it as the first line of standard input, with --password-stdin',
    ]);
  }
  const password = await ask('Password: ', input, screen);
  if (password === '') throw new WrongUsage(['no password was typed']);
  if ((await ask('The same again: ', input, screen)) !== password) throw new WrongUsage(['the two passwords differ']);
  return password;
}

async function firstLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array);
    const end = bytes.indexOf(0x0a);
    chunks.push(end < 0 ? bytes : bytes.subarray(0, end));
    size += bytes.length;
    if (end >= 0) break;
    if (size > maxPasswordBytes) break;
  }
  const line = decode(Buffer.concat(chunks)).replace(/\r$/, '');
  if (line === '') throw new WrongUsage(['the first line of standard input, which is the password, is empty']);
  return line;
}

function decode(bytes: Buffer): string {
  if (bytes.length > maxPasswordBytes) throw new WrongUsage([`the password is longer than ${maxPasswordBytes} bytes`]);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new WrongUsage([`the password is not UTF-8 text (${error instanceof Error ? error.message : String(error)})`]);
  }
}

/** Asks for one line without showing it. Keys arrive one by one and undecoded, so erasing and interrupting are done here. */
function ask(question: string, input: Keyboard, screen: Writable): Promise<string> {
  const typed: number[] = [];
  screen.write(question);
  input.setRawMode?.(true);
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      input.off('data', take);
      input.setRawMode?.(false);
      input.pause();
      screen.write('\n');
    };
    const take = (chunk: Buffer): void => {
      for (const byte of chunk) {
        if (byte === 0x03) {
          finish();
          process.kill(process.pid, 'SIGINT');
          return;
        }
        if (byte === 0x0d || byte === 0x0a || byte === 0x04) {
          finish();
          try {
            resolve(decode(Buffer.from(typed)));
          } catch (error) {
            reject(error);
          }
          return;
        }
        if (byte === 0x15) typed.length = 0;
        else if (byte === 0x7f || byte === 0x08) erase(typed);
        else if (byte >= 0x20 && typed.length <= maxPasswordBytes) typed.push(byte);
      }
    };
    input.on('data', take);
    input.resume();
  });
}

/** Takes back the last character: its bytes down to the one that begins it (RFC 3629, section 3). */
function erase(typed: number[]): void {
  let byte = typed.pop();
  while (byte !== undefined && (byte & 0xc0) === 0x80) byte = typed.pop();
}

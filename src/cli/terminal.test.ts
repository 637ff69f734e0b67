import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { WrongUsage } from './failure.ts';
import { progressLine, readNewPassword, startProgress, table } from './terminal.ts';

test('a table is as wide as it must be, and a stored name cannot steer the terminal', () => {
  const text = table(
    ['IMEI', 'name'],
    [
      ['356307042441013', 'Van\u001b[2J'],
      ['1', '日本'],
    ],
  );
  assert.equal(text, 'IMEI             name\n356307042441013  Van\ufffd[2J\n1                日本\n');
  assert.equal(table(['a', 'b'], []), 'a  b\n');
});

test('progress: a line with rate and time left on a terminal, elsewhere the summary alone', async () => {
  assert.equal(progressLine('a.gpx', 45, 100, 'bytes', 3), 'a.gpx [#########-----------]  45 %  15.0 B/s  0:04 left');
  assert.equal(progressLine('a', 3_000_000, 3_000_000, 'positions', 2), 'a [####################] 100 %  1.5M positions/s  0:00 left');
  assert.equal(progressLine('a', 0, 0, 'bytes', 0), 'a [####################] 100 %  0.0 B/s');
  const pipe = new PassThrough();
  const progress = startProgress('a.gpx', 10, 'bytes', pipe);
  progress.reach(5);
  progress.end('7 positions');
  pipe.end();
  assert.equal(await pipe.toArray().then((chunks) => chunks.join('')), 'a.gpx: 7 positions\n');
});

const piped = (...chunks: (string | Buffer)[]) => readNewPassword(true, Readable.from(chunks.map((chunk) => Buffer.from(chunk))));

test('a password from standard input is its first line, whatever pieces it comes in', async () => {
  assert.equal(await piped('sec', 'rät ', 'x\nmore'), 'secrät x');
  assert.equal(await piped('secret\r\n'), 'secret');
  assert.equal(await piped('no newline'), 'no newline');
  for (const bad of ['', '\n', 'a'.repeat(5000), Buffer.from([0xff, 0x0a])]) await assert.rejects(piped(bad), WrongUsage);
});

function keyboard(...keys: string[]) {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => raw.push(mode) });
  const screen = new PassThrough();
  // As at a keyboard: what is typed comes after the question.
  screen.on('data', (text: Buffer) => {
    if (text.toString().endsWith(': ')) input.write(keys.shift() ?? '\r');
  });
  return { raw, typed: readNewPassword(false, input, screen) };
}

test('at a terminal it is typed twice, with erasing, and the terminal is left as it was', async () => {
  const { raw, typed } = keyboard('wrong\u0015paß\u007fsä\u007f\u007fs wort\r', 'pas wort\r');
  assert.equal(await typed, 'pas wort');
  assert.deepEqual(raw, [true, false, true, false]);
  await assert.rejects(keyboard('one\r', 'two\r').typed, /differ/);
  await assert.rejects(keyboard('\r').typed, /no password/);
  await assert.rejects(readNewPassword(false, Readable.from([])), /--password-stdin/);
});

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../basics/errors.ts';
import { openSecretBox, secretBox } from './secret-box.ts';

const folder = mkdtempSync(join(tmpdir(), 'waypost-box-'));
after(() => rmSync(folder, { recursive: true }));

test('what is sealed comes back, for its own context only, and no bit of it can be changed', () => {
  const box = secretBox(new Uint8Array(32).fill(7));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.string(), fc.string(), fc.nat(), fc.nat(7), (plain, context, other, at, bit) => {
      const sealed = box.seal(plain, context);
      assert.deepEqual(box.open(sealed, context), plain);
      if (other !== context) assert.throws(() => box.open(sealed, other), Fault);
      const changed = Uint8Array.from(sealed);
      changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ (1 << bit);
      assert.throws(() => box.open(changed, context), Fault);
      assert.throws(() => box.open(sealed.subarray(0, at % sealed.length), context), Fault);
    }),
    { numRuns: 50 },
  );
});

test('the key file is made once, for its owner only, and used again', () => {
  const file = join(folder, 'secret.key');
  const sealed = openSecretBox(file).seal(Buffer.from('Circle of Life'), 'digest ada');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(Buffer.from(readFileSync(file, 'latin1'), 'base64').length, 32);
  assert.equal(Buffer.from(openSecretBox(file).open(sealed, 'digest ada')).toString(), 'Circle of Life');
  assert.deepEqual(readdirSync(folder), ['secret.key']);
  assert.throws(() => openSecretBox(join(folder, 'other.key')).open(sealed, 'digest ada'), /was the key file replaced/);
});

test('a key file that others can read, or that holds no key, is refused with what to do', () => {
  const file = join(folder, 'bad.key');
  for (const text of [
    '',
    'short',
    `${Buffer.alloc(31).toString('base64')}\n`,
    `${Buffer.alloc(33).toString('base64')}\n`,
    'x'.repeat(5000),
  ]) {
    writeFileSync(file, text, { mode: 0o600 });
    assert.throws(() => openSecretBox(file), /does not hold 32 bytes/);
  }
  writeFileSync(file, Buffer.alloc(32, 1).toString('base64'));
  chmodSync(file, 0o640);
  assert.throws(() => openSecretBox(file), /chmod 600/);
  chmodSync(file, 0o600);
  openSecretBox(file);
  assert.throws(() => openSecretBox(join(file, 'key')), /cannot be read/);
});

test('the folder of a new key file is made, for its owner alone', () => {
  openSecretBox(join(folder, 'new', 'inner', 'key'));
  assert.equal(statSync(join(folder, 'new', 'inner')).mode & 0o777, 0o700);
});

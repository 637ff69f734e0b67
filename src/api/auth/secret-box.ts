// Encryption at rest for what cannot be hashed: AES-256-GCM (NIST SP 800-38D) under a key kept in a file outside the database.
// Knows nothing of what it seals; the context binds a sealed value to its owner.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../basics/errors.ts';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

export interface SecretBox {
  /** Encrypts `plain`. Only `open` with the same context gives it back. */
  seal(plain: Uint8Array, context: string): Uint8Array;
  /** Throws a Fault when the value was sealed with another key or for another context, or was damaged. */
  open(sealed: Uint8Array, context: string): Uint8Array;
}

/** A box with this key of 32 bytes. Sealed: version (1 byte), nonce (12), ciphertext, tag (16). */
export function secretBox(key: Uint8Array): SecretBox {
  const associated = (context: string) => Buffer.concat([Uint8Array.of(VERSION), Buffer.from(context)]);
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(associated(context));
      const text = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Uint8Array.from(Buffer.concat([Uint8Array.of(VERSION), nonce, text, cipher.getAuthTag()]));
    },
    open(sealed, context) {
      if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES)
        throw new Fault('A stored secret has an unknown form.', false);
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const text = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(associated(context)).setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Uint8Array.from(Buffer.concat([decipher.update(text), decipher.final()]));
      } catch (cause) {
        throw new Fault('A stored secret does not open with the key in use: was the key file replaced?', false, { cause });
      }
    },
  };
}

/**
 * The box whose key is in `file` (32 bytes as base64). A missing file is made with its folder, readable by its owner alone.
 * Throws a Fault that says what to do when the file is readable by others or holds no key.
 */
export function openSecretBox(file: string): SecretBox {
  return secretBox(readKey(file) ?? makeKey(file));
}

function readKey(file: string): Uint8Array | null {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw new Fault(`The key file ${file} cannot be read.`, false, { cause });
  }
  try {
    const { mode, size } = fstatSync(handle);
    // Windows has no such permissions: every file looks open there.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Fault(`The key file ${file} can be read by others than its owner: run "chmod 600 ${file}".`, false);
    }
    const text = size <= 100 ? readFileSync(handle, 'latin1').trim() : '';
    const key = Buffer.from(text, 'base64');
    if (key.length !== KEY_BYTES || key.toString('base64') !== text) {
      throw new Fault(
        `The key file ${file} does not hold ${KEY_BYTES} bytes as base64. Put the right one back; without it Digest sign-in is lost.`,
        false,
      );
    }
    return key;
  } finally {
    closeSync(handle);
  }
}

/** Written whole under another name and then linked, so that of two processes that start at once both use the same key. */
function makeKey(file: string): Uint8Array {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const handle = openSync(draft, 'wx', 0o600);
    try {
      writeSync(handle, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    linkSync(draft, file);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) {
      throw new Fault(`The key file ${file} cannot be made.`, false, { cause });
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKey(file);
  if (key === null) throw new Fault(`The key file ${file} vanished while it was made.`, false);
  return key;
}

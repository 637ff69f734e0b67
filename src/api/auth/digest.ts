// Digest access authentication (RFC 7616): challenges, the secret that an account keeps for it, and the check of an answer.
// Knows no storage: whose secret is compared, and what a failure costs, is decided by the caller.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../basics/clock.ts';
import type { DigestAnswer } from './authorization.ts';
import { createNonces } from './nonces.ts';
import type { SecretBox } from './secret-box.ts';

export const REALM = 'Waypost';
// Says nothing, and is the same for ever: a client that knew us before a restart is stale then, not wrong.
const OPAQUE = '77617970';

// In the order of preference. The secret holds the two hashes one after the other, in this order.
const ALGORITHMS = { 'SHA-256': { hash: 'sha256', from: 0, to: 32 }, MD5: { hash: 'md5', from: 32, to: 48 } } as const;
type Algorithm = keyof typeof ALGORITHMS;

/** What an account keeps for Digest: H(name:realm:password) for each algorithm, sealed for this user name. */
export function digestSecret(username: string, password: string, box: SecretBox): Uint8Array {
  const hashes = [ALGORITHMS['SHA-256'], ALGORITHMS.MD5].map(({ hash }) =>
    createHash(hash).update(`${username}:${REALM}:${password}`).digest(),
  );
  return box.seal(Buffer.concat(hashes), context(username));
}

/** A secret that no password has, to spend on unknown users the time that known ones take. */
export function impossibleSecret(username: string, box: SecretBox): Uint8Array {
  return box.seal(randomBytes(48), context(username));
}

const context = (username: string) => `digest ${username}`;

/** The response of RFC 7616, section 3.4.1, for `qop=auth`. `secret` is H(name:realm:password), in bytes. */
export function digestResponse(
  secret: Uint8Array,
  method: string,
  answer: { algorithm: Algorithm; uri: string; nonce: string; nc: string; cnonce: string },
): Buffer {
  // What came in a header is one character a byte, so it is hashed as exactly the bytes that were sent.
  const digest = (text: string) => createHash(ALGORITHMS[answer.algorithm].hash).update(text, 'latin1').digest();
  const hidden = Buffer.from(secret).toString('hex');
  return digest(`${hidden}:${answer.nonce}:${answer.nc}:${answer.cnonce}:auth:${digest(`${method}:${answer.uri}`).toString('hex')}`);
}

export interface Digest {
  /** Values of WWW-Authenticate. `stale`: the password was right, only the nonce was not; clients then ask nobody. */
  challenges(stale: boolean): string[];
  /** Whether the answer is to our challenge and for this request. `target` as it stood in the request line. */
  fits(answer: DigestAnswer, target: string): boolean;
  /** Whether the answer was made by someone who knows the password. */
  isRight(answer: DigestAnswer, method: string, username: string, sealed: Uint8Array): boolean;
  /** Whether this right answer is used for the first time and in time. */
  isFresh(answer: DigestAnswer): boolean;
}

export function createDigest(box: SecretBox, clock: Clock): Digest {
  const nonces = createNonces(clock);
  return {
    challenges(stale) {
      const nonce = nonces.issue();
      // The realm comes first: clients that split a joined header at its commas take a first parameter for part of the scheme's name.
      return Object.keys(ALGORITHMS).map(
        (algorithm) =>
          `Digest realm="${REALM}", qop="auth", algorithm=${algorithm}, nonce="${nonce}", opaque="${OPAQUE}", charset=UTF-8${stale ? ', stale=true' : ''}`,
      );
    },
    fits: (answer, target) => answer.realm === REALM && answer.uri === target && (answer.opaque ?? OPAQUE) === OPAQUE,
    isRight(answer, method, username, sealed) {
      const { from, to } = ALGORITHMS[answer.algorithm];
      const secret = box.open(sealed, context(username)).subarray(from, to);
      return timingSafeEqual(answer.response, digestResponse(secret, method, answer));
    },
    isFresh: (answer) => nonces.use(answer.nonce, Number.parseInt(answer.nc, 16)),
  };
}

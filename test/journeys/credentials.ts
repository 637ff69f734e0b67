// What a client sends to authenticate, made by the standards alone and with nothing of the service's own.
import { createHash } from 'node:crypto';
import type { Answer } from '../http.ts';

export const xToken = (token: string): string => `X-Token ${token}`;

/** RFC 7617, section 2. */
export const basic = (username: string, password: string): string => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The schemes of an answer's challenges, one a header. */
export const challengesOf = ({ distinct }: Answer): string[] =>
  (distinct['www-authenticate'] ?? []).map((challenge) => challenge.split(' ')[0] ?? '');

export interface DigestInput {
  username: string;
  password: string;
  /** As in the request line. */
  uri: string;
  algorithm: 'SHA-256' | 'MD5';
  count: number;
  method?: string;
  /** In place of the challenge's. */
  nonce?: string;
}

/** The answer to the challenge of that algorithm (RFC 7616, section 3.4). */
export function digestAnswer(
  challenged: Answer,
  { username, password, uri, algorithm, count, method = 'GET', ...more }: DigestInput,
): string {
  const challenge = (challenged.distinct['www-authenticate'] ?? []).find((value) => value.includes(`algorithm=${algorithm}`)) ?? '';
  const parameter = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
  const [realm, opaque] = [parameter('realm'), parameter('opaque')];
  const nonce = more.nonce ?? parameter('nonce');
  const hash = (text: string): string => createHash(algorithm.replace('-', '').toLowerCase()).update(text).digest('hex');
  const [nc, cnonce] = [count.toString(16).padStart(8, '0'), 'f00'];
  const response = hash(`${hash(`${username}:${realm}:${password}`)}:${nonce}:${nc}:${cnonce}:auth:${hash(`${method}:${uri}`)}`);
  return (
    `Digest username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", algorithm=${algorithm}, ` +
    `response="${response}", qop=auth, nc=${nc}, cnonce="${cnonce}", opaque="${opaque}"`
  );
}

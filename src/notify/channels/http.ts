// Messages to web addresses: the pairs as a form, signed as Standard Webhooks has it (https://www.standardwebhooks.com,
// specification 1.0.0). Knows not where the secret is kept.
import { createHmac } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../basics/clock.ts';
import { Undelivered, type Channel } from './channel.ts';
import { call } from './http-call.ts';

export interface HttpParts {
  /** Judges where the requests go. */
  dispatcher: Dispatcher;
  /** What the account's messages are signed with: 32 bytes. */
  secretOf: (accountId: number) => Promise<Uint8Array>;
  clock: Clock;
  /** Of this program, for `User-Agent`. */
  version: string;
}

export function httpChannel({ dispatcher, secretOf, clock, version }: HttpParts): Channel {
  return async ({ uid, accountId, address, pairs }, signal) => {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) throw new Undelivered('the address of the target is not a web address');
    const body = new URLSearchParams(pairs.map(([key, value]): [string, string] => [key, value])).toString();
    const timestamp = String(Math.floor(clock() / 1000));
    const headers = {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'user-agent': `Waypost/${version}`,
      'webhook-id': uid,
      'webhook-timestamp': timestamp,
      'webhook-signature': sign(await secretOf(accountId), uid, timestamp, body),
    };
    return call('the target', { url, method: 'POST', headers, body }, dispatcher, signal);
  };
}

/** `v1,` and the base64 of HMAC-SHA256 over id, timestamp and body between full stops. */
const sign = (secret: Uint8Array, id: string, timestamp: string, body: string): string =>
  `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

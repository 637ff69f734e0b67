// Where the demo's messages go: a small web server beside the service, on the loopback, as an HTTP target would be anywhere;
// and how a message looks as a line of a terminal. Does not check signatures: all that a false message could do is be shown.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventType } from '../../kinds/event-type.ts';

/** The loopback alone: what the demo opens to its targets. */
export const RECEIVER_HOST = '127.0.0.1';

/** Bytes of a message; ours have some hundreds. */
const MOST = 10_000;

export interface Receiver {
  /** The address of the target. */
  readonly address: string;
  stop(): Promise<void>;
}

/** `receive` gets the pairs of each message; anybody on this machine can send some. */
export async function openReceiver(receive: (pairs: URLSearchParams) => void): Promise<Receiver> {
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const status = body === null ? 413 : 204;
        if (body !== null) receive(new URLSearchParams(body));
        response.writeHead(status, { connection: 'close' }).end();
      },
      // The sender went away in the middle: there is nobody to answer.
      () => response.destroy(),
    );
  });
  server.listen(0, RECEIVER_HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${RECEIVER_HOST}:${port}/messages`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Null when it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Such as `14:05:03  Taxi 4           zone crossing, entry: Old town`. */
export function messageLine(pairs: URLSearchParams, timezone: string): string {
  const of = (name: string): string => pairs.get(name) ?? '';
  const seconds = Number(/^\d{1,11}$/.exec(of('unix_ts'))?.[0] ?? 0);
  const time = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(timezone)
    .toPlainTime()
    .toString();
  const what = eventType(Number(of('event_id')))?.name ?? 'a test message';
  const crossing = pairs.has('zone_name') ? `, ${of('cross_type')}: ${of('zone_name')}` : '';
  const value = pairs.has('value') ? ` (${of('value')})` : '';
  return plain(`${time}  ${of('name').padEnd(16)} ${what}${crossing}${value}${pairs.has('late') ? ', told late' : ''}`);
}

/** Text that a terminal shows and does not obey. */
const plain = (text: string): string => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

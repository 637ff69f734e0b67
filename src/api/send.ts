// An answer onto the wire, with what every answer carries, a line in the log and a count in the metrics.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Log } from '../basics/log.ts';
import type { Answer } from './answer.ts';
import type { Request } from './request.ts';

/** Told of every answer once it is sent. `route`: the address's pattern, never its values. */
export type Measure = (route: string, method: string, status: number, seconds: number) => void;

export function send(
  request: Request,
  reply: FastifyReply,
  { status, headers, body }: Answer,
  common: Record<string, string>,
  log: Log,
  measure: Measure,
): void {
  reply.code(status).headers(common).headers(headers).header('x-request-id', request.id);
  if (request.secure) reply.header('strict-transport-security', 'max-age=31536000');
  reply.raw.once('close', () => {
    const seconds = reply.elapsedTime / 1000;
    measure(reply.request.routeOptions.url ?? 'unknown', request.method, status, seconds);
    // The path alone: a query may hold a token.
    log.debug(
      {
        request: request.id,
        method: request.method,
        path: request.whole,
        status,
        from: request.address,
        ms: Math.round(reply.elapsedTime),
        whole: reply.raw.writableFinished,
      },
      'answered',
    );
  });
  if (typeof body === 'string') {
    void reply.send(body);
    return;
  }
  const stream = Readable.from(body, { objectMode: false, encoding: 'utf8' });
  // The head has gone out already: an export that cannot go on is cut off, so that it cannot pass for whole.
  stream.once('error', (error) => log.error({ request: request.id, path: request.path, err: error }, 'an export broke off'));
  void reply.send(stream);
}

// The body of a request as bytes, within limits: of each request, and of all that are being received at one time, because
// bodies are held before it is known who sends them.
import type { IncomingMessage } from 'node:http';
import { Refusal } from '../basics/errors.ts';

/** Bytes of all bodies that are being received at one time. */
const MOST_HELD = 64 * 1024 * 1024;

let held = 0;

/** Throws Refusal 413 for a larger body than `limit`, 415 for a compressed one, 503 when too much is being received. */
export async function readBytes(message: IncomingMessage, limit: number): Promise<Uint8Array> {
  const encoding = message.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Refusal(415, 'Bodies are taken as they are, not compressed.', { 'accept-encoding': 'identity' });
  if (Number(message.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      held += chunk.length;
      if (length > limit) throw tooLarge(limit);
      if (held > MOST_HELD) throw new Refusal(503, 'Too many large requests at one time. Try again in a moment.', { 'retry-after': '5' });
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    held -= length;
  }
}

/** What is left of the body is not read, so the connection ends with the answer. */
const tooLarge = (limit: number): Refusal => new Refusal(413, `A body can have ${limit} bytes here.`, { connection: 'close' });

// The limit of reads: `node bench/constant.ts FILE` is a fastify that answers the constants in FILE, a JSON list, at /0, /1 and so on.
// Prints its address. Runs until it is told to stop.
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

export interface Constant {
  headers: Record<string, string>;
  body: string;
}

/** Of the connection, not of the answer: every server sets its own (RFC 9110, section 7.6.1; RFC 9112, section 6). */
const own = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

const server = fastify();
for (const [i, { headers, body }] of (JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Constant[]).entries()) {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)));
  server.get(`/${i}`, (_, reply) => void reply.headers(kept).send(body));
}
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.on('SIGTERM', () => process.exit(0));

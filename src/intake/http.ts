// Listens for devices that speak HTTP, on a port of their own with small limits. A success means committed.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { readForm } from '../protocols/form.ts';
import type { HttpPacket, HttpProtocol } from '../protocols/protocol.ts';
import { limitComplaints } from './complaints.ts';
import { Gate } from './gate.ts';
import { defaultLimits, formatAddress, peerAddress, type Endpoint, type House, type Listener, type ListenOptions } from './intake.ts';
import { within, Work } from './work.ts';

const MAX_HEADER = 16 * 1024;
/** Bodies that are held at one time, bytes, of all requests together. */
const MAX_HELD = 64 * 1024 * 1024;

/** What to answer: a status, and for a person who looks, a sentence. */
interface Answer {
  status: number;
  detail: string;
}

const busy: Answer = { status: 503, detail: 'too busy, send it again' };

/** @throws the system's error when the port cannot be had. */
export async function listenHttp(
  { name, http: protocol }: { readonly name: string; readonly http: HttpProtocol },
  { host, port }: Endpoint,
  house: House,
  options: ListenOptions,
): Promise<Listener> {
  const limits = { ...defaultLimits, ...options.limits };
  const counts = options.metrics.of(name, 'http');
  const log = options.log.child({ protocol: name, transport: 'http' });
  const complain = limitComplaints(log);
  const work = new Work();
  const gate = new Gate(limits.maxConnectionsPerAddress);
  let heldBytes = 0;
  let isStopping = false;

  /** Never rejects. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const held = { bytes: 0 };
    try {
      const answer = await hear(request, held);
      // A body that was not read to its end leaves nothing to be said on this connection.
      if (answer !== null) send(response, answer, isStopping || !request.complete);
    } finally {
      heldBytes -= held.bytes;
    }
  }

  /** Null when the device is gone. Never rejects. */
  async function hear(request: IncomingMessage, held: { bytes: number }): Promise<Answer | null> {
    const chunks: Buffer[] = [];
    try {
      // Not destroyed on the way out: the answer still has to leave on the same socket.
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        held.bytes += chunk.length;
        heldBytes += chunk.length;
        counts.received(chunk.length);
        if (held.bytes > protocol.maxBody) {
          counts.refused('length');
          return { status: 413, detail: `the body is larger than ${protocol.maxBody} bytes` };
        }
        if (heldBytes > MAX_HELD) {
          counts.dropped();
          return busy;
        }
        chunks.push(chunk);
      }
    } catch {
      counts.refused('truncated');
      return null;
    }
    if (work.pending >= limits.maxPending) {
      counts.dropped();
      return busy;
    }
    work.begin();
    try {
      return await take(request, Buffer.concat(chunks));
    } finally {
      work.end();
    }
  }

  /** Never rejects. */
  async function take(request: IncomingMessage, body: Uint8Array): Promise<Answer> {
    const address = peerAddress(request.socket.remoteAddress);
    try {
      counts.frame();
      const packet = readPacket(request, body);
      if (packet.kind === 'bad') {
        counts.refused(packet.reason);
        complain('warn', { address, reason: packet.reason, detail: packet.detail }, 'bad request');
        return { status: packet.status, detail: packet.detail };
      }
      const { imei, reports } = packet;
      const tracker = await house.find(imei);
      const outcome = tracker === null ? 'gone' : await commit(() => house.accept(tracker, reports), reports.length);
      if (outcome === 'gone') {
        counts.unknown();
        house.unknown(imei, name, address);
        complain('info', { imei, address }, 'unknown device refused');
        return { status: packet.unknownStatus, detail: 'the device is not registered' };
      }
      counts.acknowledged(reports.length);
      return { status: 200, detail: '' };
    } catch (error) {
      complain('error', { err: error, address }, 'reports not committed, not acknowledged');
      return { status: 503, detail: 'not stored, send it again' };
    }
  }

  function readPacket(request: IncomingMessage, body: Uint8Array): HttpPacket {
    const url = request.url ?? '';
    const mark = url.indexOf('?');
    const query = readForm(mark === -1 ? '' : url.slice(mark + 1));
    if (query === null) return { kind: 'bad', reason: 'count', detail: 'too many parameters', status: 400 };
    const contentType = (request.headers['content-type'] ?? '').replace(/;.*/s, '').trim().toLowerCase();
    return protocol.read({ method: request.method ?? '', query, contentType, body });
  }

  async function commit<T>(accept: () => Promise<T>, reports: number): Promise<T> {
    try {
      return await accept();
    } catch (error) {
      counts.failed(reports);
      throw error;
    }
  }

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER,
      headersTimeout: Math.min(10_000, limits.requestTimeout),
      requestTimeout: limits.requestTimeout,
      connectionsCheckingInterval: Math.min(2_000, limits.requestTimeout),
      keepAliveTimeout: 65_000,
      noDelay: true,
    },
    (request, response) => void serve(request, response),
  );
  server.maxConnections = limits.maxConnections;
  server.on('drop', () => counts.cut('limit'));
  server.on('connection', (socket: Socket) => {
    const address = peerAddress(socket.remoteAddress);
    if (!gate.enter(address)) {
      counts.cut('address_limit');
      socket.destroy();
      return;
    }
    counts.opened();
    socket.on('close', () => {
      gate.leave(address);
      counts.closed();
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const isLong = error.code === 'HPE_HEADER_OVERFLOW';
    if (isLate) counts.cut('request_timeout');
    else counts.refused(isLong ? 'length' : 'syntax');
    const status = isLate ? '408 Request Timeout' : isLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
  });
  server.listen({ host, port, backlog: 1024 });
  await once(server, 'listening');
  server.on('error', (error) => complain('error', { err: error }, 'a connection could not be accepted'));

  // A server that listens on TCP has an address of this kind.
  const bound = server.address() as AddressInfo;
  return {
    address: formatAddress(bound.address, bound.port),
    async stop() {
      isStopping = true;
      const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
      if (!(await work.finish(limits.stopTimeout))) log.warn({ pending: work.pending }, 'stopped before everything was committed');
      // Answers leave in this turn of the loop; what is still open after it has not finished its request.
      await within(closed, 100, false);
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, { status, detail }: Answer, isLast: boolean): void {
  const text = detail === '' ? '' : `${detail}\n`;
  const headers: Record<string, string | number> = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  };
  if (isLast) headers['Connection'] = 'close';
  if (status === 503) headers['Retry-After'] = 10;
  if (status === 405) headers['Allow'] = 'GET, POST';
  response.writeHead(status, headers).end(text);
}

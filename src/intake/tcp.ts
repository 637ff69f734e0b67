// Listens for devices on TCP: who may connect, who has waited too long, and how it all ends. What is said is in connection.ts.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import type { StreamProtocol } from '../protocols/protocol.ts';
import { limitComplaints } from './complaints.ts';
import { Connection, type Shared } from './connection.ts';
import { Gate } from './gate.ts';
import { defaultLimits, formatAddress, peerAddress, type Endpoint, type House, type Listener, type ListenOptions } from './intake.ts';
import { within, Work } from './work.ts';

/** How long devices have to notice that we hang up when the service stops, ms. */
const GOODBYE = 500;

/** @throws the system's error when the port cannot be had. */
export async function listenTcp(
  { name, tcp: protocol }: { readonly name: string; readonly tcp: StreamProtocol },
  { host, port }: Endpoint,
  house: House,
  options: ListenOptions,
): Promise<Listener> {
  const limits = { ...defaultLimits, ...options.limits };
  const counts = options.metrics.of(name, 'tcp');
  const log = options.log.child({ protocol: name, transport: 'tcp' });
  const work = new Work();
  const shared: Shared = { name, protocol, house, log, complain: limitComplaints(log), counts, limits, work };
  const gate = new Gate(limits.maxConnectionsPerAddress);
  const connections = new Map<Socket, Connection>();
  let lastId = 0;

  // Half-open, because a device may say that it is done and still wait for its acknowledgement.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const address = peerAddress(socket.remoteAddress);
    if (!gate.enter(address)) {
      counts.cut('address_limit');
      socket.destroy();
      return;
    }
    counts.opened();
    connections.set(socket, new Connection(shared, socket, ++lastId, address, Date.now()));
    socket.on('close', () => {
      connections.delete(socket);
      gate.leave(address);
      counts.closed();
    });
  });
  server.maxConnections = limits.maxConnections;
  server.on('drop', () => counts.cut('limit'));
  server.listen({ host, port, backlog: 4096 });
  await once(server, 'listening');
  // From here on, errors are those of accepting a connection (no more file descriptors): the others live on.
  server.on('error', (error) => shared.complain('error', { err: error }, 'a connection could not be accepted'));

  // One timer for all connections. Its beat follows the shorter of the two times that it watches.
  const beat = Math.min(5_000, Math.max(20, Math.min(limits.loginTimeout, limits.idleTimeout) / 4));
  const sweep = setInterval(() => {
    const now = Date.now();
    for (const connection of connections.values()) connection.checkTime(now);
  }, beat);
  sweep.unref();

  // A server that listens on TCP has an address of this kind.
  const bound = server.address() as AddressInfo;
  return {
    address: formatAddress(bound.address, bound.port),
    async stop() {
      const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
      for (const connection of connections.values()) connection.drain();
      const isDone = await work.finish(limits.stopTimeout);
      if (!isDone) log.warn({ pending: work.pending }, 'stopped before everything was committed');
      await within(closed, isDone ? GOODBYE : 0, false);
      for (const socket of connections.keys()) socket.destroy();
      await closed;
      clearInterval(sweep);
    },
  };
}

// Listens for devices on UDP: every datagram stands alone, is answered once committed, and is not answered otherwise.
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { DatagramProtocol } from '../protocols/protocol.ts';
import { limitComplaints } from './complaints.ts';
import { defaultLimits, formatAddress, peerAddress, type Endpoint, type House, type Listener, type ListenOptions } from './intake.ts';
import { Work } from './work.ts';

/** What the kernel may hold for us while we are busy, bytes. It grants less where the system says so. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

/** @throws the system's error when the port cannot be had. */
export async function listenUdp(
  { name, udp: protocol }: { readonly name: string; readonly udp: DatagramProtocol },
  { host, port }: Endpoint,
  house: House,
  options: ListenOptions,
): Promise<Listener> {
  const limits = { ...defaultLimits, ...options.limits };
  const counts = options.metrics.of(name, 'udp');
  const log = options.log.child({ protocol: name, transport: 'udp' });
  const complain = limitComplaints(log);
  const work = new Work();
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BUFFER });

  /** Never rejects. */
  async function take(bytes: Buffer, peer: RemoteInfo): Promise<void> {
    const address = peerAddress(peer.address);
    try {
      const packet = protocol.read(bytes);
      counts.frame();
      if (packet.kind === 'bad') {
        counts.refused(packet.reason);
        complain('warn', { address, reason: packet.reason, detail: packet.detail }, 'bad datagram');
        return;
      }
      const { imei, reports } = packet;
      const tracker = await house.find(imei);
      const outcome = tracker === null ? 'gone' : await commit(() => house.accept(tracker, reports), reports.length);
      if (outcome === 'gone') {
        counts.unknown();
        house.unknown(imei, name, address);
        complain('info', { imei, address }, 'unknown device not answered');
        return;
      }
      await send(packet.acknowledgement, peer);
      counts.acknowledged(reports.length);
    } catch (error) {
      complain('error', { err: error, address }, 'datagram not answered');
    }
  }

  /** Waited for, because a socket that is closed sends nothing more. */
  function send(bytes: Uint8Array, peer: RemoteInfo): Promise<void> {
    return new Promise((resolve, reject) => {
      socket.send(bytes, peer.port, peer.address, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  async function commit<T>(accept: () => Promise<T>, reports: number): Promise<T> {
    try {
      return await accept();
    } catch (error) {
      counts.failed(reports);
      throw error;
    }
  }

  let stopped: Promise<void> | null = null;
  socket.on('message', (bytes, peer) => {
    counts.received(bytes.length);
    if (stopped !== null) return;
    if (work.pending >= limits.maxPending) {
      counts.dropped();
      return;
    }
    work.begin();
    void take(bytes, peer).finally(() => work.end());
  });
  socket.bind({ address: host, port });
  await once(socket, 'listening');
  socket.on('error', (error) => complain('error', { err: error }, 'socket failed'));

  async function close(): Promise<void> {
    if (!(await work.finish(limits.stopTimeout))) log.warn({ pending: work.pending }, 'stopped before everything was committed');
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  const bound = socket.address();
  return { address: formatAddress(bound.address, bound.port), stop: () => (stopped ??= close()) };
}

// Metrics, health and readiness on a port of their own, for the operator's machines only: they ask for no password.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { formatAddress, type Endpoint } from './intake/intake.ts';

export interface Monitor {
  /** `http://host:port`; the metrics are there and at `/metrics`. */
  readonly address: string;
  stop(): Promise<void>;
}

export async function startMonitor({ host, port }: Endpoint, registry: Registry, isReady: () => Promise<boolean>): Promise<Monitor> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, (request, response) => {
    void answer(request.url ?? '/').then(
      ([status, type, body]) => response.writeHead(status, { 'content-type': type }).end(body),
      (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(`${String(error)}\n`),
    );
  });
  server.maxConnections = 100;

  async function answer(url: string): Promise<[status: number, type: string, body: string]> {
    switch (new URL(url, 'http://monitor').pathname) {
      case '/':
      case '/metrics':
        return [200, registry.contentType, await registry.metrics()];
      case '/health':
        return [200, 'application/json', '{"status":"ok"}\n'];
      case '/ready':
        return (await isReady())
          ? [200, 'application/json', '{"status":"ready"}\n']
          : [503, 'application/json', '{"status":"not ready"}\n'];
      default:
        return [404, 'text/plain', 'Here are /metrics, /health and /ready.\n'];
    }
  }

  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    address: `http://${formatAddress(address, bound)}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

// The limit of idle connections: accepts every device that says something, and keeps the socket. Prints its port, and the address that
// answers how many there are.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';

const sockets = new Set();
const devices = createServer({ noDelay: true }, (socket) => {
  sockets.add(socket);
  socket.on('data', () => socket.write(Uint8Array.of(1)));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => sockets.delete(socket));
});
const count = createHttpServer((_, response) => response.end(`${sockets.size}`));

async function listen(server: Server): Promise<number> {
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
process.stdout.write(`${await listen(devices)} http://127.0.0.1:${await listen(count)}/\n`);
process.on('SIGTERM', () => process.exit(0));

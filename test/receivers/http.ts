// A web server that messages are sent to: it remembers what came and answers as it is told to.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpMessage {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as the pairs of a form. */
  pairs: [string, string][];
}

/** Writes an answer, or none at all. `count` is how many messages came before this one. */
export type HttpAnswer = (response: ServerResponse, message: HttpMessage, count: number) => void;

export const status =
  (code: number, headers: Record<string, string> = {}): HttpAnswer =>
  (response) =>
    response.writeHead(code, headers).end('so be it');

export class HttpReceiver {
  readonly messages: HttpMessage[] = [];
  /** How it answers from here on. */
  answer: HttpAnswer = status(200);
  connections = 0;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      const message = { method, url, headers, body, pairs: [...new URLSearchParams(body)] };
      this.messages.push(message);
      this.answer(response, message, this.messages.length - 1);
    });
  }).on('connection', () => this.connections++);

  /** Listens on this port of the loopback, or on any free one. */
  static async open(port = 0): Promise<HttpReceiver> {
    const receiver = new HttpReceiver();
    receiver.#server.listen(port, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

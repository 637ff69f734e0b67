// A mail server that messages are sent to: it remembers what came, as parsed mail, and refuses what it is told to refuse.
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A certificate of our own for localhost and 127.0.0.1. */
export const certificate = readFileSync(join(import.meta.dirname, 'localhost-cert.pem'), 'utf8');
const key = readFileSync(join(import.meta.dirname, 'localhost-key.pem'), 'utf8');

export interface Mail {
  from: string;
  to: string[];
  /** Whether it came over TLS, and as whom its sender signed in. */
  secure: boolean;
  user: string | null;
  parsed: Email;
  raw: string;
}

/** Says no at RCPT TO: a reply code and text, or null for yes. */
export type Judge = (address: string) => { code: number; text: string } | null;

export class MailReceiver {
  readonly mails: Mail[] = [];
  judge: Judge = () => null;
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      key,
      cert: certificate,
      authOptional: true,
      disableReverseLookup: true,
      closeTimeout: 100,
      onRcptTo: ({ address }, _session, callback) => {
        const no = this.judge(address);
        callback(no === null ? null : Object.assign(new Error(no.text), { responseCode: no.code }));
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        const take = async (): Promise<void> => {
          const raw = Buffer.concat(chunks).toString();
          const parsed = await PostalMime.parse(raw);
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            secure: session.secure,
            user: typeof session.user === 'string' ? session.user : null,
            parsed,
            raw,
          });
          callback();
        };
        stream.on('end', () => void take());
      },
      ...options,
    });
    // A client that breaks off, or does not trust our certificate, is part of what is tried.
    this.#server.on('error', () => undefined);
  }

  static async open(options: SMTPServerOptions = {}): Promise<MailReceiver> {
    const receiver = new MailReceiver(options);
    const server = receiver.#server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

// Messages to mailboxes through the operator's mail server: a sentence for a person, then the pairs for a program.
// Each message has a connection of its own, so that none is hurt by what befell another.
import { createTransport, type NodemailerError } from 'nodemailer';
import { isEmail } from '../../kinds/format.ts';
import type { Pair } from '../message-text.ts';
import { excerpt, Undelivered, type Channel } from './channel.ts';

export interface MailSettings {
  host: string;
  port: number;
  /** TLS from the first byte; TLS or nothing after STARTTLS; none at all. */
  security: 'tls' | 'starttls' | 'none';
  /** Null: the server asks for none. */
  user: string | null;
  password: string | null;
  /** A mailbox. */
  from: string;
}

const CONNECT_TIMEOUT = 10_000;
const SILENCE_TIMEOUT = 30_000;

const SENTENCES: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the user and password of this service',
  ENOAUTH: 'the mail server wants a user and password, and this service has none',
  EDNS: 'the mail server was not found',
  ETLS: 'no safe connection to the mail server could be made',
  ETIMEDOUT: 'the mail server did not answer in time',
  ECONNECTION: 'the mail server closed the connection',
  ESOCKET: 'the mail server could not be reached',
};

/** Null settings: there is no mail server, and every message fails and says so. */
export function emailChannel(settings: MailSettings | null): Channel {
  if (settings === null) return () => Promise.reject(new Undelivered('this service sends no mail: its operator has set up no mail server'));
  const { host, port, security, user, password, from } = settings;
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CONNECT_TIMEOUT,
    greetingTimeout: CONNECT_TIMEOUT,
    socketTimeout: SILENCE_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1).replace(/>$/, '');

  return async ({ uid, address, sentence, pairs }, signal) => {
    // What is no single mailbox would be taken apart into several.
    if (!isEmail(address)) throw new Undelivered('the address of the target is not a mail address');
    try {
      const { response } = await transport.sendMail({
        envelope: { from, to: [address] },
        from,
        // As an object it is one mailbox, whatever is in it.
        to: { name: '', address },
        subject: sentence,
        text: `${sentence}\n\n${eventData(pairs)}\n`,
        messageId: `<${uid}@${domain}>`,
        // RFC 3834, section 5: no holiday notices in return.
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal,
      });
      return { status: Number.parseInt(response, 10) || null };
    } catch (error) {
      if (signal.aborted) throw error;
      const { code = '', responseCode, response } = error as NodemailerError;
      const known = SENTENCES[code];
      if (responseCode !== undefined && code !== 'EAUTH')
        throw new Undelivered(`the mail server answered ${excerpt(response ?? String(responseCode))}`, responseCode, { cause: error });
      throw new Undelivered(known ?? `the mail could not be sent (${code === '' ? 'no reason given' : code})`, responseCode ?? null, {
        cause: error,
      });
    }
  };
}

/** Between their marks, `key:value` one a line; a value's further lines (whatever some reader takes for one) begin with a tab, so none can pass for a mark or a key. */
function eventData(pairs: readonly Pair[]): string {
  const lines = pairs.map(([key, value]) => `${key}:${value.replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\n\t')}`);
  return ['-----BEGIN EVENT DATA-----', ...lines, '-----END EVENT DATA-----'].join('\n');
}

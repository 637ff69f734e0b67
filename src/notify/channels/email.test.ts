// Messages to mailboxes, against a real mail server: TLS, signing in, refusals, silence, and names that would be headers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { certificate, MailReceiver } from '../../../test/receivers/mail.ts';
import type { Outgoing } from './channel.ts';
import { emailChannel, type MailSettings } from './email.ts';

const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({
  uid: 'msg_abc',
  accountId: 1,
  address: 'anna@example.org',
  sentence: 'Füchse entered Dépôt at 14:05 on 21 Nov',
  pairs: [
    ['imei', '356307042441013'],
    ['name', 'Füchse: a=b'],
    ['zone_name', 'one\r\ntwo\n-----END EVENT DATA-----\rfour\u0085five'],
  ],
  ...more,
});

async function open(t: { after(done: () => Promise<void>): void }, options: SMTPServerOptions = {}): Promise<MailReceiver> {
  const receiver = await MailReceiver.open(options);
  t.after(() => receiver.close());
  return receiver;
}

const settingsFor = ({ port }: { port: number }, more: Partial<MailSettings> = {}): MailSettings => ({
  host: '127.0.0.1',
  port,
  security: 'none',
  user: null,
  password: null,
  from: 'waypost@fleet.example',
  ...more,
});

const send = (settings: MailSettings | null, more: Partial<Outgoing> = {}, time = 5000): Promise<{ status: number | null }> =>
  emailChannel(settings)(outgoing(more), AbortSignal.timeout(time));

/** The pairs between the marks, read as a receiver's program would. */
function pairsIn(text: string): string[][] {
  const [, data = ''] = /^-----BEGIN EVENT DATA-----\n([^]*?)^-----END EVENT DATA-----$/m.exec(text.replaceAll('\r\n', '\n')) ?? [];
  return data
    .replaceAll(/\n\t/g, '\0')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [key = '', ...rest] = line.split(':');
      return [key, rest.join(':').replaceAll('\0', '\n')];
    });
}

test('a person reads the sentence, a program the pairs', async (t) => {
  const receiver = await open(t);
  assert.deepEqual(await send(settingsFor(receiver)), { status: 250 });
  await send(settingsFor(receiver));
  const [mail, again] = receiver.mails;
  assert.ok(mail !== undefined && again !== undefined);
  assert.deepEqual([mail.from, mail.to, mail.secure], ['waypost@fleet.example', ['anna@example.org'], false]);
  const { subject, text = '', messageId, headers, to, from } = mail.parsed;
  assert.equal(subject, outgoing().sentence);
  assert.equal(text.split(/\r?\n/)[0], subject);
  assert.equal(text.split(/\r?\n/)[1], '');
  assert.deepEqual(pairsIn(text), [
    ['imei', '356307042441013'],
    ['name', 'Füchse: a=b'],
    ['zone_name', 'one\ntwo\n-----END EVENT DATA-----\nfour\nfive'],
  ]);
  assert.deepEqual([to?.[0]?.address, from?.address], ['anna@example.org', 'waypost@fleet.example']);
  assert.deepEqual([messageId, again.parsed.messageId], ['<msg_abc@fleet.example>', '<msg_abc@fleet.example>']);
  assert.equal(headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
});

test('nothing in a name becomes a header or another receiver', async (t) => {
  const receiver = await open(t);
  const sentence = 'x\r\nBcc: eve@example.org\r\n\r\nhello';
  await send(settingsFor(receiver), { sentence });
  for (const address of [
    'a@example.org, eve@example.org',
    'a@example.org\r\nRCPT TO:<eve@example.org>',
    '<eve@example.org>',
    'e\u0085ve@example.org',
    'eve',
  ])
    await assert.rejects(send(settingsFor(receiver), { address }), { message: 'the address of the target is not a mail address' });
  for (const { to, parsed } of receiver.mails) {
    assert.equal(to.length, 1);
    assert.ok(!to.includes('eve@example.org'));
    assert.equal(parsed.bcc, undefined);
  }
  assert.equal(receiver.mails.length, 1);
});

test('over TLS from the start and by STARTTLS, signed in', async (t) => {
  const mailbox: SMTPServerOptions = {
    authOptional: false,
    onAuth: ({ username, password }, _session, callback) =>
      callback(null, username === 'relay' && password === 'pässword' ? { user: username } : { message: 'no', responseCode: 535 }),
  };
  const [tls, starttls] = [await open(t, { ...mailbox, secure: true }), await open(t, mailbox)];
  const own = { user: 'relay', password: 'pässword' };

  await assert.rejects(send(settingsFor(tls, { security: 'tls', ...own })), /Undelivered: (no safe connection|the mail server)/);
  await assert.rejects(send(settingsFor(starttls, { security: 'starttls', ...own })), /Undelivered: (no safe connection|the mail server)/);
  assert.equal(tls.mails.length + starttls.mails.length, 0, 'a certificate that nobody vouches for is not trusted');

  const known = getCACertificates();
  setDefaultCACertificates([...known, certificate]);
  t.after(() => setDefaultCACertificates(known));
  assert.deepEqual(await send(settingsFor(tls, { security: 'tls', ...own })), { status: 250 });
  assert.deepEqual(await send(settingsFor(starttls, { security: 'starttls', ...own })), { status: 250 });
  for (const { mails } of [tls, starttls]) assert.deepEqual([mails[0]?.secure, mails[0]?.user], [true, 'relay']);

  await assert.rejects(send(settingsFor(tls, { security: 'tls', user: 'relay', password: 'wrong' })), {
    message: 'the mail server refused the user and password of this service',
    status: 535,
  });
});

test('where TLS is asked for, no server that has none gets anything', async (t) => {
  const receiver = await open(t, { disabledCommands: ['STARTTLS'] });
  await assert.rejects(send(settingsFor(receiver, { security: 'starttls' })), /Undelivered/);
  assert.equal(receiver.mails.length, 0);
});

test('a refusal is told with the reply code and what the server said', async (t) => {
  const receiver = await open(t);
  receiver.judge = () => ({ code: 450, text: '4.2.1 try\tlater' });
  await assert.rejects(send(settingsFor(receiver)), { status: 450, message: 'the mail server answered 450 4.2.1 try later' });
  receiver.judge = () => ({ code: 550, text: `5.1.1 no such user ${'x'.repeat(1000)}` });
  await assert.rejects(send(settingsFor(receiver)), (error: Error & { status: number }) => {
    assert.equal(error.status, 550);
    assert.ok(error.message.startsWith('the mail server answered 550 5.1.1 no such user') && error.message.length < 300);
    return true;
  });
});

test('a server that hangs, hangs up or is not there', async (t) => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  const rude = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  t.after(() => [...sockets].forEach((socket) => socket.destroy()));
  after(() => [silent, rude].forEach((server) => server.close()));
  await Promise.all([silent, rude].map((server) => once(server, 'listening')));
  const start = performance.now();
  await assert.rejects(send(settingsFor(silent.address() as AddressInfo), {}, 200), { name: 'AbortError' });
  assert.ok(performance.now() - start < 1000);
  await assert.rejects(send(settingsFor(rude.address() as AddressInfo)), /Undelivered: the mail server/);
  await assert.rejects(send(settingsFor({ port: 1 })), { message: 'the mail server could not be reached' });
});

test('without a mail server a message fails and says why', async () => {
  await assert.rejects(send(null), /sends no mail: its operator has set up no mail server/);
});

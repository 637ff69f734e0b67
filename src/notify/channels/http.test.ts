// Messages to web addresses and SMS gateways, against real servers that take them, refuse them, hang and pour.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { HttpReceiver, status, type HttpAnswer } from '../../../test/receivers/http.ts';
import { createNameLookup } from '../name-lookup.ts';
import { createGuard, guardedAgent } from '../outbound-guard.ts';
import type { Channel, Outgoing, Undelivered } from './channel.ts';
import { httpChannel } from './http.ts';
import { smsChannel, type SmsSettings } from './sms.ts';

const receiver = await HttpReceiver.open();
after(() => receiver.close());
beforeEach(() => {
  receiver.messages.length = 0;
  receiver.answer = status(200);
});

const secret = Uint8Array.from({ length: 32 }, (_, i) => i);
const now = Date.UTC(2026, 10, 21, 12);
const http = httpChannel({
  dispatcher: guardedAgent(createGuard(['127.0.0.0/8']), createNameLookup()),
  secretOf: (accountId) => (accountId === 7 ? Promise.resolve(secret) : Promise.reject(new Error('another account'))),
  clock: () => now,
  version: '1.2.3',
});

const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({
  uid: 'msg_abc',
  accountId: 7,
  address: receiver.url,
  sentence: 'Füchse & "Dächse" + {to} <1> 100 %\\',
  pairs: [
    ['name', 'Füchse & "Dächse"=1\n+2'],
    ['zone_name', '{text}'],
  ],
  ...more,
});

const send = (channel: Channel, more: Partial<Outgoing> = {}, time = 5000): Promise<{ status: number | null }> =>
  channel(outgoing(more), AbortSignal.timeout(time));

test('the pairs come as a form, signed as Standard Webhooks has it', async () => {
  assert.deepEqual(await send(http), { status: 200 });
  const [message] = receiver.messages;
  assert.ok(message !== undefined);
  assert.deepEqual([message.method, message.url], ['POST', '/hook']);
  assert.deepEqual(message.pairs, outgoing().pairs);
  assert.equal(message.headers['content-type'], 'application/x-www-form-urlencoded; charset=utf-8');
  assert.equal(message.headers['user-agent'], 'Waypost/1.2.3');
  assert.equal(message.headers['content-length'], String(Buffer.byteLength(message.body)));
  assert.deepEqual([message.headers['webhook-id'], message.headers['webhook-timestamp']], ['msg_abc', String(now / 1000)]);
  const signature = createHmac('sha256', secret)
    .update(`msg_abc.${now / 1000}.${message.body}`)
    .digest('base64');
  assert.equal(message.headers['webhook-signature'], `v1,${signature}`);
});

test('any 2xx is success, anything else is told in a sentence', async () => {
  for (const code of [200, 201, 202, 204, 299]) {
    receiver.answer = status(code);
    assert.deepEqual(await send(http), { status: code });
  }
  for (const code of [400, 401, 404, 410, 429, 500, 503]) {
    receiver.answer = status(code);
    await assert.rejects(send(http), { name: 'Undelivered', message: `the target answered ${code}`, status: code });
  }
});

test('a server that closes, babbles or is not there is told in a sentence', async (t) => {
  receiver.answer = (response) => response.destroy();
  await assert.rejects(send(http), { message: 'the target closed the connection without an answer', status: null });
  const babbler = createServer((socket) => socket.end('220 mail.example.org ESMTP\r\n')).listen(0, '127.0.0.1');
  t.after(() => babbler.close());
  await once(babbler, 'listening');
  const { port } = babbler.address() as AddressInfo;
  await assert.rejects(send(http, { address: `http://127.0.0.1:${port}/` }), {
    message: 'the target answered with something that is not HTTP',
  });
  await assert.rejects(send(http, { address: 'http://127.0.0.1:1/' }), { message: 'the target refused the connection' });
  await assert.rejects(send(http, { address: `https://127.0.0.1:${receiver.port}/` }), /^Undelivered: the target could not be/);
  await assert.rejects(send(http, { address: 'ftp://127.0.0.1/' }), { message: 'the address of the target is not a web address' });
});

test('a server that hangs holds nothing longer than it is let', async () => {
  receiver.answer = () => undefined;
  const start = performance.now();
  await assert.rejects(send(http, {}, 200), { name: 'TimeoutError' });
  assert.ok(performance.now() - start < 1000);
});

test('the status is the answer: a body without end is neither read through nor waited for', async () => {
  let [poured, closed] = [0, false];
  const pour: HttpAnswer = (response) => {
    response.writeHead(200).on('close', () => (closed = true));
    const more = (): void => {
      while (!response.destroyed && poured < 64e6) {
        poured += 16_384;
        if (!response.write(Buffer.alloc(16_384))) return void response.once('drain', more);
      }
    };
    more();
  };
  receiver.answer = pour;
  assert.deepEqual(await send(http), { status: 200 });
  // What the sockets' buffers hold is written all the same.
  assert.ok(poured < 16e6, `${poured} bytes`);
  receiver.answer = (response) => void response.writeHead(202).write('drop by drop');
  const start = performance.now();
  assert.deepEqual(await send(http, {}, 10_000), { status: 202 });
  assert.ok(performance.now() - start < 4000);
  assert.ok(closed);
});

const gateway: SmsSettings = {
  url: '',
  method: 'POST',
  contentType: 'application/json',
  body: '{"to":"{to}","text":"{text}","from":"{me}"}',
  headers: { authorization: 'Bearer s3cret' },
};
const phone = '+431234567';
const viaGateway = (more: Partial<SmsSettings>): Promise<{ status: number | null }> =>
  send(smsChannel({ ...gateway, url: receiver.url, ...more }), { address: phone });

test('an SMS gateway gets number and text, escaped for where they stand', async () => {
  const text = outgoing().sentence;
  assert.deepEqual(await viaGateway({}), { status: 200 });
  const form = 'To={to}&Body={text}&again={to}';
  await viaGateway({ contentType: 'application/x-www-form-urlencoded', body: form });
  await viaGateway({ contentType: 'application/xml', body: '<sms to="{to}">{text}</sms>' });
  await viaGateway({ contentType: 'text/plain; charset=utf-8', body: '{text}' });
  await viaGateway({ method: 'GET', url: `${receiver.url}?to={to}&text={text}` });
  const [json, pairs, xml, plain, get] = receiver.messages;
  assert.deepEqual(JSON.parse(json?.body ?? ''), { to: phone, text, from: '{me}' });
  assert.deepEqual([json?.headers.authorization, json?.headers['content-type']], ['Bearer s3cret', 'application/json']);
  assert.deepEqual(pairs?.pairs, [['To', phone], ['Body', text], ['again', phone]]); // prettier-ignore
  assert.equal(xml?.body, `<sms to="+431234567">Füchse &#38; &#34;Dächse&#34; + {to} &#60;1&#62; 100 %\\</sms>`);
  assert.equal(plain?.body, text);
  const query = new URL(get?.url ?? '', receiver.url).searchParams;
  assert.deepEqual([get?.method, query.get('to'), query.get('text'), get?.body], ['GET', phone, text, '']);
  assert.equal(get?.headers['content-type'], undefined);
});

test('a gateway that fails or is not set up is told without its address', async () => {
  receiver.answer = status(402);
  await assert.rejects(viaGateway({}), { message: 'the SMS gateway answered 402', status: 402 });
  await assert.rejects(viaGateway({ url: 'http://127.0.0.1:1/?key=s3cret' }), (error: Undelivered) => {
    assert.equal(error.message, 'the SMS gateway refused the connection');
    return true;
  });
  await assert.rejects(send(smsChannel(null)), /sends no text messages: its operator has set up no gateway/);
});

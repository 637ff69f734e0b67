// The guard against the ways into the operator's own network: spellings of addresses, names, rebinding, redirects.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, test, type TestContext } from 'node:test';
import { HttpReceiver, status } from '../../test/receivers/http.ts';
import { Undelivered } from './channels/channel.ts';
import { call } from './channels/http-call.ts';
import { createNameLookup, type FindAddresses } from './name-lookup.ts';
import { createGuard, guardedAgent } from './outbound-guard.ts';

const inside = await HttpReceiver.open();
after(() => inside.close());
const { port } = inside;

const nobody: FindAddresses = () => Promise.reject(new Error('no name was to be looked up'));

async function ask(url: string, allowed: string[] = [], find: FindAddresses = nobody): Promise<number> {
  const agent = guardedAgent(createGuard(allowed), find);
  try {
    const what = { url: new URL(url), method: 'POST', headers: {}, body: 'a=1' } as const;
    return (await call('the target', what, agent, AbortSignal.timeout(5000))).status;
  } finally {
    await agent.close();
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof Undelivered && error.message === 'the target is in a network that this service does not send to';

test('no spelling of an address of our own gets through', async () => {
  const hosts = [
    '127.0.0.1', '127.1', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '017700000001', '127.0.0.1.', '0.0.0.0', '0',
    '１２７.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]',
    '[::127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fd00::1]', '10.0.0.1', '172.31.255.255',
    '192.168.1.1', '169.254.169.254', '100.64.0.1', '224.0.0.1', '255.255.255.255',
  ]; // prettier-ignore
  for (const host of hosts) await assert.rejects(ask(`http://${host}:${port}/`), isRefused, host);
  assert.equal(inside.connections, 0);
});

test('a name that leads to our own network is refused, also when one of its addresses is sound', async () => {
  const named = (...addresses: string[]): FindAddresses => () => Promise.resolve(addresses); // prettier-ignore
  const before = inside.connections;
  for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::1', '93.184.216.34'], ['fe80::1%lo'], ['not an address']])
    await assert.rejects(ask(`http://hook.test:${port}/`, [], named(...addresses)), isRefused, addresses.join());
  await assert.rejects(ask(`https://hook.test:${port}/`, [], named('127.0.0.1')), isRefused, 'over TLS too');
  for (const name of ['localhost', 'LOCALHOST.', 'a.localhost'])
    await assert.rejects(ask(`http://${name}:${port}/`, [], createNameLookup()), isRefused, name);
  await assert.rejects(ask(`http://hook.test:${port}/`, [], named()), /no address was found for hook\.test/);
  assert.equal(inside.connections, before);
});

test('a name that changes its meaning gains nothing: it is looked up once for a connection, and for every one anew', async () => {
  const said: string[] = [];
  // Allowed when it is judged, another when it is asked again.
  const find: FindAddresses = (name) => Promise.resolve([said.push(name) % 2 === 1 ? '127.0.0.2' : '127.0.0.1']);
  const allowed = ['127.0.0.2'];
  const agent = guardedAgent(createGuard(allowed), find);
  after(() => agent.destroy());
  const before = inside.connections;
  const what = { url: new URL(`http://hook.test:${port}/`), method: 'GET', headers: {}, body: null } as const;
  // Nobody listens there.
  await assert.rejects(call('the target', what, agent, AbortSignal.timeout(5000)), { message: 'the target refused the connection' });
  assert.equal(said.length, 1);
  await assert.rejects(call('the target', what, agent, AbortSignal.timeout(5000)), isRefused);
  assert.deepEqual([said.length, inside.connections], [2, before]);
});

test('what the operator allows is let in, and only that', async () => {
  assert.equal(await ask(inside.url, ['127.0.0.0/8']), 200);
  assert.equal(await ask(inside.url, ['127.0.0.1']), 200);
  assert.equal(await ask(`http://[::ffff:127.0.0.1]:${port}/`, ['127.0.0.0/8']), 200, 'the same address');
  assert.equal(await ask(`http://localhost:${port}/`, ['127.0.0.0/8', '::1'], createNameLookup()), 200);
  await assert.rejects(ask(inside.url, ['127.0.0.2', '10.0.0.0/8', '::/0']), isRefused);
});

test('connections are not kept: the next message is judged anew', async () => {
  const before = inside.connections;
  const agent = guardedAgent(createGuard(['127.0.0.1']), nobody);
  const what = { url: new URL(inside.url), method: 'POST', headers: {}, body: '' } as const;
  for (let i = 0; i < 3; i++) await call('the target', what, agent, AbortSignal.timeout(5000));
  await agent.close();
  assert.equal(inside.connections, before + 3);
});

test('redirects are not followed', async () => {
  const other = await HttpReceiver.open();
  after(() => other.close());
  for (const code of [301, 302, 303, 307, 308]) {
    inside.answer = status(code, { location: other.url });
    await assert.rejects(ask(inside.url, ['127.0.0.1']), (error: Undelivered) => {
      assert.deepEqual([error.status, error.message], [code, `the target answered ${code}, a redirect; redirects are not followed`]);
      return true;
    });
  }
  inside.answer = status(200);
  assert.equal(other.connections, 0);
});

test('of the world, what is one host’s and reachable is permitted, at its bounds', () => {
  const permits = createGuard([], () => []);
  const open = [
    '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '172.15.255.255', '172.32.0.0',
    '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255', '2001:4860:4860::8888', '2606:4700::1111',
    '64:ff9b::808:808', '2001:200::1', '3ffe::1',
  ]; // prettier-ignore
  const closed = [
    '0.255.255.255', '10.255.255.255', '100.127.255.255', '172.16.0.0', '198.19.255.255', '203.0.113.9', '239.1.2.3', '240.0.0.1',
    '64:ff9b::a00:1', '64:ff9b::1', '64:ff9b::', '64:ff9b:1::808:808', '2001::1', '2001:db8::1', '2002:808:808::', '3fff::1', 'fc00::1', 'ff02::1',
    '4000::1', '::ffff:8.8.8.8', '', 'localhost',
  ]; // prettier-ignore
  assert.deepEqual(open.filter((address) => !permits(address)), []); // prettier-ignore
  assert.deepEqual(closed.filter(permits), []);
});

test('the networks that the machine itself stands in are closed, public or not, unless they are allowed', () => {
  const own = (): string[] => ['8.8.8.5/29', '2606:4700::5/64', 'fe80::1/64', '127.0.0.1/8'];
  const permits = createGuard(['8.8.8.6'], own);
  const addresses = ['8.8.8.0', '8.8.8.5', '8.8.8.6', '8.8.8.8', '64:ff9b::808:805', '2606:4700::9', '2606:4700:0:1::9'];
  assert.deepEqual(addresses.filter(permits), ['8.8.8.6', '8.8.8.8', '2606:4700:0:1::9']);
});

test('names are asked of name servers, all of their addresses', async (t) => {
  const records: Record<string, string[]> = { 'hook.test': ['127.0.0.1'], 'mixed.test': ['93.184.216.34', '127.0.0.1'] };
  const find = createNameLookup([await nameServer(t, records)]);
  assert.deepEqual((await find('mixed.test')).toSorted(), ['127.0.0.1', '93.184.216.34']);
  await assert.rejects(ask(`http://mixed.test:${port}/`, [], find), isRefused);
  assert.equal(await ask(`http://hook.test:${port}/`, ['127.0.0.1'], find), 200);
  records['hook.test'] = ['10.0.0.1'];
  await assert.rejects(ask(`http://hook.test:${port}/`, ['127.0.0.1'], find), isRefused, 'it is asked anew');
});

/** A name server on the loopback for A records (RFC 1035, section 4); nothing else has an answer. */
async function nameServer(t: TestContext, records: Readonly<Record<string, string[]>>): Promise<string> {
  const server = createSocket('udp4', (query, { port: asker }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const addresses = query.readUInt16BE(at + 1) === 1 ? (records[labels.join('.')] ?? []) : [];
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, addresses.length, 0, 0, 0, 0]);
    const answers = addresses.map((address) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]));
    server.send(Buffer.concat([head, question, ...answers]), asker, '127.0.0.1');
  });
  t.after(() => server.close());
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${server.address().port}`;
}

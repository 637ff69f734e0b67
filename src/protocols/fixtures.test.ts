// Runs every captured exchange: whole, byte by byte, and joined to the next. Knows the protocols only by their list.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Report } from '../kinds/report.ts';
import { readForm } from './form.ts';
import { protocols } from './protocols.ts';
import type { Session, StreamProtocol } from './protocol.ts';

/** An exchange over TCP or UDP; bytes in hexadecimal digits, one entry for each frame. */
interface Exchange {
  source: string;
  transport: 'tcp' | 'udp';
  imei: string;
  device: string[];
  service: string[];
  reports: Report[];
}

interface HttpExchange {
  source: string;
  request: { method: string; query: string; contentType: string; body: string };
  imei: string;
  unknownStatus: number;
  reports: Report[];
}

function load<T>(protocol: string): { name: string; fixture: T }[] {
  const folder = new URL(`${protocol}/fixtures/`, import.meta.url);
  assert.ok(existsSync(folder), `${protocol} has fixtures`);
  const parse = (file: string): T => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T;
  return readdirSync(folder).map((file) => ({ name: `${protocol}/${file}`, fixture: parse(file) }));
}

/** What the service says to a device whose every login is known and whose every report is committed. */
function converse(protocol: StreamProtocol, chunks: Uint8Array[]): { imei: string | null; service: string[]; reports: Report[] } {
  const session: Session = { imei: null };
  const service: string[] = [];
  const reports: Report[] = [];
  let waiting = Buffer.alloc(0);
  for (const chunk of chunks) {
    waiting = Buffer.concat([waiting, chunk]);
    for (let step = protocol.read(waiting, session); step !== null; step = protocol.read(waiting, session)) {
      waiting = waiting.subarray(step.consumed);
      const { message } = step;
      assert.notEqual(message.kind, 'bad', JSON.stringify(message));
      if (message.kind === 'login') {
        session.imei = message.imei;
        service.push(message.accept.toHex());
      }
      if (message.kind === 'reports') {
        reports.push(...message.reports);
        service.push(message.acknowledgement.toHex());
      }
    }
  }
  assert.equal(waiting.length, 0, 'nothing is left over');
  return { imei: session.imei, service, reports };
}

const bytesOf = (hex: string): Uint8Array => Uint8Array.fromHex(hex);

for (const protocol of protocols) {
  const { tcp, udp, http } = protocol;
  if (http !== undefined) {
    for (const { name, fixture } of load<HttpExchange>(protocol.name)) {
      test(`${name}: a request`, () => {
        const { method, query, contentType, body } = fixture.request;
        const packet = http.read({ method, query: readForm(query) ?? new Map(), contentType, body: Buffer.from(body) });
        assert.deepEqual(packet, { kind: 'reports', imei: fixture.imei, reports: fixture.reports, unknownStatus: fixture.unknownStatus });
      });
    }
    continue;
  }
  const exchanges = load<Exchange>(protocol.name);
  for (const { name, fixture } of exchanges.filter((exchange) => exchange.fixture.transport === 'udp')) {
    test(`${name}: a datagram`, () => {
      assert.ok(udp);
      for (const [i, datagram] of fixture.device.entries()) {
        const packet = udp.read(bytesOf(datagram));
        assert.ok(packet.kind === 'reports');
        assert.equal(packet.imei, fixture.imei);
        assert.equal(packet.acknowledgement.toHex(), fixture.service[i]);
        assert.deepEqual(packet.reports, fixture.reports);
      }
    });
  }
  const streams = exchanges.filter((exchange) => exchange.fixture.transport === 'tcp');
  for (const [i, { name, fixture }] of streams.entries()) {
    const { imei, service, reports } = fixture;
    test(`${name}: frame by frame, byte by byte, joined to the next`, () => {
      assert.ok(tcp);
      const expected = { imei, service, reports };
      assert.deepEqual(converse(tcp, fixture.device.map(bytesOf)), expected);
      assert.deepEqual(
        converse(
          tcp,
          [...bytesOf(fixture.device.join(''))].map((byte) => Uint8Array.of(byte)),
        ),
        expected,
      );
      const next = streams[(i + 1) % streams.length]?.fixture;
      assert.ok(next);
      // The next exchange goes on where this one ended, so without its login.
      assert.deepEqual(converse(tcp, [bytesOf([...fixture.device, ...next.device.slice(1)].join(''))]), {
        imei,
        service: [...service, ...next.service.slice(1)],
        reports: [...reports, ...next.reports],
      });
    });
  }
}

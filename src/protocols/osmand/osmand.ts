// Phones: the HTTP forms of OsmAnd and Traccar Client, as a protocol of the house. Any path, GET or POST.
// Source: traccar.org/osmand.
import { describeRejection, Rejection } from '../rejection.ts';
import { readForm } from '../form.ts';
import type { HttpMessage, HttpPacket, Protocol } from '../protocol.ts';
import { readBody } from './json.ts';
import { readParameters } from './query.ts';

const MAX_BODY = 256 * 1024;

function read(message: HttpMessage): HttpPacket {
  try {
    if (message.method !== 'GET' && message.method !== 'POST') {
      return { kind: 'bad', reason: 'syntax', detail: 'only GET and POST are understood', status: 405 };
    }
    const isJson = message.method === 'POST' && message.contentType === 'application/json';
    if (isJson) return { kind: 'reports', ...readBody(readText(message.body)), unknownStatus: 404 };
    return { kind: 'reports', ...readParameters(message.query.size > 0 ? message.query : readFormBody(message)), unknownStatus: 400 };
  } catch (error) {
    return { ...describeRejection(error), status: 400 };
  }
}

/** A POST without parameters in its address has them in its body, whatever media type its sender gave it. */
function readFormBody(message: HttpMessage): ReadonlyMap<string, string> {
  const parameters = readForm(readText(message.body));
  if (parameters === null) throw new Rejection('count', 'too many parameters');
  return parameters;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readText(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new Rejection('syntax', 'the body is not UTF-8');
  }
}

export const osmand: Protocol = {
  name: 'osmand',
  port: 5055,
  http: { maxBody: MAX_BODY, read },
};

// Reads the Authorization header (RFC 9110, section 11.6.2): which scheme, and what it carries. Believes none of it.

/** The parameters of a Digest answer (RFC 7616, section 3.4), shape-checked; text is as it was sent, one character a byte. */
export interface DigestAnswer {
  username: string;
  realm: string;
  nonce: string;
  uri: string;
  response: Buffer;
  cnonce: string;
  /** Eight hexadecimal digits. */
  nc: string;
  algorithm: 'SHA-256' | 'MD5';
  opaque: string | undefined;
}

export type Authorization =
  | { scheme: 'token'; token: string }
  | { scheme: 'basic'; username: string; password: string }
  | { scheme: 'digest'; answer: DigestAnswer };

const MAX_LENGTH = 16_384;

/** Null when the header has another scheme or is malformed. `header`: one character a byte, as Node hands headers over. */
export function readAuthorization(header: string): Authorization | null {
  if (header.length > MAX_LENGTH) return null;
  const [, scheme = '', rest = ''] = /^([A-Za-z-]+) +(.*)$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'x-token':
      return { scheme: 'token', token: rest };
    case 'basic':
      return readBasic(rest);
    case 'digest':
      return readDigest(rest);
    default:
      return null;
  }
}

/** RFC 7617, section 2: the name ends at the first colon. */
function readBasic(text: string): Authorization | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const pair = decodeText(Buffer.from(text, 'base64'));
  const colon = pair.indexOf(':');
  return colon < 1 ? null : { scheme: 'basic', username: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

function readDigest(text: string): Authorization | null {
  const given = readParameters(text);
  if (given === null) return null;
  const username = readUsername(given.get('username'), given.get('username*'));
  const [realm, nonce, uri, cnonce] = ['realm', 'nonce', 'uri', 'cnonce'].map((name) => given.get(name));
  // Without `algorithm` it is MD5. Anything but qop=auth would leave out the client's nonce and the count.
  const algorithm = (given.get('algorithm') ?? 'MD5').toUpperCase();
  const response = given.get('response') ?? '';
  const nc = given.get('nc') ?? '';
  if (username === null || realm === undefined || nonce === undefined || uri === undefined || cnonce === undefined || cnonce === '')
    return null;
  if (algorithm !== 'SHA-256' && algorithm !== 'MD5') return null;
  if (
    given.get('qop')?.toLowerCase() !== 'auth' ||
    !/^[0-9a-f]{8}$/i.test(nc) ||
    (given.get('userhash') ?? 'false').toLowerCase() !== 'false'
  )
    return null;
  if (!/^[0-9a-f]*$/i.test(response) || response.length !== (algorithm === 'MD5' ? 32 : 64)) return null;
  const answer = {
    username,
    realm,
    nonce,
    uri,
    cnonce,
    nc,
    algorithm,
    response: Buffer.from(response, 'hex'),
    opaque: given.get('opaque'),
  } as const;
  return { scheme: 'digest', answer };
}

/** Either the plain form or the extended one (RFC 8187), never both. */
function readUsername(plain: string | undefined, extended: string | undefined): string | null {
  if (extended === undefined) return plain === undefined ? null : decodeText(Buffer.from(plain, 'latin1'));
  const text = /^UTF-8'[A-Za-z0-9-]*'((?:[\w!#$&+.^`|~-]|%[0-9A-Fa-f]{2})*)$/i.exec(extended)?.[1];
  if (plain !== undefined || text === undefined) return null;
  return decodeText(
    Buffer.from(
      text.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    ),
  );
}

/** A list of parameters, names in lower case (RFC 9110, section 11.2). Null when malformed, or when one comes twice. */
export function readParameters(text: string): Map<string, string> | null {
  const parameters = new Map<string, string>();
  const one = /[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([\w!#$%&'*+.^`|~-]+))[ \t]*(,|$)/y;
  for (let end = ','; end === ',';) {
    const found = one.exec(text);
    if (found === null) return null;
    const [, name = '', quoted, token] = found;
    if (parameters.has(name.toLowerCase())) return null;
    parameters.set(name.toLowerCase(), token ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1'));
    end = found[4] ?? '';
  }
  return parameters;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8, as our challenges ask for; what is not UTF-8 comes from a client that still writes ISO 8859-1. */
function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

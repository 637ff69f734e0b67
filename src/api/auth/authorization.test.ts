import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAuthorization, readParameters } from './authorization.ts';

const basic = (bytes: Buffer) => `Basic ${bytes.toString('base64')}`;
const MD5 = '0123456789abcdef0123456789abcdef';
const sent = `username="ada", realm="Waypost", nonce="n", uri="/rest/v2/gateway?a=1,2", cnonce="c", nc=00000001, qop=auth, response="${MD5}"`;

test('schemes are known in any letter case; anything else is nothing', () => {
  assert.deepEqual(readAuthorization('x-TOKEN abc'), { scheme: 'token', token: 'abc' });
  assert.equal(readAuthorization(`dIGEST ${sent}`)?.scheme, 'digest');
  for (const bad of [
    '',
    'X-Token',
    'Bearer abc',
    'Basic',
    'Basic !',
    'Basic YQ==',
    'Digest',
    'Digest x',
    `Basic${' '.repeat(20_000)}YTpi`,
  ]) {
    assert.equal(readAuthorization(bad), null, bad.slice(0, 20));
  }
});

test('a Basic pair is split at its first colon, and read as UTF-8 or else as ISO 8859-1', () => {
  assert.deepEqual(readAuthorization(basic(Buffer.from('ada:a:b'))), { scheme: 'basic', username: 'ada', password: 'a:b' });
  assert.deepEqual(readAuthorization(basic(Buffer.from('ädä:日本'))), { scheme: 'basic', username: 'ädä', password: '日本' });
  assert.deepEqual(readAuthorization(basic(Buffer.from('ädä:pä', 'latin1'))), { scheme: 'basic', username: 'ädä', password: 'pä' });
  assert.equal(readAuthorization(basic(Buffer.from(':x'))), null);
});

test('a Digest answer is read whole, with quoted or bare values', () => {
  const read = readAuthorization(
    `Digest ${sent.replace('nc=00000001', 'nc="0000000a"').replace('qop=auth', 'qop="auth"')}, opaque="o\\"p"`,
  );
  assert.ok(read?.scheme === 'digest');
  const { response, ...rest } = read.answer;
  assert.equal(response.toString('hex'), MD5);
  assert.deepEqual(rest, {
    username: 'ada',
    realm: 'Waypost',
    nonce: 'n',
    uri: '/rest/v2/gateway?a=1,2',
    cnonce: 'c',
    nc: '0000000a',
    algorithm: 'MD5',
    opaque: 'o"p',
  });
});

test('user names beyond ASCII come in UTF-8, ISO 8859-1 or the extended notation', () => {
  const as = (parameter: string) => {
    const read = readAuthorization(`Digest ${sent.replace('username="ada"', parameter)}`);
    return read?.scheme === 'digest' ? read.answer.username : null;
  };
  assert.equal(as(`username="${Buffer.from('Jäsøn').toString('latin1')}"`), 'Jäsøn');
  assert.equal(as('username="Jäsøn"'), 'Jäsøn');
  assert.equal(as("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"), 'Jäsøn Doe');
  assert.equal(as('username="x", username*=UTF-8\'\'x'), null);
  assert.equal(as("username*=UTF-8''%C3%A"), null);
});

test('a Digest answer that lacks or bends anything is refused', () => {
  const changes: [string | RegExp, string][] = [
    [/username="ada", /, ''],
    [/realm="Waypost", /, ''],
    [/nonce="n", /, ''],
    [/uri="[^"]*", /, ''],
    [/cnonce="c", /, ''],
    [/nc=00000001, /, ''],
    [/, response=.*/, ''],
    ['qop=auth', 'qop=auth-int'],
    ['qop=auth, ', ''],
    ['00000001', '1'],
    ['00000001', '0000000g'],
    ['cnonce="c"', 'cnonce=""'],
    [MD5, `${MD5}00`],
    [MD5, 'z'.repeat(32)],
    ['realm=', 'username="eve", realm='],
    ['realm=', 'algorithm=SHA-256, realm='],
    ['realm=', 'algorithm=MD5-sess, realm='],
    ['realm=', 'userhash=true, realm='],
    ['ada"', 'ada'],
    [', realm', ',, realm'],
    [', realm', ' realm'],
  ];
  assert.equal(readAuthorization(`Digest ${sent}`)?.scheme, 'digest');
  for (const [from, to] of changes) assert.equal(readAuthorization(`Digest ${sent.replace(from, to)}`), null, `${from} -> ${to}`);
});

test('reading never throws, and gives back every parameter that was written', () => {
  const noise = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        noise,
        noise.map((text) => `Digest ${text}`),
        noise.map((text) => `${sent}, ${text}`),
      ),
      (text) => {
        readAuthorization(text);
        readAuthorization(`Digest ${text}`);
        readAuthorization(`Basic ${text}`);
      },
    ),
  );
  const name = fc
    .string({ unit: fc.constantFrom(...'abcxyz019*-_'.split('')), minLength: 1, maxLength: 10 })
    .filter((text) => text !== '__proto__');
  const value = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
  fc.assert(
    fc.property(fc.dictionary(name, value, { minKeys: 1 }), (parameters) => {
      const text = Object.entries(parameters)
        .map(([key, given]) => `${key}="${given.replaceAll(/["\\]/g, '\\$&')}"`)
        .join(', ');
      assert.deepEqual(Object.fromEntries(readParameters(text) ?? []), { ...parameters });
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../basics/errors.ts';
import type { Identity } from './authenticate.ts';
import { refuseCrossSite } from './cross-site.ts';

const account = {
  id: 1,
  username: 'ada',
  name: '',
  email: null,
  timezone: 'UTC',
  created_time: 0,
  password_hash: '',
  digest_secret: new Uint8Array(),
  key_hash: null,
  key_hint: null,
};
const cookie: Identity = { account, scheme: 'token', presented: 'cookie', tokenId: 1, token: 't' };
const basic: Identity = { account, scheme: 'basic', presented: null, tokenId: null, token: null };
const host = 'fleet.example:8080';
const OUR_PAGE = { host, origin: 'http://fleet.example:8080', 'sec-fetch-site': 'same-origin' };

const passes = (method: string, headers: Record<string, string>, identity: Identity | null, publicUrl: URL | null = null) => {
  try {
    refuseCrossSite({ method, headers }, identity, publicUrl);
    return true;
  } catch (error) {
    assert.ok(error instanceof Refusal && error.status === 403);
    return false;
  }
};

test('a foreign page cannot change anything with what the browser adds by itself', () => {
  for (const identity of [cookie, basic, { ...basic, scheme: 'digest' as const }, null]) {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      assert.ok(passes(method, OUR_PAGE, identity));
      assert.ok(passes(method, { host }, identity), 'a program, not a browser');
      assert.ok(passes(method, { host, 'sec-fetch-site': 'none' }, identity));
      for (const headers of [
        { host, 'sec-fetch-site': 'cross-site' },
        { host, 'sec-fetch-site': 'same-site', origin: OUR_PAGE.origin },
        { host, origin: 'http://evil.example' },
        { host, origin: 'http://fleet.example' },
        { host, origin: 'null' },
        { host, origin: '' },
        { origin: OUR_PAGE.origin },
      ]) {
        assert.ok(!passes(method, headers, identity), JSON.stringify(headers));
      }
    }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) assert.ok(passes(method, { host, 'sec-fetch-site': 'cross-site' }, identity));
  }
});

test('a token in the header or the address shows that the asker knows it', () => {
  for (const presented of ['header', 'query'] as const) {
    assert.ok(passes('POST', { host, origin: 'http://partner.example', 'sec-fetch-site': 'cross-site' }, { ...cookie, presented }));
  }
});

test('default ports are left out, and the public address counts as our own', () => {
  assert.ok(passes('POST', { host: 'Fleet.Example:443', origin: 'https://fleet.example' }, cookie));
  assert.ok(!passes('POST', { host: '127.0.0.1:8080', origin: 'https://fleet.example' }, cookie));
  assert.ok(passes('POST', { host: '127.0.0.1:8080', origin: 'https://fleet.example' }, cookie, new URL('https://fleet.example/')));
});

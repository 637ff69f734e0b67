// The account, its registration, and its web service key.
import { alterable, kind, link, nullable, optional, required, text, timestamp, writeOnly } from './kind.ts';

const PASSWORD = { min: 8, max: 1024, format: 'password' };

export const account = kind('account', 'The account that is signed in.', {
  url: link('Its own address.'),
  username: text('What it signs in with.'),
  name: alterable(text('What people call it.')),
  email: alterable(nullable(text('Mail address.', { max: 254, format: 'mailbox' }))),
  timezone: required(
    text('IANA name of the time zone that its days are cut in.', { max: 64, format: 'timezone', examples: ['Europe/Vienna'] }),
  ),
  created_ts: timestamp('When it was made.'),
  key_hint: nullable(text('The last four digits of the web service key; null while there is none.')),
  key_url: link('POST here for a new web service key.'),
  signing_secret_url: link('The secret that messages to HTTP targets are signed with.'),
  password: optional(
    writeOnly(alterable(text('A new password, 8 to 1024 characters. Every token of the account dies with the old one.', PASSWORD))),
  ),
  current_password: optional(writeOnly(alterable(text('Needed with a new password.', { max: 1024 })))),
});

export const registration = kind('registration', 'A new account, where the operator lets people make their own.', {
  url: link('Its own address.'),
  username: optional(
    required(text('1 to 64 characters; no colon, quote, backslash, control, and no blank at the ends.', { max: 64, format: 'username' }), {
      unique: true,
      creationOnly: true,
    }),
  ),
  password: optional(writeOnly(required(text('8 to 1024 characters.', PASSWORD), { creationOnly: true }))),
  email: optional(alterable(nullable(text('Mail address.', { max: 254, format: 'mailbox' })), { creationOnly: true })),
  name: optional(alterable(text('What people call it.'), { creationOnly: true })),
  timezone: optional(alterable(text('IANA name. Left out, it is UTC.', { max: 64, format: 'timezone' }), { creationOnly: true })),
});

export const key = kind('key', 'The web service key: 40 hexadecimal digits that can be exchanged for a token.', {
  url: link('Its own address. A POST makes a new key and revokes the old one.'),
  key: optional(text('The new key. It is shown this once: only its hash is kept.', { max: 40 })),
  key_hint: nullable(text('Its last four digits; null while there is none.')),
});

export const signingSecret = kind('signing_secret', 'The secret that messages to HTTP targets are signed with (Standard Webhooks).', {
  url: link('Its own address. A POST makes a new one; messages are signed with it from then on.'),
  secret: text('`whsec_` and 32 bytes as base64.'),
});

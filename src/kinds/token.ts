// Tokens: what a client asks for to get one, and the list of those that are live.
import { alterable, integer, kind, link, list, nullable, object, optional, text, timestamp, truth, writeOnly } from './kind.ts';

export const tokenRequest = kind('token_request', 'What a token is asked for with: a user name and password, or a web service key.', {
  username: optional(writeOnly(alterable(text('User name of the account.', { max: 64 })))),
  password: optional(writeOnly(alterable(text('Its password.', { max: 1024 })))),
  key: optional(writeOnly(alterable(text('The web service key; replaces both.', { max: 40 })))),
  duration: optional(writeOnly(alterable(integer('Life of the token.', { min: 1, max: 86_400, unit: 's' })))),
});

export const token = kind('token', 'A live token, without the token itself: only its hash is kept.', {
  url: link('Its own address. DELETE revokes it.'),
  label: nullable(text('What it was made with.')),
  created_ts: timestamp('When it was made.'),
  expires_ts: timestamp('When it ends.'),
  used_ts: timestamp('Last used, to the minute.'),
  current: truth('The one that this request presented.'),
});

export const tokens = kind('tokens', 'The live tokens of the account.', {
  url: link('Its own address.'),
  tokens: list('All of them, oldest first.', object('A token.', token.schema.properties), { max: Infinity }),
});

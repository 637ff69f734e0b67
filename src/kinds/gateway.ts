// The gateway: where every client starts, and from which all else is reached by links.
import { kind, link, optional, text, truth, type Shown } from './kind.ts';

export const gateway = kind('gateway', 'The way in: follow its links to everything that the account has.', {
  url: link('Its own address.'),
  token: optional(text('The token in use, when it was presented other than by cookie.')),
  token_valid: optional(truth('True after authentication by token.')),
  auth_basic_valid: optional(truth('True after HTTP Basic authentication.')),
  auth_digest_valid: optional(truth('True after HTTP Digest authentication.')),
  token_url: link('POST a token request here.'),
  auth_basic_url: link('Asks for HTTP Basic authentication.'),
  auth_digest_url: link('Asks for HTTP Digest authentication.'),
  tokens_url: link('The live tokens of the account.'),
  account_url: link('The account.'),
  trackers_url: link('The trackers.'),
  live_url: link('Where everything is now, and what changes.'),
  zones_url: link('The zones.'),
  targets_url: link('Where messages go.'),
  events_url: link('What happened.'),
  event_types_url: link('The types of events.'),
  timezone: text('The time zone in use: of `_tz`, else of the account.'),
  timezones_url: link('The time zones to choose from.'),
  sample_url: link('An object to try a client on.'),
  openapi_url: link('This interface, described for machines.'),
});

export type Gateway = Shown<typeof gateway>;

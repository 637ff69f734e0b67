// What every failure but a fault of input answers. Its names begin with an underscore, so none can be mistaken for a property.
import { integer, kind, link, optional, text } from './kind.ts';

export const failure = kind('failure', 'Why a request was not served.', {
  _status: integer('The HTTP status.'),
  _error: text('A short fixed phrase.'),
  _detail: text('A sentence for a person.'),
  _request: optional(text('Names the request in the log of the service.')),
  token_url: optional(link('POST a token request here.')),
  auth_basic_url: optional(link('Asks for HTTP Basic authentication.')),
  auth_digest_url: optional(link('Asks for HTTP Digest authentication.')),
  registration_url: optional(link('Where an account can be made.')),
});

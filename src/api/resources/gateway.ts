// `gateway`: where every client starts.
import { gateway, type Gateway } from '../../kinds/gateway.ts';
import type { Resource } from '../resource.ts';

export const gatewayResource: Resource = {
  path: 'gateway',
  get: {
    kind: gateway,
    async read({ identity, timezone }): Promise<Gateway> {
      return {
        url: 'gateway',
        ...(identity.token !== null && identity.presented !== 'cookie' && { token: identity.token }),
        ...(identity.scheme === 'token' && { token_valid: true }),
        ...(identity.scheme === 'basic' && { auth_basic_valid: true }),
        ...(identity.scheme === 'digest' && { auth_digest_valid: true }),
        token_url: 'token',
        auth_basic_url: 'auth-basic',
        auth_digest_url: 'auth-digest',
        tokens_url: 'tokens',
        account_url: 'account',
        trackers_url: 'trackers',
        live_url: 'live',
        zones_url: 'zones',
        targets_url: 'targets',
        events_url: 'events',
        event_types_url: 'event_types',
        timezone,
        timezones_url: 'timezones',
        sample_url: 'sample',
        openapi_url: 'openapi.json',
      };
    },
  },
};

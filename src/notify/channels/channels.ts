// The channels of all types of target, from what the operator has set.
import type { Clock } from '../../basics/clock.ts';
import { createNameLookup } from '../name-lookup.ts';
import { createGuard, guardedAgent } from '../outbound-guard.ts';
import type { Channels } from './channel.ts';
import { emailChannel, type MailSettings } from './email.ts';
import { httpChannel } from './http.ts';
import { smsChannel, type SmsSettings } from './sms.ts';

export interface ChannelSettings {
  /** Null where the operator has set up none: messages to such targets fail and say so. */
  mail: MailSettings | null;
  sms: SmsSettings | null;
  /** Networks of the operator's own that targets may be in, such as 10.1.0.0/16. */
  targetNetworks: readonly string[];
}

export interface ChannelParts {
  settings: ChannelSettings;
  /** What an account's messages over HTTP are signed with: 32 bytes. */
  secretOf: (accountId: number) => Promise<Uint8Array>;
  clock: Clock;
  version: string;
}

export function createChannels({ settings, secretOf, clock, version }: ChannelParts): Channels {
  const dispatcher = guardedAgent(createGuard(settings.targetNetworks), createNameLookup());
  return {
    email: emailChannel(settings.mail),
    http: httpChannel({ dispatcher, secretOf, clock, version }),
    sms: smsChannel(settings.sms),
  };
}

// The settings of messages as the channels take them. Reads the files that hold secrets.
import { readFileSync } from 'node:fs';
import { Fault } from './basics/errors.ts';
import type { ChannelSettings } from './notify/channels/channels.ts';
import type { ServeSettings } from './settings.ts';

export function channelSettingsOf(settings: ServeSettings): ChannelSettings {
  const { smtpHost, smsUrl, targetNetworks } = settings;
  return {
    mail:
      smtpHost === null
        ? null
        : {
            host: smtpHost,
            port: settings.smtpPort,
            security: settings.smtpSecurity,
            user: settings.smtpUser,
            password: settings.smtpPasswordFile === null ? null : read(settings.smtpPasswordFile, 'smtp-password-file').trimEnd(),
            from: settings.mailFrom,
          },
    sms:
      smsUrl === null
        ? null
        : {
            url: smsUrl,
            method: settings.smsMethod,
            contentType: settings.smsContentType,
            body: settings.smsBody,
            headers: settings.smsHeadersFile === null ? {} : headersOf(settings.smsHeadersFile),
          },
    targetNetworks,
  };
}

function read(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Fault(`the file of --${name} cannot be read: ${(error as Error).message}`, false);
  }
}

function headersOf(file: string): Record<string, string> {
  const problem = new Fault(
    'the file of --sms-headers-file must hold one JSON object of texts, such as {"authorization": "Bearer ..."}',
    false,
  );
  let content: unknown;
  try {
    content = JSON.parse(read(file, 'sms-headers-file'));
  } catch (error) {
    throw error instanceof Fault ? error : problem;
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw problem;
  if (!Object.values(content).every((value) => typeof value === 'string')) throw problem;
  return content as Record<string, string>;
}

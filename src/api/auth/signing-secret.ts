// The secret that an account's messages to HTTP targets are signed with: made when it is first needed, kept sealed.
import { randomBytes } from 'node:crypto';
import type { Storage } from '../../storage/storage.ts';
import type { SecretBox } from './secret-box.ts';

const BYTES = 32;

export interface SigningSecrets {
  /** 32 bytes. */
  of(accountId: number): Promise<Uint8Array>;
  /** Makes a new one: it is what signs from here on. */
  replace(accountId: number): Promise<void>;
}

export function createSigningSecrets(storage: Pick<Storage, 'accounts'>, box: SecretBox): SigningSecrets {
  const context = (accountId: number): string => `signing secret ${accountId}`;
  const fresh = (accountId: number): Uint8Array => box.seal(randomBytes(BYTES), context(accountId));
  return {
    async of(accountId) {
      const sealed =
        (await storage.accounts.storedSigningSecret(accountId)) ?? (await storage.accounts.signingSecret(accountId, fresh(accountId)));
      return box.open(sealed, context(accountId));
    },
    async replace(accountId) {
      await storage.accounts.replaceSigningSecret(accountId, fresh(accountId));
    },
  };
}

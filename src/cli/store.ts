// The storage as a command uses it, beside a running server or without one.
import { existsSync } from 'node:fs';
import { openSecretBox, type SecretBox } from '../api/auth/secret-box.ts';
import { Refusal } from '../basics/errors.ts';
import { operations, type Store } from '../operations.ts';
import { databaseFile, openStorage } from '../storage/open.ts';
import type { AccountRow } from '../storage/storage.ts';

/** `make`: the folder may be new; else a folder without a database is taken for a slip of the hand. */
export async function withStorage<R>(settings: { data: string }, work: (storage: Store) => Promise<R>, make = false): Promise<R> {
  if (!make && !existsSync(databaseFile(settings.data)))
    throw new Refusal(404, `there is no database in ${settings.data}; say where with --data`);
  const { storage, close } = await openStorage(settings.data, operations);
  try {
    return await work(storage);
  } finally {
    await close();
  }
}

export const secretBoxOf = ({ secretKeyFile }: { secretKeyFile: string }): SecretBox => openSecretBox(secretKeyFile);

export async function accountNamed(storage: Store, username: string): Promise<AccountRow> {
  const account = await storage.accounts.byName(username);
  if (account === undefined) throw new Refusal(404, `there is no account "${username}"; "waypost account list" shows those there are`);
  return account;
}

/** One line of JSON for programs, or the sentence for people. */
export const tell = (json: boolean, object: unknown, sentence: string): void => console.log(json ? JSON.stringify(object) : sentence);

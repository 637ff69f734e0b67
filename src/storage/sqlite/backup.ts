// A copy of a database at one moment, compact and checked. Writers go on meanwhile (SQLite, "VACUUM INTO").
import { chmodSync } from 'node:fs';
import { Fault } from '../../basics/errors.ts';
import { openConnection } from './connection.ts';

/** `to` must not exist yet. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = openConnection(from, { readOnly: true });
  try {
    await source.run('vacuum into $1', to);
  } finally {
    source.close();
  }
  chmodSync(to, 0o600);
  const copy = openConnection(to, { readOnly: true });
  try {
    const found = await copy.get<{ integrity_check: string }>('pragma integrity_check');
    if (found?.integrity_check !== 'ok') throw new Fault(`the copy is damaged: ${found?.integrity_check ?? 'no answer'}`, false);
  } finally {
    copy.close();
  }
}

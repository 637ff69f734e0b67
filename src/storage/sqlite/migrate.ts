// Brings a database to the schema that this program knows, one numbered step after the other, each in a transaction of its own.
import type { Connection } from './connection.ts';
import { Fault } from '../../basics/errors.ts';
import { statements as foundation } from './migrations/0001-foundation.ts';
import { statements as derivation } from './migrations/0002-derivation.ts';

const MIGRATIONS: readonly (readonly string[])[] = [foundation, derivation];

export async function migrate(connection: Connection): Promise<void> {
  const version = async () => (await connection.get<{ user_version: number }>('pragma user_version'))?.user_version ?? 0;
  // Read inside the transaction: two processes that start together do not both apply a step.
  for (let done = false; !done;) {
    done = await connection.transaction(async () => {
      const at = await version();
      if (at > MIGRATIONS.length)
        throw new Fault(
          `The database has schema ${at}, this program knows ${MIGRATIONS.length}: it was written by a newer Waypost. Upgrade this one.`,
          false,
        );
      const step = MIGRATIONS[at];
      if (step === undefined) return true;
      for (const statement of step) connection.exec(statement);
      connection.exec(`pragma user_version = ${at + 1}`);
      return false;
    });
  }
}

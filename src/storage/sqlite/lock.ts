// One service on a data folder at a time: a lock that the operating system lets go of when its holder ends, however it ends.
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../basics/errors.ts';

/** SQLite's result codes for a database that another process holds. */
const HELD = new Set([5, 6]);

/** Holds `file` until the function that it returns is called. Throws a Fault when another process holds it. */
export function holdLock(file: string, sentence: string): () => void {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw new Fault(`${file} cannot be made; look at the folder and whose it is`, false, { cause: error });
  }
  try {
    // An exclusive transaction that is never written: nothing but its lock is wanted.
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (HELD.has((error as { errcode?: number }).errcode ?? 0)) throw new Fault(sentence, false, { cause: error });
    throw error;
  }
  return () => database.close();
}

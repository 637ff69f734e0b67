// The limit of intake: `node bench/bare-loop.ts FROM TO SINCE ROWS` inserts the positions of the database FROM, in the order in which they
// came, into a new one at TO with the same table, durably, in commits of ROWS. Only those from the time SINCE (ms) on are timed: the
// others came first, and warm up both. Prints one JSON line.
import { DatabaseSync } from 'node:sqlite';

export interface BareResult {
  /** Positions. */
  perSecond: number;
  /** Mean of what a commit waits for the disk. */
  commitMs: number;
}

const [from = '', to = '', since = '', rowsText = ''] = process.argv.slice(2);
const rowsOfCommit = Number(rowsText);
if (!(rowsOfCommit >= 1)) throw new Error('usage: node bench/bare-loop.ts FROM TO SINCE ROWS');

const source = new DatabaseSync(from, { readOnly: true });
const definitions = source.prepare(`select sql from sqlite_schema where tbl_name = 'positions' and sql is not null`).all();
const columns = source.prepare(`select name from pragma_table_info('positions')`).all();
const read = (which: string): (string | number | null)[][] => {
  const statement = source.prepare(`select * from positions where time ${which} ? order by recv_time, tracker_id, time`);
  statement.setReturnArrays(true);
  return statement.all(Number(since)) as unknown as (string | number | null)[][];
};
const [early, timed] = [read('<'), read('>=')];
source.close();

// As src/storage/sqlite/connection.ts sets them.
const target = new DatabaseSync(to);
target.exec('pragma cache_size = -65536; pragma temp_store = memory; pragma journal_mode = wal; pragma synchronous = full');
target.exec('pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864');
for (const { sql } of definitions) target.exec(sql as string);
const insert = target.prepare(`insert into positions values (${columns.map(() => '?').join(', ')})`);

/** Seconds that all commits together waited for the disk. */
function insertAll(rows: readonly (string | number | null)[][]): number {
  let waited = 0;
  for (let at = 0; at < rows.length;) {
    target.exec('begin immediate');
    for (const end = Math.min(rows.length, at + rowsOfCommit); at < end; at++) insert.run(...(rows[at] ?? []));
    const full = performance.now();
    target.exec('commit');
    waited += (performance.now() - full) / 1000;
  }
  return waited;
}

insertAll(early);
const began = performance.now();
const waited = insertAll(timed);
const seconds = (performance.now() - began) / 1000;
target.close();
const result: BareResult = {
  perSecond: Math.round(timed.length / seconds),
  commitMs: (waited * 1000) / Math.ceil(timed.length / rowsOfCommit),
};
process.stdout.write(`${JSON.stringify(result)}\n`);

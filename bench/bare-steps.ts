// The limits of a rebuild: `node bench/bare-steps.ts DATABASE` reads all positions and does nothing with them, and steps the state machines
// through them without storing anything. Prints, as JSON, how many positions a second each does.
import { DatabaseSync } from 'node:sqlite';
import type { Fix } from '../src/pipeline/fix.ts';
import { readFixes } from '../src/pipeline/fixes.ts';
import { newMachine, step } from '../src/pipeline/machine.ts';
import { newOutcome } from '../src/pipeline/outcome.ts';
import { openConnection } from '../src/storage/sqlite/connection.ts';
import { deriving } from './data.ts';

export interface BareSteps {
  read: number;
  step: number;
}

const [file = ''] = process.argv.slice(2);
const database = new DatabaseSync(file, { readOnly: true });
const trackers = database.prepare('select distinct tracker_id as id from positions').all() as { id: number }[];
// What the machines look at.
const rows = database.prepare(
  `select time, digest, recv_time, valid, latitude, longitude, speed, accuracy, ignition, battery_level, power, alarms
   from positions where tracker_id = ? order by time, digest`,
);
rows.setReturnArrays(true);
let count = 0;
const readAll = (): void => {
  count = 0;
  for (const { id } of trackers) count += rows.all(id).length;
};
// The first time reads from the disk.
readAll();
const beganToRead = performance.now();
readAll();
const read = count / ((performance.now() - beganToRead) / 1000);

const connection = openConnection(file, { readOnly: true });
let seconds = 0;
for (const { id } of trackers) {
  const fixes: Fix[] = [];
  for await (const fix of readFixes(connection, id, -Infinity, [Number.MAX_SAFE_INTEGER, 0])) fixes.push(fix);
  const machine = newMachine();
  const began = performance.now();
  // What is found is thrown away from time to time, as after a commit.
  for (let at = 0; at < fixes.length; at += 1000) {
    const outcome = newOutcome();
    for (const fix of fixes.slice(at, at + 1000))
      await step(machine, fix, { thresholds: deriving.thresholds, limits: [], zones: null }, outcome);
  }
  seconds += (performance.now() - began) / 1000;
}
const result: BareSteps = { read: Math.round(read), step: Math.round(count / seconds) };
process.stdout.write(`${JSON.stringify(result)}\n`);

// `waypost import`: recorded files into the record of a tracker, along the same path as any device's reports.
import { createReadStream, openSync, readSync, closeSync, statSync } from 'node:fs';
import { createGunzip, gunzipSync, constants } from 'node:zlib';
import { Option, type Command } from 'commander';
import { Refusal } from '../basics/errors.ts';
import { derivingOf } from '../deriving.ts';
import type { Report } from '../kinds/report.ts';
import { createAcceptance, type Acceptance } from '../pipeline/accept.ts';
import { derivationSettings, storeSettings } from '../settings.ts';
import { speedUnits, type SpeedUnit } from './import/csv.ts';
import { detectFormat, importFormats, readFormat, type ImportFormat } from './import/format.ts';
import { Unreadable } from './import/reading.ts';
import { WrongUsage } from './failure.ts';
import { addSettings, settingsOf } from './options.ts';
import { deriveRest } from './rebuild.ts';
import { accountNamed, tell, withStorage } from './store.ts';
import { startProgress } from './terminal.ts';

interface Flags {
  json?: true;
  account?: string;
  imei: string;
  format?: ImportFormat;
  speedUnit?: SpeedUnit;
  timezone?: string;
  dateOrder?: 'day first' | 'month first';
}

/** Reports of one commit: small enough that a running server's devices hardly wait. */
const COMMIT = 1000;
/** Lines about what was left out that are shown of one file. */
const SHOWN = 5;

interface Outcome {
  file: string;
  format: ImportFormat;
  /** Reports read, of these stored now and there before, and parts of the file that gave none. */
  read: number;
  stored: number;
  known: number;
  skipped: number;
}

export function registerImport(program: Command): void {
  const command = addSettings(program.command('import <files...>').description('read GPX, CSV and NMEA files (.gz too) into a tracker'), {
    ...storeSettings,
    ...derivationSettings,
  })
    .requiredOption('--imei <imei>', 'the tracker')
    .option('--account <username>', "make sure that it is this account's")
    .addOption(new Option('--format <format>', 'what the files are (default: found out)').choices(importFormats))
    .addOption(new Option('--speed-unit <unit>', 'unit of a CSV column that is just called speed').choices(Object.keys(speedUnits)))
    .option('--timezone <name>', 'IANA time zone of times in a CSV that name none (default: UTC)')
    .addOption(new Option('--date-order <order>', 'of dates such as 03/04/2026 in a CSV').choices(['day first', 'month first']))
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'after',
      '\nReading a file again with the same options changes nothing: a report that is stored already is the same report.',
    );
  command.action(async (files: string[]) => {
    const flags = command.opts<Flags>();
    const settings = settingsOf(command, { ...storeSettings, ...derivationSettings });
    await withStorage(settings, async (storage) => {
      const tracker = await storage.trackers.byImei(flags.imei);
      if (tracker === undefined) throw new Refusal(404, `there is no tracker with IMEI ${flags.imei}; "waypost tracker add" adds it`);
      if (
        flags.account !== undefined &&
        (await storage.trackers.view((await accountNamed(storage, flags.account)).id, flags.imei)) === undefined
      )
        throw new Refusal(404, `the tracker ${flags.imei} is not of the account "${flags.account}"`);
      let stored = 0;
      const acceptance = createAcceptance({
        // What history means is found out at the end, and told to nobody.
        commit: (batch) => storage.pipeline.commit(batch, null),
        clock: Date.now,
        commitRows: COMMIT,
        waitingRows: 10 * COMMIT,
        committed: ({ inserted }) => void (stored += inserted),
      });
      const outcomes: Outcome[] = [];
      for (const file of files) {
        stored = 0;
        const { read, skipped, format } = await importFile(file, flags, tracker.id, acceptance);
        outcomes.push({ file, format, read, stored, known: read - stored, skipped });
      }
      const waiting = await storage.positions.count(tracker.id);
      const progress = startProgress('trips and events', waiting, 'positions');
      const { positions } = await deriveRest(storage, tracker.id, derivingOf(settings), progress.reach);
      progress.end(`${positions} positions derived`);
      const lines = outcomes.map(
        (of) => `${of.file}: ${of.stored} positions stored, ${of.known} were there already, ${of.skipped} left out`,
      );
      tell(flags.json ?? false, outcomes, lines.join('\n'));
    });
  });
}

async function importFile(
  file: string,
  flags: Flags,
  trackerId: number,
  acceptance: Acceptance,
): Promise<{ read: number; skipped: number; format: ImportFormat }> {
  const size = sizeOf(file);
  const { first, packed } = beginningOf(file);
  const format = flags.format ?? detectFormat(file, first);
  if (format === null) throw new WrongUsage([`it cannot be told what ${file} is; say so with --format ${importFormats.join('|')}`]);
  const progress = startProgress(file, size, 'bytes');
  const raw = createReadStream(file);
  const bytes = packed ? raw.pipe(createGunzip()) : raw;
  // A broken archive or disk ends the reading with its error, not the process.
  raw.on('error', (error) => bytes.destroy(error));

  let read = 0;
  let skipped = 0;
  let batch: Report[] = [];
  const commit = async (): Promise<void> => {
    if (batch.length > 0 && (await acceptance.accept(trackerId, batch)) === 'gone')
      throw new Refusal(404, 'the tracker was removed meanwhile');
    read += batch.length;
    batch = [];
    progress.reach(raw.bytesRead);
  };
  try {
    const { speedUnit, timezone: timeZone, dateOrder } = flags;
    const options = { ...(speedUnit && { speedUnit }), ...(timeZone && { timeZone }), ...(dateOrder && { dateOrder }) };
    for await (const item of readFormat(format, bytes, options)) {
      if ('skipped' in item) {
        if (++skipped <= SHOWN) console.error(`${file}, line ${item.line}: left out: ${item.skipped}`);
        else if (skipped === SHOWN + 1) console.error(`${file}: more is left out; it is counted`);
        continue;
      }
      batch.push(item);
      if (batch.length >= COMMIT) await commit();
    }
    await commit();
  } catch (error) {
    // What was sound before the break is kept: reading the mended file again adds the rest.
    if (error instanceof Unreadable) await commit();
    progress.end(read === 0 ? 'nothing is stored' : `broken off after ${read} positions, which are stored`);
    if (error instanceof Unreadable) throw new Refusal(400, `${file} cannot be read: ${error.message}`);
    throw error;
  }
  progress.end(`${read} positions read as ${format}`);
  return { read, skipped, format };
}

function sizeOf(file: string): number {
  const found = statSync(file);
  if (!found.isFile()) throw new WrongUsage([`${file} is no file`]);
  return found.size;
}

/** The first kilobytes, unpacked. */
function beginningOf(file: string): { first: Uint8Array; packed: boolean } {
  const bytes = Buffer.alloc(16_384);
  const handle = openSync(file, 'r');
  const length = readSync(handle, bytes);
  closeSync(handle);
  const start = bytes.subarray(0, length);
  const packed = start[0] === 0x1f && start[1] === 0x8b;
  return { first: packed ? gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 1 << 20 }) : start, packed };
}

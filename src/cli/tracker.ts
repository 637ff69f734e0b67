// `waypost tracker add|list|remove`.
import type { Command } from 'commander';
import { checkDigit, isImei } from '../basics/imei.ts';
import { Refusal } from '../basics/errors.ts';
import { readAll } from '../basics/slices.ts';
import { checkCreation } from '../kinds/input.ts';
import { tracker as trackerKind } from '../kinds/tracker.ts';
import { storeSettings } from '../settings.ts';
import type { TrackerView } from '../storage/storage.ts';
import { WrongUsage } from './failure.ts';
import { addSettings, settingsOf } from './options.ts';
import { accountNamed, tell, withStorage } from './store.ts';
import { table } from './terminal.ts';

export function registerTracker(program: Command): void {
  const tracker = program.command('tracker').description('add, list and remove trackers, and list devices that nobody has');
  registerAdd(tracker);
  registerList(tracker);
  registerRemove(tracker);
}

const subcommand = (tracker: Command, usage: string, description: string): Command =>
  addSettings(tracker.command(usage).description(description), storeSettings).option('--json', 'print JSON, for programs');

interface Flags {
  json?: true;
  account?: string;
  imei: string;
  name?: string;
  model?: string;
  unknown?: true;
  yes?: true;
}

function registerAdd(tracker: Command): void {
  const command = subcommand(tracker, 'add', 'add a tracker to an account; its device is let in from then on')
    .requiredOption('--account <username>', 'whose it is')
    .requiredOption('--imei <imei>', '15 digits; printed on the device')
    .option('--name <name>', 'what people call it (default: the IMEI)')
    .option('--model <model>', 'make and model');
  command.action(async () => {
    const { json = false, account = '', imei, name = imei, model = null } = command.opts<Flags>();
    if (!isImei(imei)) throw new WrongUsage([imeiProblem(imei)]);
    const { faults } = checkCreation(trackerKind, { imei, name, model });
    if (faults !== null)
      throw new WrongUsage(Object.keys(faults).map((property) => `--${property} takes at most 100 characters that can be shown`));
    await withStorage(settingsOf(command, storeSettings), async (storage) => {
      const { id } = await accountNamed(storage, account);
      const made = await storage.trackers.create({ accountId: id, imei, name, model, now: Date.now() });
      if (made === null) throw new Refusal(409, `there is a tracker with IMEI ${imei} already`);
    });
    tell(json, { imei, name, model, account }, `Tracker "${name}" (${imei}) is added to "${account}".`);
  });
}

function imeiProblem(imei: string): string {
  if (!/^\d{15}$/.test(imei)) return `"${imei}" is no IMEI: it has 15 digits`;
  return `"${imei}" is no IMEI: after ${imei.slice(0, 14)} the check digit is ${checkDigit(imei.slice(0, 14))}, not ${imei[14] ?? ''}`;
}

const moment = (time: number | null): string => (time === null ? 'never' : `${new Date(time).toISOString().slice(0, 19)}Z`);

function registerList(tracker: Command): void {
  const command = subcommand(tracker, 'list', 'list the trackers of an account, or of all')
    .option('--account <username>', 'only those of this account')
    .option('--unknown', "instead, the devices that called and are no account's, last seen first");
  command.action(async () => {
    const { json = false, account, unknown = false } = command.opts<Flags>();
    await withStorage(settingsOf(command, storeSettings), async (storage) => {
      if (unknown) {
        const devices = (await storage.unknownDevices.list()).map(({ first_time, last_time, ...rest }) => ({
          ...rest,
          first_ts: Math.floor(first_time / 1000),
          last_ts: Math.floor(last_time / 1000),
        }));
        const lines = devices.map((device) => [
          device.imei,
          device.protocol,
          device.address,
          String(device.count),
          moment(device.first_ts * 1000),
          moment(device.last_ts * 1000),
        ]);
        return console.log(
          json
            ? JSON.stringify(devices)
            : devices.length === 0
              ? 'No unknown device has called.'
              : table(['imei', 'protocol', 'from', 'times', 'first seen', 'last seen'], lines),
        );
      }
      const accounts = account === undefined ? await storage.accounts.list() : [await accountNamed(storage, account)];
      const rows = (
        await Promise.all(
          accounts.map(async ({ id, username }) =>
            (await readAll<TrackerView>((last, limit) => storage.trackers.list(id, last?.imei ?? '', limit))).map((view) => ({
              account: username,
              view,
            })),
          ),
        )
      ).flat();
      const shown = rows.map(({ account: owner, view }) => ({
        account: owner,
        imei: view.imei,
        name: view.name,
        model: view.model,
        comm_ts: view.comm_time === null ? null : Math.floor(view.comm_time / 1000),
        pos_ts: view.pos_time === null ? null : Math.floor(view.pos_time / 1000),
      }));
      const lines = rows.map(({ account: owner, view }) => [
        owner,
        view.imei,
        view.name,
        view.model ?? '',
        moment(view.comm_time),
        moment(view.pos_time),
      ]);
      return console.log(
        json
          ? JSON.stringify(shown)
          : rows.length === 0
            ? 'No trackers yet. "waypost tracker add" adds one.'
            : table(['account', 'imei', 'name', 'model', 'last heard', 'last position'], lines),
      );
    });
  });
}

function registerRemove(tracker: Command): void {
  const command = subcommand(tracker, 'remove', 'remove a tracker with all its positions')
    .requiredOption('--imei <imei>', 'which')
    .option('--yes', 'really');
  command.action(async () => {
    const { json = false, imei, yes = false } = command.opts<Flags>();
    if (!yes) throw new WrongUsage([`this removes the tracker ${imei} and all its positions for good; add --yes if that is meant`]);
    await withStorage(settingsOf(command, storeSettings), async (storage) => {
      const found = await storage.trackers.byImei(imei);
      if (found === undefined) throw new Refusal(404, `there is no tracker with IMEI ${imei}`);
      await storage.trackers.remove(found.account_id, found.id);
    });
    tell(json, { imei }, `Tracker ${imei} is removed; a running server deletes its positions in the background.`);
  });
}

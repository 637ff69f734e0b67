// `waypost account add|list|password|key|remove`.
import type { Command } from 'commander';
import { passwordColumns } from '../api/auth/auth.ts';
import { createHasher, isPassword } from '../api/auth/password.ts';
import { makeKey } from '../api/auth/tokens.ts';
import { Refusal } from '../basics/errors.ts';
import { isEmail, isTimeZone, isUsername } from '../kinds/format.ts';
import { storeSettings } from '../settings.ts';
import { WrongUsage } from './failure.ts';
import { addSettings, settingsOf } from './options.ts';
import { accountNamed, secretBoxOf, tell, withStorage } from './store.ts';
import { readNewPassword, table } from './terminal.ts';

export function registerAccount(program: Command): void {
  const account = program.command('account').description('add, list, change and remove accounts');
  registerAdd(account);
  registerList(account);
  registerPassword(account);
  registerKey(account);
  registerRemove(account);
}

const subcommand = (account: Command, usage: string, description: string): Command =>
  addSettings(account.command(usage).description(description), storeSettings).option('--json', 'print JSON, for programs');

interface Flags {
  json?: true;
  passwordStdin?: true;
  email?: string;
  timezone?: string;
  displayName?: string;
  yes?: true;
}

function registerAdd(account: Command): void {
  const command = subcommand(account, 'add <username>', 'add an account and print its web service key')
    .option('--email <address>', 'mail address')
    .option('--timezone <name>', 'IANA time zone that its days are cut in (default: UTC)')
    .option('--display-name <name>', 'what people call it (default: the user name)')
    .option('--password-stdin', 'read the password from the first line of standard input; else it is asked for');
  command.action(async (username: string) => {
    const { json = false, passwordStdin = false, email = null, timezone = 'UTC', displayName = username } = command.opts<Flags>();
    const problems = [
      isUsername(username)
        ? ''
        : `"${username}" cannot be a user name: 1 to 64 characters; no colon, quote, backslash or control, no blank at the ends`,
      email === null || isEmail(email) ? '' : `"${email}" is no mail address`,
      isTimeZone(timezone) ? '' : `"${timezone}" is no time zone; give an IANA name such as Europe/Vienna`,
    ].filter(Boolean);
    if (problems.length > 0) throw new WrongUsage(problems);
    const settings = settingsOf(command, storeSettings);
    const password = checked(await readNewPassword(passwordStdin));
    const columns = await passwordColumns(username, password, createHasher(), secretBoxOf(settings));
    const { key, ...hashed } = makeKey();
    const row = { username, name: displayName, email, timezone, created_time: Date.now(), ...columns, ...hashed };
    const id = await withStorage(settings, (storage) => storage.accounts.create(row), true);
    if (id === null) throw new Refusal(409, `there is an account "${username}" already`);
    tell(json, { username, key }, `Account "${username}" added.\nIts web service key, shown this once: ${key}`);
  });
}

function checked(password: string): string {
  if (!isPassword(password)) throw new WrongUsage(['the password must have 8 to 1024 characters and no control characters']);
  return password;
}

function registerList(account: Command): void {
  const command = subcommand(account, 'list', 'list the accounts');
  command.action(async () => {
    const rows = await withStorage(settingsOf(command, storeSettings), (storage) => storage.accounts.list());
    const shown = rows.map(({ username, name, email, timezone, created_time, trackers }) => ({
      username,
      name,
      email,
      timezone,
      created_ts: Math.floor(created_time / 1000),
      trackers,
    }));
    if (command.opts<Flags>().json) return console.log(JSON.stringify(shown));
    const lines = shown.map((row) => [
      row.username,
      row.name,
      row.email ?? '',
      row.timezone,
      new Date(row.created_ts * 1000).toISOString().slice(0, 10),
      String(row.trackers),
    ]);
    return console.log(
      rows.length === 0
        ? 'No accounts yet. "waypost account add NAME" makes one.'
        : table(['user name', 'name', 'email', 'time zone', 'since', 'trackers'], lines),
    );
  });
}

function registerPassword(account: Command): void {
  const command = subcommand(account, 'password <username>', 'set a new password; every token of the account dies with the old one').option(
    '--password-stdin',
    'read the password from the first line of standard input; else it is asked for',
  );
  command.action(async (username: string) => {
    const { json = false, passwordStdin = false } = command.opts<Flags>();
    const settings = settingsOf(command, storeSettings);
    await withStorage(settings, async (storage) => {
      const { id } = await accountNamed(storage, username);
      const made = await passwordColumns(username, checked(await readNewPassword(passwordStdin)), createHasher(), secretBoxOf(settings));
      await storage.accounts.setPassword(id, made);
    });
    tell(json, { username }, `The password of "${username}" is changed, and its tokens are revoked.`);
  });
}

function registerKey(account: Command): void {
  const command = subcommand(account, 'key <username>', 'make a new web service key; the old one is worth nothing from then on');
  command.action(async (username: string) => {
    const { key, key_hash, key_hint } = makeKey();
    await withStorage(settingsOf(command, storeSettings), async (storage) => {
      const { id } = await accountNamed(storage, username);
      await storage.accounts.setKey(id, key_hash, key_hint);
    });
    tell(command.opts<Flags>().json ?? false, { username, key }, `The new web service key of "${username}", shown this once: ${key}`);
  });
}

function registerRemove(account: Command): void {
  const command = subcommand(account, 'remove <username>', 'remove an account with its trackers and all their data').option(
    '--yes',
    'really',
  );
  command.action(async (username: string) => {
    const { json = false, yes = false } = command.opts<Flags>();
    if (!yes)
      throw new WrongUsage([`this removes "${username}", its trackers and all their positions for good; add --yes if that is meant`]);
    await withStorage(settingsOf(command, storeSettings), async (storage) => {
      const { id } = await accountNamed(storage, username);
      await storage.accounts.remove(id);
    });
    tell(json, { username }, `Account "${username}" is removed.`);
  });
}

// Arguments -> one command. Knows the names of the commands and how they end, not what they do.
import { Command, CommanderError } from 'commander';
import { explain } from './cli/failure.ts';
import { version } from './version.ts';

/** Each loads its own file, so that no command waits for what only another one needs. */
const commands: Readonly<Record<string, (program: Command) => Promise<void>>> = {
  serve: async (program) => (await import('./cli/serve.ts')).registerServe(program),
  demo: async (program) => (await import('./cli/demo.ts')).registerDemo(program),
  account: async (program) => (await import('./cli/account.ts')).registerAccount(program),
  tracker: async (program) => (await import('./cli/tracker.ts')).registerTracker(program),
  import: async (program) => (await import('./cli/import.ts')).registerImport(program),
  rebuild: async (program) => (await import('./cli/rebuild.ts')).registerRebuild(program),
  backup: async (program) => (await import('./cli/backup.ts')).registerBackup(program),
};

const examples = `
Examples:
  waypost demo                                        a service with a simulated fleet, to look around
  waypost serve --data /var/lib/waypost               the service itself
  waypost account add anna --data /var/lib/waypost    an account; its password is asked for
  waypost tracker add --account anna --imei 356307042441013 --name "Van 3" --data /var/lib/waypost
  waypost import --account anna --imei 356307042441013 --data /var/lib/waypost ride.gpx

Settings come from flags, then from WAYPOST_... variables, then from the file that --config names.
Exit codes: 0 done, 1 failed, 2 wrongly called, 3 no such thing or a name in use.`;

async function run(words: readonly string[]): Promise<void> {
  const program = new Command('waypost')
    .description('Takes in what GPS trackers send, keeps it safe, and gives every account its own data back.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError('(add --help to see what there is)')
    .exitOverride();
  const [first = ''] = words;
  const wanted = Object.hasOwn(commands, first) ? commands[first] : undefined;
  for (const register of wanted === undefined ? Object.values(commands) : [wanted]) await register(program);
  await program.parseAsync(words, { from: 'user' });
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof CommanderError) {
    // It has been told already, by commander itself.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    const { text, code } = explain(error);
    console.error(text);
    process.exitCode = code;
  }
}

// Settings as options of a command, and their values from flags, environment and file together. Knows no setting by name.
import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { flagName, variableName } from '../setting.ts';
import { configVariable, readSettings, type Settings, type Sources, type Values } from '../settings.ts';
import { WrongUsage } from './failure.ts';

const maxFileBytes = 1_048_576;

/** Gives `command` an option for each setting, and `--config`. */
export function addSettings(command: Command, definitions: Settings): Command {
  for (const [name, { kind, help, shown }] of Object.entries(definitions)) {
    command.option(`--${flagName(name)} <${kind.placeholder}>`, `${help} (default: ${shown}) [${variableName(name)}]`);
  }
  return command.option('--config <path>', `a JSON file with settings, by the names of their flags [${configVariable}]`);
}

/** The values of the settings that `command` was given with `addSettings`. Throws WrongUsage with all that is wrong. */
export function settingsOf<D extends Settings>(command: Command, definitions: D): Values<D> {
  const flags = command.opts<Record<string, unknown>>();
  const config = flags['config'] ?? process.env[configVariable];
  const file = typeof config === 'string' && config !== '' ? readConfig(config) : null;
  const outcome = readSettings(definitions, { flags, env: process.env, file });
  if ('problems' in outcome) throw new WrongUsage(outcome.problems);
  return outcome.values;
}

function readConfig(path: string): Sources['file'] {
  try {
    if (statSync(path).size > maxFileBytes) throw new WrongUsage([`the file of settings ${path} is larger than ${maxFileBytes} bytes`]);
    return { path, content: JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) throw new WrongUsage([`the file of settings ${path} is not JSON: ${error.message}`]);
    throw error;
  }
}

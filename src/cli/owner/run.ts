import { parseArgs } from 'node:util';

import { OwnerApi } from './api.js';
import { bin, restore } from './bin.js';
import type { Invocation, OwnerCommand } from './command.js';
import { NotLoggedInError } from './errors.js';
import { completionCommand } from './completion.js';
import { explain } from './explain.js';
import { events, listen } from './events.js';
import { fault } from './fault.js';
import { login, logout } from './login.js';
import { LoginFile, loginPath } from './loginFile.js';
import { keys, quota, statement, wallet } from './money.js';
import { Output } from './output.js';
import { play, token, video, videos } from './videos.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usageError.js';

/** The commands for owners, in the order of the help. */
export const OWNER_COMMANDS: readonly OwnerCommand[] = [
  login,
  logout,
  videos,
  video,
  token,
  play,
  bin,
  restore,
  wallet,
  statement,
  keys,
  quota,
  explain,
  events,
  listen,
  fault,
  completionCommand(() => OWNER_COMMANDS),
];

/** The owner's command that `args` begin with. `dhara keys` is the owner's; `dhara keys rotate` is the operator's. */
export function ownerCommand(args: readonly string[]): OwnerCommand | undefined {
  const [name, next] = args;
  if (name === 'keys' && next !== undefined && !next.startsWith('-')) return undefined;
  return OWNER_COMMANDS.find((command) => command.name === name);
}

/** Runs a command for an owner. @throws UsageError, NotLoggedInError, ServiceError, InterruptedError */
export function runOwnerCommand(command: OwnerCommand, args: readonly string[], terminal: Terminal): Promise<void> {
  return command.run(invocationOf(command, args, terminal));
}

function invocationOf(command: OwnerCommand, args: readonly string[], terminal: Terminal): Invocation {
  const { values, positionals } = parse(command, args);
  const file = new LoginFile(loginPath(terminal.env['XDG_CONFIG_HOME']));
  return {
    positionals,
    options: values,
    output: new Output(values['json'] === true, (text) => terminal.output.write(text)),
    terminal,
    login: file,
    api: async (mode = values['test'] === true ? 'test' : 'live') => {
      const kept = await file.read();
      if (kept === null) throw new NotLoggedInError('You are not logged in. Run dhara login.');
      return new OwnerApi(kept.url, kept.token, mode);
    },
  };
}

function parse(command: OwnerCommand, args: readonly string[]) {
  const usage = ['Usage: dhara', command.name, ...command.positionals].join(' ');
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...command.options, json: { type: 'boolean' } },
    });
    if (positionals.length === command.positionals.length) {
      return { values: values as Record<string, string | boolean | undefined>, positionals };
    }
  } catch (error) {
    throw new UsageError(`${(error as Error).message} ${usage}`);
  }
  throw new UsageError(usage);
}

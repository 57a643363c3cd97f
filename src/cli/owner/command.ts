import type { ParseArgsOptionsConfig } from 'node:util';

import type { OwnerApi } from './api.js';
import type { LoginFile } from './loginFile.js';
import type { Output } from './output.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usageError.js';

/** What a command gets to do its work. */
export interface Invocation {
  readonly positionals: readonly string[];
  /** As parsed by `node:util`: strings and booleans. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly output: Output;
  /** For questions. */
  readonly terminal: Terminal;
  readonly login: LoginFile;
  /** The service, as the logged-in user, in the mode that the options ask for or in this one. @throws NotLoggedInError */
  readonly api: (mode?: 'live' | 'test') => Promise<OwnerApi>;
}

/** A command for owners: it talks to a service's GraphQL API over the network, and needs no database. */
export interface OwnerCommand {
  readonly name: string;
  /** Its positional arguments, such as `<video>`; each is required. */
  readonly positionals: readonly string[];
  readonly options: ParseArgsOptionsConfig;
  /** The words that an option or a positional argument can be, by its name; for completion. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** One line for `dhara --help`. */
  readonly summary: string;
  run(invocation: Invocation): Promise<void>;
}

/** The option of commands that test mode has, too. */
export const IN_TEST_MODE = { test: { type: 'boolean' } } as const;

/** A whole number in an option. @throws UsageError */
export function wholeNumber(value: string | boolean | undefined, name: string, max: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (typeof value === 'string' && /^\d+$/.test(value) && number >= 1 && number <= max) return number;
  throw new UsageError(`--${name} must be a whole number from 1 to ${max}.`);
}

import { parseArgs, type ParseArgsConfig } from 'node:util';

import { ConfigError } from '../config/config.js';

/** The values of a command's options. @throws ConfigError with the usage, for anything else */
export function parseOptions<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    throw new ConfigError(usage);
  }
}

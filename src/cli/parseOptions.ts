import { parseArgs, type ParseArgsConfig } from 'node:util';

import { isDay } from '../domain/shared/day.js';
import { UsageError } from './usageError.js';

/** The values of a command's options. @throws UsageError with the usage, for anything else */
export function parseOptions<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    throw new UsageError(usage);
  }
}

/** A calendar day in an option, such as `2026-11-23`. @throws UsageError */
export function dayIn<Text extends string | undefined>(text: Text, option: string): Text {
  if (text === undefined || isDay(text)) return text;
  throw new UsageError(`${option} must be a day such as 2026-11-23.`);
}

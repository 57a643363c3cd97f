import type { Config } from '../config/config.js';
import type { Logger } from '../logger.js';

/** A command whose arguments are right. Resolves to the exit code. */
export type PreparedCommand = (config: Config, logger: Logger) => Promise<number>;

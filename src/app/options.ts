import type { Config } from '../config/config.js';
import type { Logger } from '../logger.js';

export type Role = 'all' | 'api' | 'worker' | 'admin';

export interface AppOptions {
  readonly role: Role;
  readonly config: Config;
  /** 32 bytes. */
  readonly masterKey: Buffer;
  /** PostgreSQL URL of the role that owns nothing. */
  readonly runtimeUrl: string;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/** Stops what was started. */
export type End = () => Promise<void>;

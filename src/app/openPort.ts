import { ConfigError } from '../config/config.js';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another process; choose another port, or 0 for a free one, which is logged',
  EADDRNOTAVAIL: 'is not an address of this machine',
  EACCES: 'may not be opened by this user',
};

export interface Port {
  /** Name of the setting for this port. */
  readonly setting: string;
  readonly host: string;
  readonly port: number;
}

/** Waits for a server to listen. @throws ConfigError that names the setting if the port is not available */
export async function openPort<T>({ setting, host, port }: Port, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? REASONS[String(error.code)] : undefined;
    if (reason === undefined) throw error;
    throw new ConfigError(`${setting}: ${host}:${port} ${reason}.`);
  }
}

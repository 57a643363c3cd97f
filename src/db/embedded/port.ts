import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which the kernel takes local ports of outgoing connections. Otherwise, a client that reconnects
 * while the database restarts could be given the database's own port, connect to itself, and keep the database from
 * coming back.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;
const TRIES = 50;

/** Returns a port of 127.0.0.1 that is free at this moment. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port between ${LOWEST_PORT} and ${HIGHEST_PORT}`);
}

/** Whether nothing listens on a port of 127.0.0.1 at this moment. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

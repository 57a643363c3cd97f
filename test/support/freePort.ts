import { randomInt } from 'node:crypto';
import { env } from 'node:process';

import { isFree } from '../../src/db/embedded/port.js';

/**
 * The service gives ports above these to its own database (`src/db/embedded/port.ts`), and the kernel gives even higher
 * ones to outgoing connections.
 */
const LOWEST_PORT = 10_000;
const PORTS_PER_PROCESS = 1_000;
const PROCESSES = 10;
const TRIES = 50;

const given = new Set<number>();

/**
 * Returns a port of 127.0.0.1 that is free at this moment, and that no other test is given: a server that a test kills
 * and starts again must find its port free. Each process of a run has its own range, and gives a port once.
 */
export async function findFreePort(): Promise<number> {
  const range = Number(env['VITEST_POOL_ID'] ?? 0) % PROCESSES;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST_PORT + range * PORTS_PER_PROCESS + randomInt(PORTS_PER_PROCESS);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port in range ${range} of the tests`);
}

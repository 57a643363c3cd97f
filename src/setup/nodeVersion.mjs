import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { packagedProgram } from './paths.mjs';

/** What the libraries underneath ask for at least. */
const LOWEST_MAJOR = 22;

/**
 * Where a packaged Node exists for the platform, npm scripts run on that one, whatever the host has.
 * Elsewhere they run on the host's.
 */
export function requireNodeVersion() {
  if (existsSync(packagedProgram('node'))) return;
  const found = spawnSync('node', ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? 'none';
  if (Number.parseInt(found.slice(1), 10) >= LOWEST_MAJOR) return;
  throw new Error(
    `there is no packaged Node.js for ${process.platform}-${process.arch}: install Node.js ${LOWEST_MAJOR} or later (found ${found}).`,
  );
}

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { packagedProgram, rootDir } from './paths.mjs';

/**
 * If a packaged Node exists for the platform, npm scripts use it, whatever the host has. Otherwise they use the host's
 * Node, which must be new enough for the service (`engines`).
 */
export function requireNodeVersion() {
  if (existsSync(packagedProgram('node'))) return;
  const lowest = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const found = spawnSync('node', ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1) || 'none';
  // Compare as numbers: as text, 100 would come before 22.
  if (found.localeCompare(lowest, 'en', { numeric: true }) >= 0 && found !== 'none') return;
  throw new Error(
    `there is no packaged Node.js for ${process.platform}-${process.arch}: install Node.js ${lowest} or later (found ${found}).`,
  );
}

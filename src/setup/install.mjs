/**
 * Makes `npm start` and `npm test` work on a machine that has only Node and npm: installs packages, then system
 * programs. Runs before those scripts, the first time on the host's Node, so it uses only what Node 20 has built in.
 *
 * `--tests` also requires what only the tests run: Chromium and an S3 server.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { installPackages, packagesAreInstalled } from './packages.mjs';
import { packagedProgram, rootDir } from './paths.mjs';
import { withSetupLock } from './setupLock.mjs';
import { installSystemPrograms, missingPrograms } from './systemPrograms.mjs';

const forTests = process.argv.includes('--tests');

try {
  if (!packagesAreInstalled() || missingPrograms({ forTests }).length > 0) await withSetupLock(install);
  requireNodeVersion();
} catch (error) {
  console.error(`dhara: ${error.message}`);
  process.exitCode = 1;
}

/** Each part checks again whether it is needed: the process that held the lock may have done it. */
function install() {
  if (!packagesAreInstalled()) installPackages();
  installSystemPrograms({ forTests });
}

/**
 * If a packaged Node exists for the platform, npm scripts use it, whatever the host has. Otherwise they use the host's
 * Node, which must be new enough for the service (`engines`).
 */
function requireNodeVersion() {
  if (existsSync(packagedProgram('node'))) return;
  const lowest = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const found = spawnSync('node', ['--version'], { encoding: 'utf8' }).stdout?.trim().slice(1) || 'none';
  // Compare as numbers: as text, 100 would come before 22.
  if (found.localeCompare(lowest, 'en', { numeric: true }) >= 0 && found !== 'none') return;
  throw new Error(
    `there is no packaged Node.js for ${process.platform}-${process.arch}: install Node.js ${lowest} or later (found ${found}).`,
  );
}

/**
 * Makes `npm start` and `npm test` work on a machine that has only Node and npm: installs packages, then system
 * programs. Runs before those scripts, the first time on the host's Node, so it uses only what Node 20 has built in.
 *
 * `--tests` also requires what only the tests run: Chromium and an S3 server.
 */
import { requireNodeVersion } from './nodeVersion.mjs';
import { installPackages, packagesAreInstalled } from './packages.mjs';
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

/** Each part checks again whether it is needed: whoever held the lock may have done it. */
function install() {
  if (!packagesAreInstalled()) installPackages();
  installSystemPrograms({ forTests });
}

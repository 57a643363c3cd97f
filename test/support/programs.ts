import { spawnSync } from 'node:child_process';

import { IS_FULL } from './effort.js';

/** Whether the machine has these programs. `TEST_FULL=1` installs them if one is missing, as root on Debian. */
export function hasPrograms(programs: readonly string[], debianPackage: string): boolean {
  const areInstalled = (): boolean =>
    programs.every((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0);
  if (areInstalled()) return true;
  if (!IS_FULL || process.getuid?.() !== 0) return false;
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', debianPackage]);
  return areInstalled();
}

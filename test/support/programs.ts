import { spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';

import { IS_FULL } from './effort.js';
import type { Ended } from './terminal.js';

/** Whether the machine has these programs. `TEST_FULL=1` installs them if one is missing, as root on Debian. */
export function hasPrograms(programs: readonly string[], debianPackage: string): boolean {
  const areInstalled = (): boolean =>
    programs.every((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0);
  if (areInstalled()) return true;
  if (!IS_FULL || process.getuid?.() !== 0) return false;
  // Another test file may be installing, too.
  const lock = 'DPkg::Lock::Timeout=600';
  spawnSync('apt-get', ['install', '-o', lock, '-y', '--no-install-recommends', debianPackage]);
  return areInstalled();
}

/** What a program has written, once it has ended. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out, err };
}

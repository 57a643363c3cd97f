import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { nodeModulesDir, rootDir } from './paths.mjs';

/** Runs `npm ci`. */
export function installPackages() {
  console.error('dhara: installing packages (npm ci), about a minute the first time …');
  // The npm that runs us, if there is one: it need not be on PATH under that name.
  const npm = process.env.npm_execpath;
  const [program, ...before] = npm?.endsWith('js') ? [process.execPath, npm] : ['npm'];
  // Build tools are development dependencies, which npm leaves out under NODE_ENV=production.
  const args = [...before, 'ci', '--include=dev', '--include=optional', '--no-fund', '--no-audit'];
  const { status, error } = spawnSync(program, args, { cwd: rootDir, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    throw new Error(`the packages could not be installed (npm ci: ${error?.message ?? `exit ${status}`}).`);
  }
}

/**
 * Whether node_modules matches package-lock.json, according to npm's own record. Does not compare times: a checkout or
 * an `npm install` touches either file in either order, and a needless `npm ci` costs a minute.
 */
export function packagesAreInstalled() {
  try {
    const locked = packagesOf(join(rootDir, 'package-lock.json'));
    const installed = packagesOf(join(nodeModulesDir, '.package-lock.json'));
    return Object.entries(locked).every(
      ([path, entry]) => path === '' || isLeftOut(entry) || installed[path]?.version === entry.version,
    );
  } catch {
    return false;
  }
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/** npm installs optional packages only where they fit: those of other platforms are rightly absent. */
function isLeftOut(entry) {
  return entry.optional === true || entry.devOptional === true || entry.peer === true || entry.link === true;
}

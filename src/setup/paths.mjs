import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. npm runs scripts in it, but .ci/run and people may not. */
export const rootDir = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const nodeModulesDir = join(rootDir, 'node_modules');
export const distDir = join(rootDir, 'dist');
export const cacheDir = join(nodeModulesDir, '.cache', 'dhara');

/** A program that an npm package brought along. */
export function packagedProgram(name) {
  return join(nodeModulesDir, '.bin', name);
}

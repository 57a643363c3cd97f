import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. npm runs scripts there, but .ci/run and people may not. */
export const rootDir = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const nodeModulesDir = join(rootDir, 'node_modules');
export const distDir = join(rootDir, 'dist');
export const cacheDir = join(nodeModulesDir, '.cache', 'dhara');

/** The path of a program from an npm package. */
export function packagedProgram(name) {
  return join(nodeModulesDir, '.bin', name);
}

import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

import { nodeModulesDir, rootDir } from './paths.mjs';

/**
 * Runs a program from node_modules/.bin on the packaged Node, by default in the repository. Resolves to its exit code
 * and all of its output.
 */
export function runTool(name, args, { cwd = rootDir } = {}) {
  const binDir = join(nodeModulesDir, '.bin');
  return new Promise((resolve, reject) => {
    const child = spawn(join(binDir, name), args, {
      cwd,
      env: { ...process.env, PATH: `${binDir}${delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode: exitCode ?? 1, output }));
  });
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program from an npm package, installed once per machine. @param path of the program inside the package */
export async function packagedProgram(name: string, version: string, path: string): Promise<string> {
  const folder = join(tmpdir(), 'dhara-test-runtimes', `${name.replace('/', '-')}-${version}`);
  const program = join(folder, 'node_modules', name, path);
  if (!existsSync(program)) {
    await mkdir(folder, { recursive: true });
    await run('npm', ['install', '--no-save', '--no-fund', '--no-audit', '--prefix', folder, `${name}@${version}`]);
  }
  return program;
}

export function packagedNode(version: string): Promise<string> {
  return packagedProgram(`node-linux-${process.arch}`, version, 'bin/node');
}

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../../..', import.meta.url).pathname;

describe('the license check', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dhara-licenses-'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('accepts every package of the lockfile', async () => {
    expect(await check(ROOT)).toEqual({ exitCode: 0, output: '' });
  });

  it('accepts a choice with one accepted license', async () => {
    await install({ choice: '(GPL-3.0 OR MIT)', both: '(MIT AND ISC)' });

    expect(await check(folder)).toEqual({ exitCode: 0, output: '' });
  });

  it('names packages whose license is missing or not accepted, also as one of two', async () => {
    await install({ copyleft: 'GPL-3.0', mute: undefined, both: '(MIT AND GPL-3.0)', fine: 'MIT' });

    const { exitCode, output } = await check(folder);

    expect(exitCode).toBe(1);
    expect(output).toContain('copyleft: GPL-3.0\nmute: no license stated\nboth: (MIT AND GPL-3.0)\n');
    expect(output).not.toContain('fine');
  });

  it('reads the installed package, and the lockfile if it is not installed', async () => {
    await install({ changed: 'GPL-3.0' }, { changed: 'MIT', elsewhere: 'AGPL-3.0' });

    expect((await check(folder)).output).toContain('changed: GPL-3.0\nelsewhere: AGPL-3.0\n');
  });

  async function install(
    installed: Record<string, string | undefined>,
    locked: Record<string, string | undefined> = installed,
  ): Promise<void> {
    const entries = Object.entries(locked).map(([name, license]) => [`node_modules/${name}`, { license }]);
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ packages: Object.fromEntries(entries) }));
    await rm(join(folder, 'node_modules'), { recursive: true, force: true });
    for (const [name, license] of Object.entries(installed)) {
      await mkdir(join(folder, 'node_modules', name), { recursive: true });
      await writeFile(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, license }));
    }
  }
});

describe('the license of this repository', () => {
  it('is Apache-2.0, in full and in package.json', async () => {
    const text = await readFile(join(ROOT, 'LICENSE'), 'utf8');
    const { license } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { license: string };

    expect(license).toBe('Apache-2.0');
    expect(text).toContain('Apache License\n                           Version 2.0, January 2004');
    expect(text).toContain('9. Accepting Warranty or Additional Liability.');
    expect(text).toContain('END OF TERMS AND CONDITIONS');
  });
});

function check(folder: string): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, 'src/setup/licenses.mjs'), folder], (error, stdout) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, output: stdout });
    });
  });
}

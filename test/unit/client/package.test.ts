import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAX_COMPRESSED_BYTES = 6_000;

/** The package as `npm publish` would send it. */
let folder: string;
let tarball: Uint8Array;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dhara-client-'));
  const tsc = spawnSync('node_modules/.bin/tsc', ['-p', 'src/client/tsconfig.json', '--outDir', folder], {
    encoding: 'utf8',
  });
  expect(tsc.stdout).toBe('');
  for (const file of ['package.json', 'README.md']) await cp(join('src/client', file), join(folder, file));
  await cp('LICENSE', join(folder, 'LICENSE'));
  const packed = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: folder, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  tarball = new Uint8Array(await readFile(join(folder, filename)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package @dhara/client', () => {
  it('has no warnings from publint', async () => {
    const { messages } = await publint({ pack: { tarball: tarball.buffer as ArrayBuffer }, strict: true });
    // The repository's address is not public yet.
    expect(messages.filter(({ code }) => code !== 'INVALID_REPOSITORY_VALUE')).toEqual([]);
  });

  it('has types that resolve for every way of importing an ES module', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(tarball));
    expect(analysis.types).toMatchObject({ kind: 'included' });
    const problems = 'problems' in analysis ? analysis.problems : [];
    // An ES module, which Node 20.19 and newer and bundlers can also `require`.
    expect(problems.filter(({ kind }) => kind !== 'CJSResolvesToESM' && kind !== 'NoResolution')).toEqual([]);
  });

  it('has no dependencies, and imports only its own files', async () => {
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      dependencies?: object;
      peerDependencies?: object;
    };
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    for (const file of globSync('**/*.js', { cwd: folder })) {
      const imports = [...(await readFile(join(folder, file), 'utf8')).matchAll(/from '([^']+)'/g)];
      for (const [, from] of imports) expect(from).toMatch(/^\.\//);
    }
  });

  it(`is at most ${MAX_COMPRESSED_BYTES} bytes, minified and compressed`, async () => {
    const bundle = await build({
      configFile: false,
      logLevel: 'error',
      build: { write: false, minify: true, lib: { entry: join(folder, 'index.js'), formats: ['es'] } },
    });
    const [{ output }] = bundle as unknown as [{ output: [{ code: string }] }];
    expect(gzipSync(output[0].code).length).toBeLessThanOrEqual(MAX_COMPRESSED_BYTES);
  });
});

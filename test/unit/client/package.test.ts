import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
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
  const built = spawnSync(process.execPath, ['src/setup/buildClient.mjs', folder], { encoding: 'utf8' });
  expect(built.stdout + built.stderr).toBe('');
  const packed = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: folder, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  tarball = new Uint8Array(await readFile(join(folder, filename)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package @dhara/client', () => {
  it('has no warnings from publint', async () => {
    const { messages } = await publint({ pack: { tarball: tarball.buffer as ArrayBuffer }, strict: true });
    expect(messages).toEqual([]);
  });

  it('has types that resolve for every way of importing it, by all rules of arethetypeswrong', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(tarball));
    expect(analysis).toMatchObject({ types: { kind: 'included' }, problems: [] });
    if (!('entrypoints' in analysis)) throw new Error('nothing was analyzed');
    const { resolutions } = analysis.entrypoints['.']!;
    expect(Object.entries(resolutions).map(([kind, { resolution }]) => [kind, resolution?.fileName])).toEqual([
      ['node10', '/node_modules/@dhara/client/cjs/index.d.ts'],
      ['node16-cjs', '/node_modules/@dhara/client/cjs/index.d.ts'],
      ['node16-esm', '/node_modules/@dhara/client/index.d.ts'],
      ['bundler', '/node_modules/@dhara/client/index.d.ts'],
    ]);
  });

  it.each([
    ['--input-type=module', 'import * as client from "@dhara/client";'],
    ['--input-type=commonjs', 'const client = require("@dhara/client");'],
  ])('can be imported and required where it is installed: %s', async (kind, statement) => {
    const site = await mkdtemp(join(tmpdir(), 'dhara-site-'));
    await mkdir(join(site, 'node_modules/@dhara'), { recursive: true });
    await symlink(folder, join(site, 'node_modules/@dhara/client'));
    const code = `${statement} console.log(Object.keys(client).toSorted().join());
      const dhara = new client.Dhara({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
      dhara.getManifest('x').catch((error) => console.log(error instanceof client.DharaConnectionError));`;
    const ran = spawnSync(process.execPath, [kind, '-e', code], { cwd: site, encoding: 'utf8' });
    await rm(site, { recursive: true });
    expect(ran).toMatchObject({ stderr: '', status: 0 });
    expect(ran.stdout).toBe(
      'Dhara,DharaApiError,DharaConnectionError,DharaError,DharaTimeoutError,WebhookVerificationError,verifyWebhook\ntrue\n',
    );
  });

  it('has no dependencies, and imports only its own files', async () => {
    const { dependencies, peerDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      dependencies?: object;
      peerDependencies?: object;
    };
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    for (const file of globSync('**/*.js', { cwd: folder })) {
      const text = await readFile(join(folder, file), 'utf8');
      const imports = [...text.matchAll(/from '([^']+)'|require\("([^"]+)"\)/g)].map(
        ([, from, required]) => from ?? required!,
      );
      for (const from of imports) expect(from).toMatch(/^\.\.?\//);
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

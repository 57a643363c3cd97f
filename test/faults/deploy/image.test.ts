import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { expectPlaysToItsEnd } from '../../support/backups/playing.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { LONG_WAIT_MS, TEST_MS } from '../../support/deadlines.js';
import {
  buildImage,
  canRunContainers,
  Container,
  filesOfImage,
  inspectImage,
  readInImage,
  removeImage,
} from '../../support/deploy/container.js';
import { REPOSITORY } from '../../support/deploy/units.js';
import { IS_FULL } from '../../support/effort.js';
import type { Demo } from '../../support/service.js';

const USER = 64_800;
const DEMO_SECONDS = 20;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Sbom {
  readonly components: readonly { readonly name: string; readonly purl: string }[];
}

describe.runIf(IS_FULL && canRunContainers())('the image', () => {
  let database: TestDatabase;
  let folder: string;
  let dataDir: string;
  let settings: Record<string, string>;
  const containers: Container[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dhara-image-'));
    await chmod(folder, 0o711);
    await buildImage(folder);
    database = await createTestDatabase('empty');
    dataDir = join(folder, 'data');
    await mkdir(dataDir);
    await chown(dataDir, USER, USER);
    settings = {
      PUBLIC_URL: 'https://video.example',
      TRUST_PROXY: '1',
      HOST: '127.0.0.1',
      METRICS_HOST: '127.0.0.1',
      DATABASE_URL: database.runtimeUrl,
      MASTER_KEY: randomBytes(32).toString('base64'),
      SMTP_URL: 'smtp://127.0.0.1:1',
    };
  }, TEST_MS);

  afterEach(async () => {
    for (const container of containers.splice(0)) await container.stop();
  });

  afterAll(async () => {
    await database?.drop();
    await removeImage();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(
    command: string,
    changes: Record<string, string> = {},
    extra: readonly string[] = [],
  ): Promise<Container> {
    const container = Container.start([command], {
      settings: {
        ...settings,
        PORT: String(await findFreePort()),
        METRICS_PORT: String(await findFreePort()),
        ...changes,
      },
      dataDir,
      extra,
    });
    containers.push(container);
    return container;
  }

  it('takes less than 450 MB, runs without root and says what it is', async () => {
    const { Size, Config } = await inspectImage();
    process.stdout.write(`The image takes ${Math.round(Size / 1e6)} MB.\n`);
    expect(Size).toBeLessThan(450_000_000);
    expect(Config.User).toBe(`${USER}:${USER}`);
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };
    const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: REPOSITORY, encoding: 'utf8' });
    expect(Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Dhara',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit.status === 0 ? commit.stdout.trim() : 'unknown',
    });
    expect(Config.Env.filter((line) => /KEY|SECRET|URL|PASSWORD|TOKEN/i.test(line))).toEqual([]);
  });

  it('starts tini, which starts the role, and keeps the health check', async () => {
    const { Config, Healthcheck } = await inspectImage();
    expect(Config.Entrypoint).toEqual(['/usr/bin/tini', '--', '/usr/local/bin/node', '/opt/dhara/dist/main.js']);
    expect(Config.Cmd).toEqual(['api']);
    expect(Healthcheck.Test).toEqual(['CMD', '/usr/local/bin/node', '/opt/dhara/health.mjs']);
    expect(Healthcheck).toMatchObject({ Interval: 15e9, Retries: 4 });
  });

  it('has no development packages, tests, sources, package managers or settings of the build', async () => {
    const files = await filesOfImage();
    expect(files).toEqual(expect.arrayContaining(['usr/bin/ffmpeg', 'usr/bin/bwrap', 'opt/dhara/sbom.cdx.json']));
    const unwanted =
      /node_modules\/(vitest|typescript|vite|playwright-core|oxlint)\/|\.test\.|__tests__|opt\/dhara\/(src|test)\/|npmrc|bin\/(npm|apt|dpkg)$|\.env$|\.git\//;
    expect(files.filter((path) => unwanted.test(path))).toEqual([]);
  });

  it('lists every npm package that it has in its SBOM', async () => {
    const sbom = JSON.parse(await readInImage('/opt/dhara/sbom.cdx.json')) as Sbom;
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { type: 'application' } } });
    const { dependencies } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as Manifest;
    const purls = Object.entries(dependencies).map(
      ([name, version]) => `pkg:npm/${name.replace('@', '%40')}@${version}`,
    );
    expect(sbom.components.map(({ purl }) => purl)).toEqual(expect.arrayContaining(purls));

    const names = new Set(sbom.components.map(({ name }) => name));
    const installed = (await filesOfImage()).flatMap(
      (path) => /^opt\/dhara\/.*node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? [],
    );
    // The others are part of the program.
    expect(installed).toEqual(expect.arrayContaining(['@fontsource/noto-sans', 'pdfkit', 'pino']));
    expect(installed).not.toContain('express');
    expect(installed.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has the licenses of the packages that are part of the program, too', async () => {
    const files = await filesOfImage();
    const licensed = (name: string): boolean =>
      files.some((path) => path.startsWith(`opt/dhara/licenses/node_modules/${name}/`));
    const manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as Manifest;
    const unlicensed = Object.keys(manifest.dependencies).filter((name) => !licensed(name));
    // Its package has no such file. The SBOM names its license.
    expect(unlicensed).toEqual(['@apollo/server']);
  });

  it('migrates, makes the demo clip ready in the sandbox, and plays it to its end', async () => {
    const migration = await start('migrate', { DATABASE_MIGRATION_URL: database.migrationUrl });
    expect({ code: await migration.exit(), output: migration.output }).toMatchObject({ code: 0 });

    const ownPort = String(await findFreePort());
    const all = await start('all', {
      NODE_ENV: 'development',
      SEED_DEMO: 'true',
      DATABASE_MIGRATION_URL: database.migrationUrl,
      PORT: ownPort,
      PUBLIC_URL: `http://127.0.0.1:${ownPort}`,
    });
    await expect.poll(() => all.output, { timeout: LONG_WAIT_MS }).toContain('Dhara is ready');
    expect(all.output).toContain('"sandbox":"bwrap"');
    const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo;
    await expectPlaysToItsEnd(demo, demo.videoId, DEMO_SECONDS);
    expect(await all.stop()).toBe(0);

    const port = String(await findFreePort());
    const api = await start('api', { PORT: port });
    const url = `http://127.0.0.1:${port}`;
    await expect.poll(() => statusOf(`${url}/readyz`), { timeout: LONG_WAIT_MS }).toBe(200);
    expect(await api.exec('/usr/local/bin/node', '/opt/dhara/health.mjs')).toMatchObject({ exitCode: 0 });

    const minted = await fetch(`${url}/v1/video/${demo.videoId}/playback-token`, {
      method: 'POST',
      headers: { 'x-service-key': demo.apiKey },
    });
    const { data } = (await minted.json()) as { data: { token: string } };
    const exchanged = await fetch(`${url}/v1/video/playback/manifest/${data.token}`);
    const manifest = (await exchanged.json()) as { data: { url: string } };
    const master = await playlist(manifest.data.url.replace(settings['PUBLIC_URL']!, url), url);
    const rendition = await playlist(master.addresses[0]!, url);
    const segment = await fetch(rendition.addresses[0]!);
    expect(segment.status).toBe(200);
    expect((await segment.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  });

  it('gives a production worker the sandbox, and is healthy', async () => {
    const worker = await start('worker');
    await expect.poll(() => worker.output, { timeout: LONG_WAIT_MS }).toContain('"sandbox":"bwrap"');
    await expect.poll(async () => (await worker.exec('/usr/local/bin/node', '/opt/dhara/health.mjs')).exitCode).toBe(0);
    expect((await worker.exec('/bin/sh', '-c', 'echo x > /opt/dhara/x')).output).toContain('Read-only file system');
    const status = (await worker.exec('/bin/cat', '/proc/1/status')).output;
    expect(status).toMatch(/^Uid:\t64800\t/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(await worker.stop()).toBe(0);
  });

  it('refuses to work in production where the filter of the container refuses mounts, as Docker and Kubernetes do', async () => {
    const filter = join(folder, 'seccomp.json');
    await writeFile(
      filter,
      JSON.stringify({
        defaultAction: 'SCMP_ACT_ALLOW',
        syscalls: [{ names: ['mount', 'umount2', 'unshare', 'pivot_root'], action: 'SCMP_ACT_ERRNO' }],
      }),
    );
    const worker = await start('worker', {}, ['--security-opt', `seccomp=${filter}`]);
    expect(await worker.exit()).not.toBe(0);
    expect(worker.output).toContain('ffmpeg cannot be sandboxed');
  });
});

async function statusOf(url: string): Promise<number | string> {
  return fetch(url).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
}

/** The addresses in a playlist, at this service instead of its public address. */
async function playlist(address: string, url: string): Promise<{ addresses: string[] }> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return {
    addresses: lines
      .map((line) => line.replace('https://video.example', url))
      .map((line) => new URL(line, response.url).href),
  };
}

import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { compressFolder } from './compress.mjs';
import { fingerprint } from './fingerprint.mjs';
import { distDir, rootDir } from './paths.mjs';
import { withSetupLock } from './setupLock.mjs';
import { runTool } from './tools.mjs';

/** Folders of src that do not belong to the server, relative to the repository. */
const NOT_SERVER = ['src/client', 'src/dashboard', 'src/player', 'src/setup'];

const server = {
  name: 'server',
  stampFile: join(distDir, '.server-stamp'),
  fingerprint: () =>
    fingerprint(['src', 'tsconfig.json', 'package-lock.json'], NOT_SERVER) +
    fingerprint(['src/setup/bundleServer.mjs', 'src/setup/unbundled.mjs']),
  async build() {
    await removeOldServer();
    await run('tsc', ['-p', 'tsconfig.json', '--noEmitOnError']);
    await copyAssets();
    await run('node', ['src/setup/bundleServer.mjs']);
    await chmod(join(distDir, 'main.js'), 0o755);
  },
};

const dashboard = {
  name: 'dashboard',
  stampFile: join(distDir, '.dashboard-stamp'),
  fingerprint: () =>
    fingerprint(['src/dashboard', 'src/player', 'src/setup/compress.mjs', 'package-lock.json']) +
    (process.env['DASHBOARD_WORDS'] ?? ''),
  async build() {
    await run('vite', ['build', '--config', 'src/dashboard/vite.config.ts', '--logLevel', 'warn']);
    await compressFolder(join(distDir, 'dashboard', 'assets'));
  },
};

const player = {
  name: 'player',
  stampFile: join(distDir, '.player-stamp'),
  fingerprint: () =>
    fingerprint(['src/player', 'src/setup/buildPlayer.mjs', 'src/setup/compress.mjs', 'package-lock.json']),
  async build() {
    await run('node', ['src/setup/buildPlayer.mjs']);
  },
};

/** The package `@dhara/client`, as published. */
const client = {
  name: 'client',
  stampFile: join(distDir, '.client-stamp'),
  fingerprint: () => fingerprint(['src/client', 'src/setup/buildClient.mjs', 'tsconfig.json', 'package-lock.json']),
  async build() {
    await run('node', ['src/setup/buildClient.mjs']);
  },
};

/** Kept when the server is compiled again; `bundleServer.mjs` removes old builds of the server itself. */
const OTHER_PARTS = [dashboard.name, player.name, client.name, server.name];

/** Builds the parts of dist/ whose sources have changed since the last build: those in `names`, or all. */
export async function buildIfStale(names = []) {
  if (staleSteps(names).length === 0) return;
  await withSetupLock(async () => {
    // Check again: the process that held the lock may have built what was missing.
    const steps = staleSteps(names);
    if (steps.length === 0) return;
    console.error(`dhara: building ${steps.map((step) => step.name).join(' and ')} …`);
    const startedAtMs = performance.now();
    await build(steps);
    console.error(`dhara: built in ${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`);
  });
}

function staleSteps(names) {
  const wanted = [server, dashboard, player, client].filter(({ name }) => names.length === 0 || names.includes(name));
  return wanted.filter((step) => readStamp(step) !== step.fingerprint());
}

/** Builds in parallel. The stamp is written last, so that an interrupted build is repeated. */
async function build(steps) {
  await mkdir(distDir, { recursive: true });
  const results = await Promise.allSettled(
    steps.map(async (step) => {
      const stamp = step.fingerprint();
      await rm(step.stampFile, { force: true });
      await step.build();
      await writeFile(step.stampFile, stamp);
    }),
  );
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

function readStamp(step) {
  return existsSync(step.stampFile) ? readFileSync(step.stampFile, 'utf8') : undefined;
}

async function run(tool, args) {
  const { exitCode, output } = await runTool(tool, args);
  if (exitCode !== 0) throw new Error(`${tool} failed:\n${output.trim()}`);
}

/** Removes output of sources that no longer exist. */
async function removeOldServer() {
  for (const name of await readdir(distDir)) {
    if (OTHER_PARTS.includes(name) || name.startsWith('.')) continue;
    await rm(join(distDir, name), { recursive: true, force: true });
  }
}

/** Copies everything in the server's folders that the compiler leaves out. */
async function copyAssets() {
  const left = NOT_SERVER.map((path) => join(rootDir, path));
  await cp(join(rootDir, 'src'), distDir, {
    recursive: true,
    filter: (source) => !left.includes(source) && !/\.ts$|\.md$/.test(source),
  });
}

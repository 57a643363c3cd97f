import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'node_modules/.cache/dhara/versions');

/**
 * Until there is a release, the previous version is the commit before this file was added: from there on, each version runs
 * on the schema of the next. Its newest migration is the last without rules of `test/db/database/migrationRules.test.ts`.
 */
const START = 'src/db/migrations/0114_videos_waiting_for_credits.ts';

export interface VersionBefore {
  /** A release tag, or words for the start. */
  readonly name: string;
  readonly commit: string;
}

type Git = (...args: string[]) => Promise<string>;

const gitIn =
  (folder: string): Git =>
  async (...args) =>
    (await run('git', args, { cwd: folder })).stdout.trim();

/**
 * The last release before this commit, or the start of what is promised.
 *
 * @returns why there is none, in words: not a clone, or a shallow one.
 */
export async function findVersionBefore(clone = ROOT): Promise<VersionBefore | string> {
  if (!existsSync(join(clone, '.git'))) return 'this is not a git clone';
  const git = gitIn(clone);
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^').catch(() => '');
  const name = tag || `the commit before ${START}`;
  const commit = await (tag ? commitOf(git, tag) : commitBefore(git, START)).catch(() => undefined);
  return commit === undefined ? `this clone lacks ${name}; get the history: git fetch --unshallow` : { name, commit };
}

const commitOf = (git: Git, revision: string): Promise<string> =>
  git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);

async function commitBefore(git: Git, file: string): Promise<string> {
  const added = await git('log', '--diff-filter=A', '--max-count=1', '--format=%H', '--', file);
  return commitOf(git, `${added}^`);
}

/** Builds a version in its own folder, once, and returns the folder. */
export async function buildVersion({ commit }: VersionBefore): Promise<string> {
  const folder = join(BUILT, commit);
  if (existsSync(folder)) return folder;
  const building = `${folder}.${process.pid}`;
  await mkdir(building, { recursive: true });
  try {
    const archive = join(building, 'source.tar');
    await gitIn(ROOT)('archive', '--format=tar', `--output=${archive}`, commit);
    await run('tar', ['-xf', archive, '-C', building]);
    await rm(archive);
    await givePackages(building);
    await run(process.execPath, ['src/setup/build.mjs', 'server'], { cwd: building });
    await rename(building, folder);
    return folder;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    // Somebody else may have built it meanwhile.
    if (existsSync(folder)) return folder;
    throw error;
  }
}

/** The installed packages, if they are those that the version was made for or compatible with them. */
async function givePackages(folder: string): Promise<void> {
  if (await hasPackagesFor(folder)) {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  } else {
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  }
}

type Packages = Record<string, { version?: string; dev?: boolean; optional?: boolean }>;

async function hasPackagesFor(folder: string): Promise<boolean> {
  const [wanted, installed] = await Promise.all([folder, ROOT].map(packagesOf));
  return Object.entries(wanted!).every(
    ([path, { version, dev, optional }]) =>
      path === '' || dev || optional || majorOf(installed![path]?.version) === majorOf(version),
  );
}

async function packagesOf(folder: string): Promise<Packages> {
  return (JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as { packages: Packages }).packages;
}

function majorOf(version: string | undefined): string | undefined {
  return version?.split('.')[0];
}

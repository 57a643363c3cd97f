import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { REPOSITORY } from '../../support/deploy/units.js';

/** All that carry the version of package.json, as people and programs read it there. */
const PLACES: readonly (readonly [string, RegExp])[] = [
  ['deploy/Dockerfile', /^ARG VERSION=(.*)$/m],
  ['deploy/image/build', /image\/build dhara:(\S+)/],
  ['deploy/compose.yaml', /image: localhost\/dhara:(.*)$/m],
  ['deploy/helm/dhara/Chart.yaml', /^version: (.*)$/m],
  ['deploy/helm/dhara/Chart.yaml', /^appVersion: (.*)$/m],
  ['deploy/helm/dhara/values.yaml', /^ {2}tag: (.*)$/m],
  ['docs/deployment.md', /dhara:(\d\S*)/g],
  ['src/client/package.json', /"version": "(.*)"/],
  ['package-lock.json', /"version": "(.*)"/],
];
const FOLDERS = ['deploy', 'docs', 'src/client', 'src/setup'];
const FILES = ['package.json', 'package-lock.json', 'CHANGELOG.md'];
const NEXT = '91.82.73-rc.1';

/** Each place, and the versions that are there. */
async function versionsIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const [file, place] of PLACES) {
    const text = await readFile(join(folder, file), 'utf8');
    const matches = [...text.matchAll(new RegExp(place, `${place.flags.replace('g', '')}g`))];
    expect(matches, `${file}: ${place}`).not.toEqual([]);
    const kept = place.global ? matches : matches.slice(0, 1);
    found.push(...kept.map(([, version]) => `${file} ${version}`));
  }
  return found;
}

const versionOf = async (folder: string): Promise<string> =>
  (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

describe('the version of package.json', () => {
  it('is that of the image, the chart, the compose file, the client and the documents', async () => {
    const version = await versionOf(REPOSITORY);
    expect((await versionsIn(REPOSITORY)).filter((place) => !place.endsWith(` ${version}`))).toEqual([]);
  });
});

describe('`npm version`', () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dhara-version-'));
    const names = execFileSync('git', ['ls-files', ...FOLDERS, ...FILES, '.npmrc'], {
      cwd: REPOSITORY,
      encoding: 'utf8',
    });
    for (const name of names.trim().split('\n')) await cp(join(REPOSITORY, name), join(folder, name));
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'before');
    const person = { GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@example.com' };
    const committer = { GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@example.com' };
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
    execFileSync('npm', ['version', NEXT], { cwd: folder, env: { ...person, ...committer, PATH } });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('writes the new version everywhere, and nothing keeps the one before', async () => {
    const before = await versionOf(REPOSITORY);
    expect((await versionsIn(folder)).filter((place) => !place.endsWith(` ${NEXT}`))).toEqual([]);
    const escaped = before.replaceAll('.', String.raw`\.`);
    const kept = (): string =>
      git(
        'grep',
        '-nP',
        String.raw`(?<![\d.])${escaped}(?![\d.])`,
        '--',
        'deploy',
        'docs',
        'src/client',
        'package.json',
      );
    // git grep exits with 1 if it finds nothing.
    expect(kept).toThrow(expect.objectContaining({ status: 1 }));
  });

  it('commits and tags all of it, with a heading in the changelog', async () => {
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '-1', '--format=%s')).toBe(`chore: release ${NEXT}\n`);
    expect(git('describe')).toBe(`v${NEXT}\n`);
    const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
    expect(changelog).toMatch(/## \[Unreleased\]\n\n## \[91\.82\.73-rc\.1\] - \d{4}-\d\d-\d\d\n\n### Added\n/);
  });

  it('refuses a file in which the version is not found', async () => {
    await writeFile(join(folder, 'deploy/Dockerfile'), 'FROM scratch\n');
    expect(() => execFileSync('node', ['src/setup/version.mjs', folder], { cwd: folder, stdio: 'pipe' })).toThrow(
      'deploy/Dockerfile',
    );
  });
});

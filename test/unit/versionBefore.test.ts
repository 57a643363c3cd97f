import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findVersionBefore } from '../support/versionBefore.js';

let clone: string;
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    cwd: clone,
    encoding: 'utf8',
  }).trim();

function commit(): string {
  git('commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', 'A change');
  return git('rev-parse', 'HEAD');
}

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'dhara-clone-'));
});
afterAll(() => rm(clone, { recursive: true }));

describe('the previous version', () => {
  it('is the last release before this commit, also while this commit is released', async () => {
    expect(await findVersionBefore(clone)).toBe('this is not a git clone');
    git('init', '--quiet');
    const first = commit();
    commit();
    expect(await findVersionBefore(clone)).toMatch(/^this clone lacks the commit before .*; get the history/);

    git('tag', 'v0.0.1', first);
    // It names no release.
    git('tag', 'vendor', 'HEAD^');
    const release = { name: 'v0.0.1', commit: first };
    expect(await findVersionBefore(clone)).toEqual(release);
    git('tag', '--no-sign', '--annotate', '--message', 'Version 0.0.2', 'v0.0.2');
    expect(await findVersionBefore(clone)).toEqual(release);

    const second = git('rev-parse', 'HEAD');
    commit();
    expect(await findVersionBefore(clone)).toEqual({ name: 'v0.0.2', commit: second });
  });
});

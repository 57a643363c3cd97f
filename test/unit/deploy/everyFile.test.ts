import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { REPOSITORY } from '../../support/deploy/units.js';

/** Patterns of files that a test runs, or checks as a whole, and that test. */
const TESTED: Readonly<Record<string, string>> = {
  'deploy/compose/prepare': 'test/unit/deploy/compose.test.ts',
  'deploy/helm/dhara/templates/{_helpers.tpl,{api,migrate,monitor,network,worker}.yaml}':
    'test/unit/deploy/helm.test.ts',
  'deploy/helm/dhara/values.yaml': 'test/unit/deploy/helm.test.ts',
  'deploy/image/*': 'test/faults/deploy/image.test.ts',
  'deploy/nginx/dhara.conf': 'test/service/delivery/nginx.test.ts',
  'deploy/prometheus/*.yaml': 'test/faults/deploy/prometheus.test.ts',
  'deploy/systemd/dhara-{api,migrate,worker}.service': 'test/faults/deploy/systemd.test.ts',
  'deploy/systemd/*.env': 'test/unit/deploy/systemd.test.ts',
};

/** What `prepare` writes on a machine that runs the service. */
const WRITTEN = ['deploy/.env', 'deploy/compose/settings.env'];

const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: REPOSITORY, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(REPOSITORY.length + 1))
    .filter((path) => !WRITTEN.includes(path));
const firstLinesOf = (path: string): string =>
  readFileSync(join(REPOSITORY, path), 'utf8').split('\n').slice(0, 10).join('\n');

describe('each file in deploy', () => {
  it('is run or checked by a test, or says in its first lines what was not run', () => {
    const tested = new Set(Object.keys(TESTED).flatMap(filesOf));
    const files = filesOf('deploy/**');
    expect(files.length).toBeGreaterThan(30);
    const silent = files.filter((path) => !tested.has(path) && !/\bnot run\b/i.test(firstLinesOf(path)));
    expect(silent).toEqual([]);
  });

  it('is named by a pattern that finds something, with a test that exists', () => {
    for (const [pattern, test] of Object.entries(TESTED)) {
      expect(filesOf(pattern), pattern).not.toEqual([]);
      expect(filesOf(test)).toEqual([test]);
    }
  });
});

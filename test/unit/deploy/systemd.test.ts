import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { REPOSITORY, writeUnits } from '../../support/deploy/units.js';

/** As in deploy/systemd/README.md. 10 is a service without any protection. */
const EXPOSURE = { api: 2.2, worker: 2.2, migrate: 1.3, backup: 1.3 };

describe('the systemd units', () => {
  let folder: string;
  let units: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dhara-units-'));
    units = await writeUnits(folder, REPOSITORY);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('pass systemd-analyze verify without a word', () => {
    expect(analyze('verify', '--man=no', ...units)).toEqual({ status: 0, output: '' });
  });

  it.each(Object.entries(EXPOSURE))('expose as little of %s as the documentation says', (role, exposure) => {
    const { status, output } = analyze(
      'security',
      '--offline=true',
      `--threshold=${exposure * 10}`,
      join(folder, `dhara-${role}.service`),
    );
    expect(output).toContain(`Overall exposure level for dhara-${role}.service: ${exposure} `);
    expect(status).toBe(0);
  });
});

function analyze(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['--no-pager', ...args], { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

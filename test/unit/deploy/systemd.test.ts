import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeSettings, loadConfig } from '../../../src/config/config.js';
import { readVariables } from '../../support/deploy/composeFile.js';
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

  it('read settings that exist and that production accepts, but for the empty master key', async () => {
    const settings = { ...(await settingsIn('dhara.env')), ...(await settingsIn('dhara-migrate.env')) };
    const known = new Set(describeSettings().match(/(?<=^ {2})[A-Z0-9_]+/gm));
    expect(Object.keys(settings).filter((name) => !known.has(name))).toEqual([]);
    expect(settings['MASTER_KEY']).toBe('');
    const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
    expect(loadConfig({ ...settings, MASTER_KEY }).PUBLIC_URL).toBe('https://video.example.com');
  });

  it('use each setting of the backup, or leave it to restic', async () => {
    const unit = await readFile(join(REPOSITORY, 'deploy/systemd/dhara-backup.service'), 'utf8');
    const settings = Object.keys(await settingsIn('dhara-backup.env'));
    expect(settings).toEqual(expect.arrayContaining(['RESTIC_REPOSITORY', 'KEEP_DAYS']));
    const unused = settings.filter((name) => !name.startsWith('RESTIC_') && !unit.includes(`\${${name}}`));
    expect(unused).toEqual([]);
    const needed = [...unit.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    expect(settings).toEqual(expect.arrayContaining(needed));
  });
});

function settingsIn(name: string): Promise<Record<string, string>> {
  return readVariables(join(REPOSITORY, 'deploy/systemd', name));
}

function analyze(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['--no-pager', ...args], { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

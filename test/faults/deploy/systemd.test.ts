import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { startOwnPostgres, type OwnPostgres } from '../../support/backups/ownPostgres.js';
import { LONG_WAIT_MS } from '../../support/deadlines.js';
import { bootSystemd, type BootedSystemd, canBootSystemd } from '../../support/deploy/bootSystemd.js';
import { BACKUP_UNITS, REPOSITORY, UNITS, writeUnits } from '../../support/deploy/units.js';

const run = promisify(execFile);

/** The user `dhara` of that systemd. */
const USER = 64_800;

describe.runIf(canBootSystemd())('the systemd units, started by a systemd', () => {
  let postgres: OwnPostgres;
  let folder: string;
  let systemd: BootedSystemd;
  let url: string;

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    folder = await mkdtemp(join(tmpdir(), 'dhara-systemd-'));
    const units = join(folder, 'units');
    await writeUnits(units, '/opt/dhara');
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    for (const unit of [...UNITS, ...BACKUP_UNITS]) await adapt(units, unit);
    await writeFile(
      join(units, 'dhara.env'),
      Object.entries({
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://video.example',
        TRUST_PROXY: '1',
        ...postgres.dhara,
        MASTER_KEY: randomBytes(32).toString('base64'),
        SMTP_URL: 'smtp://127.0.0.1:1',
        DATA_DIR: '/var/lib/dhara',
        PORT: String(port),
        RESTIC_REPOSITORY: '/run/outside/repository',
        KEEP_DAYS: '30',
      })
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    await createRepository(join(units, 'restic-password'));
    systemd = await bootSystemd(folder, { home: REPOSITORY, units, wants: [...UNITS, 'dhara-backup.timer'] });
  });

  afterAll(async () => {
    await systemd?.stop();
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('migrate, and then serve', async () => {
    await expect
      .poll(
        () =>
          fetch(`${url}/readyz`).then(
            (response) => response.status,
            () => log('dhara-api.service'),
          ),
        { timeout: LONG_WAIT_MS },
      )
      .toBe(200);
  });

  it('leave the worker what bubblewrap needs, so that production starts', async () => {
    await expect.poll(() => log('dhara-worker.service')).toContain('"sandbox":"bwrap"');
  });

  it('run without capabilities and without a way to gain any', async () => {
    const status = await log('status');
    expect(status).toMatch(/^Uid:\t64800\t/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  it('back up once, when the timer says so, and end', async () => {
    await expect.poll(() => log('backup'), { timeout: LONG_WAIT_MS }).not.toBe('');
    expect(await log('backup'), await log('dhara-backup.service')).toBe('success\n');
    expect(await log('dhara-backup.service')).toMatch(/^Backup \w+ of \S+ is complete:$/m);
    const { stdout } = await restic('snapshots', '--json', '--tag', 'dhara');
    expect(JSON.parse(stdout)).toHaveLength(1);
    await restic('check');
  });

  const restic = (...args: string[]) =>
    run('restic', [
      '--no-cache',
      '--repo',
      join(folder, 'outside/repository'),
      '--password-file',
      join(folder, 'units/restic-password'),
      ...args,
    ]);

  /** As README.md says: the user of the service owns it, and only root can read the password. */
  async function createRepository(passwordFile: string): Promise<void> {
    await writeFile(passwordFile, 'right', { mode: 0o600 });
    await restic('init');
    await run('chown', ['--recursive', `${USER}:${USER}`, join(folder, 'outside/repository')]);
  }

  async function log(name: string): Promise<string> {
    return readFile(join(systemd.outside, name), 'utf8').catch(() => '');
  }

  /** What a machine that only tests lacks: the account, the settings in /etc, the journal and the other targets. */
  async function adapt(units: string, unit: string): Promise<void> {
    await mkdir(join(folder, 'outside'), { recursive: true });
    await chmod(join(folder, 'outside'), 0o777);
    await mkdir(join(units, `${unit}.d`));
    await writeFile(
      join(units, `${unit}.d`, 'test.conf'),
      `[Unit]
DefaultDependencies=no
${unit.endsWith('.timer') ? SOON : withoutEtc(unit)}
`,
    );
  }
});

/** Beside every hour, as the unit says. */
const SOON = `[Timer]
OnActiveSec=0
RandomizedDelaySec=0`;

const MORE: Readonly<Record<string, string>> = {
  'dhara-worker.service': 'ExecStartPre=/bin/cp /proc/self/status /run/outside/status',
  'dhara-backup.service': `LoadCredential=
LoadCredential=restic-password:/run/systemd/system/restic-password
ExecStopPost=/bin/sh -c 'echo $$SERVICE_RESULT > /run/outside/backup'`,
};

function withoutEtc(unit: string): string {
  return `[Service]
EnvironmentFile=
EnvironmentFile=/run/systemd/system/dhara.env
ReadWritePaths=/run/outside
StandardOutput=append:/run/outside/${unit}
StandardError=append:/run/outside/${unit}
LimitNOFILE=1024
Environment=METRICS_PORT=0
${MORE[unit] ?? ''}`;
}

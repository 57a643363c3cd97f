import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../../src/db/embedded/port.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { bootSystemd, type BootedSystemd, canBootSystemd } from '../../support/deploy/bootSystemd.js';
import { REPOSITORY, UNITS, writeUnits } from '../../support/deploy/units.js';

describe.runIf(canBootSystemd())('the systemd units, started by a systemd', () => {
  let database: TestDatabase;
  let folder: string;
  let systemd: BootedSystemd;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'dhara-systemd-'));
    const units = join(folder, 'units');
    await writeUnits(units, '/opt/dhara');
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    for (const unit of UNITS) await adapt(units, unit);
    await writeFile(
      join(units, 'dhara.env'),
      Object.entries({
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://video.example',
        TRUST_PROXY: '1',
        DATABASE_URL: database.runtimeUrl,
        DATABASE_MIGRATION_URL: database.migrationUrl,
        MASTER_KEY: randomBytes(32).toString('base64'),
        SMTP_URL: 'smtp://127.0.0.1:1',
        DATA_DIR: '/var/lib/dhara',
        PORT: String(port),
      })
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    systemd = await bootSystemd(folder, { home: REPOSITORY, units, wants: UNITS });
  });

  afterAll(async () => {
    await systemd?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('migrate, and then serve', async () => {
    await expect
      .poll(() =>
        fetch(`${url}/readyz`).then(
          (response) => response.status,
          () => log('dhara-api.service'),
        ),
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
[Service]
EnvironmentFile=
EnvironmentFile=/run/systemd/system/dhara.env
ReadWritePaths=/run/outside
StandardOutput=append:/run/outside/${unit}
StandardError=append:/run/outside/${unit}
LimitNOFILE=1024
Environment=METRICS_PORT=0
${unit === 'dhara-worker.service' ? 'ExecStartPre=/bin/cp /proc/self/status /run/outside/status' : ''}
`,
    );
  }
});

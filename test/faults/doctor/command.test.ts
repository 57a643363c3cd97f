import { afterEach, beforeEach, expect, it } from 'vitest';

import type { DoctorReport } from '../../../src/domain/operations/doctor/doctor.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { ServiceProcess } from '../../support/service.js';
import { DoctorScene, stuck } from '../../db/doctor/scene.js';

let scene: DoctorScene;

beforeEach(async () => {
  // The command sees what it would see beside a running service: the same database, folders and master key.
  scene = await DoctorScene.open();
});

afterEach(() => scene?.close());

it('exits with 1 and says what is stuck; exits with 0 with --repair, and from then on', async () => {
  const prefix = `videos/${scene.account}/${newId()}/1-1/`;
  await scene.object(`${prefix}480p/init.mp4`);

  const sick = await doctor();
  expect(sick.code).toBe(1);
  expect(sick.output).toContain('FOUND orphan-objects: objects in the store that no row, run or upload owns (1)');
  expect(sick.output).toContain(prefix);
  expect(sick.output).toContain('--repair: ');

  const repaired = await doctor('--repair');
  expect(repaired.output).toContain('REPAIRED orphan-objects');
  expect(repaired.output).toContain('Nothing is stuck.');
  expect(repaired.code).toBe(0);

  const well = await doctor('--json');
  const report = JSON.parse(well.output) as DoctorReport;
  expect(stuck(report)).toEqual([]);
  expect(report.healthy).toBe(true);
  expect(well.code).toBe(0);
}, 240_000);

it('reports why the service cannot be built, and still runs the checks of the database', async () => {
  await scene.sql(`update playback_signing_key set encrypted_private_jwk = '\\x00'`);
  const { code, output } = await doctor('--json');
  expect(code).toBe(1);
  const { checks } = JSON.parse(output) as DoctorReport;
  expect(checks.find(({ name }) => name === 'service')!.findings.rows[0]!.why).toContain('master key');
  expect(checks.find(({ name }) => name === 'alerts')).toMatchObject({ error: null, findings: { count: 0 } });
}, 120_000);

it('refuses unknown options', async () => {
  const { code, output } = await doctor('--fix');
  expect(code).toBe(1);
  expect(output).toContain('Usage: dhara doctor [--repair] [--json]');
}, 120_000);

async function doctor(...options: string[]): Promise<{ code: number | null; output: string }> {
  const child = ServiceProcess.start(['doctor', ...options], {
    DATA_DIR: scene.dataDir,
    PORT: '0',
    DATABASE_URL: scene.database.runtimeUrl,
    MASTER_KEY: scene.masterKey.toString('base64'),
  });
  return { code: await child.exit(), output: child.output };
}

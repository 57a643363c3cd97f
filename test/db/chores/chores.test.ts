import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { minuteChores, nightChores } from '../../../src/app/chores.js';
import type { Statement } from '../../../src/db/sql.js';
import type { Chore } from '../../../src/worker/chores.js';
import { sweepChores } from '../../../src/worker/sweep.js';
import { PLAN_MODES, planOf } from '../../support/database/plans.js';
import { DoctorScene } from '../doctor/scene.js';
import { writeHistory } from './history.js';

const ROWS = 2_000;
/** Far less than there is of anything. */
const FEW = 100;

/** Chores that read more, with the reason. */
const READS_MORE: Readonly<Record<string, string>> = {
  'ledger audit': 'It verifies a seventh of the books each night.',
  'storage nights': 'It charges for what everybody stores, once a night.',
  'storage measuring': 'It compares the whole store with its rows, once a night.',
  'platform totals': 'It measures the days that it has not measured yet: platformTotals.test.ts.',
};

let scene: DoctorScene;
/** Small tables are rightly read whole. These stand for large ones. */
let planner: pg.Pool;
let chores: Chore[];

beforeAll(async () => {
  scene = await DoctorScene.open();
  scene.database.leaveUnproven('what it has is written by hand');
  await writeHistory(scene.database.migrationUrl, ROWS);
  planner = new pg.Pool({ connectionString: scene.database.migrationUrl, max: 1, options: '-c enable_seqscan=off' });
  const { app } = scene;
  const folders = { list: () => Promise.resolve([]) } as never;
  chores = [...minuteChores(app), ...nightChores(app), ...sweepChores({ ...app, folders })];
});
afterAll(async () => {
  await planner?.end();
  await scene?.close();
});

it('chores read what is due, however much there is', async () => {
  expect(Object.keys(READS_MORE).filter((name) => !chores.some((chore) => chore.name === name))).toEqual([]);
  const asked = vi.spyOn(scene.app.db.sql, 'query');
  const found: string[] = [];
  const statements = new Set<string>();
  for (const { name, run } of chores) {
    if (READS_MORE[name] !== undefined) continue;
    asked.mockClear();
    await run(new AbortController().signal);
    for (const [statement, values] of asked.mock.calls.slice()) {
      statements.add(statement.name);
      for (const line of await reads(statement, values ?? [])) found.push(`${name}: ${line}`);
    }
  }
  asked.mockRestore();
  expect(statements.size).toBeGreaterThan(25);
  expect(found).toEqual([]);
});

/** In words, if a step of the statement reads many rows. */
async function reads({ name, text }: Statement, values: readonly unknown[]): Promise<string[]> {
  const found: string[] = [];
  for (const mode of PLAN_MODES) {
    const { mostRows } = await planOf(planner, text, values as never[], mode);
    if (mostRows > FEW) found.push(`${name} reads ${mostRows} rows (${mode})`);
  }
  return found;
}

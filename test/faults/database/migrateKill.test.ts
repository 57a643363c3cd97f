import pg from 'pg';
import { expect, it } from 'vitest';

import { createTestDatabase } from '../../support/database.js';
import { makeDataDir } from '../../support/dataDir.js';
import { ServiceProcess } from '../../support/service.js';

const WAITS = 'Migration0125ExchangeTimes waits for a lock on playback_view';

it('a run of dhara migrate that is killed while it waits makes way for the next, which continues', async () => {
  const database = await createTestDatabase();
  const data = await makeDataDir();
  const reader = new pg.Client({ connectionString: database.migrationUrl });
  await reader.connect();
  const runs: ServiceProcess[] = [];
  const run = (): ServiceProcess => {
    const { runtimeUrl, migrationUrl } = database;
    const urls = { DATABASE_URL: runtimeUrl, DATABASE_MIGRATION_URL: migrationUrl };
    runs.push(ServiceProcess.start(['migrate'], { ...urls, DATA_DIR: data.path, PORT: '1' }));
    return runs.at(-1)!;
  };
  try {
    await reader.query(`
      alter table playback_view drop column exchanged_at;
      delete from mikro_orm_migrations where name = 'Migration0125ExchangeTimes'`);
    await reader.query('begin; select from playback_view');
    const killed = run();
    await killed.until(() => killed.output.includes(WAITS), 'the run waits');
    await killed.stop('SIGKILL');

    const next = run();
    await next.until(() => next.output.includes(WAITS), 'the next run has its turn and waits');
    await reader.query('commit');
    expect(await next.exit(), next.output).toBe(0);
    expect(next.output).toMatch(/\nMigration0125ExchangeTimes: done in .* s\nThe database is up to date\.\n$/);
    await reader.query('select exchanged_at from playback_view');
  } finally {
    for (const one of runs) await one.stop('SIGKILL');
    await reader.end();
    await data.remove();
    await database.drop();
  }
});

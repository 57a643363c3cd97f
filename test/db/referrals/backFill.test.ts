import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { expect, it } from 'vitest';

import { migrate } from '../../../src/db/migrate.js';
import { ormOptions } from '../../../src/db/orm.js';
import { createTestDatabase } from '../../support/database.js';

it('migrations give a referral code to every account that existed before', async () => {
  const database = await createTestDatabase('empty');
  const client = new pg.Client({ connectionString: database.migrationUrl });
  await client.connect();
  try {
    const orm = await MikroORM.init(ormOptions({ url: database.migrationUrl, maxConnections: 1 }));
    await orm.migrator.up({ to: 'Migration0015PaymentSandbox' });
    await orm.close(true);
    await client.query('select open_account(gen_random_uuid()) from generate_series(1, 200)');

    await migrate(database);
    await migrate(database);
    const { rows } = await client.query<{ accounts: number; codes: number }>(
      `select count(*)::int as accounts, count(distinct c.code)::int as codes
       from account a left join referral_code c on c.account_id = a.id`,
    );
    expect(rows).toEqual([{ accounts: 200, codes: 200 }]);
  } finally {
    await client.end();
    await database.drop();
  }
});

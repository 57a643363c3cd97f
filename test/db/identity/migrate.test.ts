import pg from 'pg';
import { expect, it } from 'vitest';

import { migrateIdentity } from '../../../src/adapters/identity/migrateIdentity.js';
import { createTestDatabase } from '../../support/database.js';

it('makes the identity tables from empty, and changes nothing when run again', async () => {
  const database = await createTestDatabase('empty');
  const client = new pg.Client({ connectionString: database.migrationUrl });
  try {
    await migrateIdentity(database.migrationUrl);
    await client.connect();
    const before = await columns(client);
    await migrateIdentity(database.migrationUrl);

    expect(await columns(client)).toEqual(before);
    expect(before).toMatchSnapshot();
  } finally {
    await client.end();
    await database.drop();
  }
});

async function columns(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select table_name || '.' || column_name || ' ' || data_type || case is_nullable when 'NO' then ' not null' else '' end
      || coalesce(' default ' || column_default, '') as line
    from information_schema.columns where table_schema = 'auth' order by 1`);
  return rows.map((row) => row.line);
}

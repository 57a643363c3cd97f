import { getMigrations } from 'better-auth/db/migration';
import pg from 'pg';

import { IDENTITY_DATABASE, identitySchema } from './identitySchema.js';

/** Creates or completes the identity tables in schema `auth`. Idempotent. */
export async function migrateIdentity(migrationUrl: string): Promise<void> {
  const url = new URL(migrationUrl);
  // An address's own options take the place of the pool's.
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c search_path=auth`.trim());
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  try {
    await pool.query('create schema if not exists auth');
    const { runMigrations } = await getMigrations({
      ...identitySchema(),
      advanced: { database: IDENTITY_DATABASE },
      database: pool,
      // At every start, it would warn about its own int8 column.
      logger: { disabled: true },
    });
    await runMigrations();
  } finally {
    await pool.end();
  }
}

import { getMigrations } from 'better-auth/db/migration';
import pg from 'pg';

import { connectionTo } from '../../db/connection.js';
import { IDENTITY_DATABASE, identitySchema } from './identitySchema.js';

/** Creates or completes the identity tables in schema `auth`. Idempotent. */
export async function migrateIdentity(migrationUrl: string): Promise<void> {
  const pool = new pg.Pool({ ...connectionTo(migrationUrl, { search_path: 'auth' }), max: 1 });
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

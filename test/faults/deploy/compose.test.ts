import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { runtimeRoleFaults } from '../../../src/db/runtimeRole.js';
import { startOwnPostgres, type OwnPostgres } from '../../support/backups/ownPostgres.js';
import { makeDataDir } from '../../support/dataDir.js';
import { query } from '../../support/database/query.js';
import { ServiceProcess } from '../../support/service.js';

describe('the roles that compose/roles.sh creates', () => {
  let postgres: OwnPostgres;
  let folder: Awaited<ReturnType<typeof makeDataDir>>;

  beforeAll(async () => {
    [postgres, folder] = await Promise.all([startOwnPostgres(), makeDataDir('dhara-roles-')]);
  });

  afterAll(async () => {
    await postgres?.stop();
    await folder?.remove();
  });

  it('can sign in with their passwords and have no attribute of an administrator', async () => {
    for (const [role, url] of Object.entries({
      dhara_owner: postgres.dhara.DATABASE_MIGRATION_URL,
      dhara_app: postgres.dhara.DATABASE_URL,
    })) {
      const [attributes] = await query(
        url,
        `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
          (select count(*)::int from pg_auth_members where member = r.oid) as memberships,
          (select array_agg(datname::text order by datname) from pg_database where datdba = r.oid) as databases
        from pg_roles r where rolname = current_user`,
      );
      expect(attributes).toEqual({
        rolname: role,
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
        memberships: 0,
        databases: role === 'dhara_owner' ? ['dhara'] : null,
      });
    }
  });

  it('let one migrate in production, and leave the other rights on rows alone', async () => {
    const migration = ServiceProcess.start(['migrate'], {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://video.example',
      MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      SMTP_URL: 'smtp://127.0.0.1:1',
      DATA_DIR: folder.path,
      PORT: '0',
      ...postgres.dhara,
    });
    expect({ code: await migration.exit(), output: migration.output }).toMatchObject({ code: 0 });

    const app = await PostgresDatabase.connect({ url: postgres.dhara.DATABASE_URL, maxConnections: 1 });
    try {
      expect(await runtimeRoleFaults(app.sql)).toEqual([]);
    } finally {
      await app.close();
    }
    await expect(query(postgres.dhara.DATABASE_URL, 'select from account')).resolves.toEqual([]);
    await expect(query(postgres.dhara.DATABASE_URL, 'drop table account')).rejects.toThrow('must be owner');
    await expect(query(postgres.dhara.DATABASE_URL, 'create table account2 ()')).rejects.toThrow('permission denied');
  });

  it('do not open a database with a wrong password', async () => {
    const url = new URL(postgres.dhara.DATABASE_URL);
    url.password = 'wrong';
    await expect(query(url.href, 'select')).rejects.toThrow('password authentication failed');
  });
});

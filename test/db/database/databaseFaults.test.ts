import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import { databaseFaults } from '../../../src/db/databaseFaults.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
let superuser: pg.Client;
const roles: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: inject('testPostgres').superuserBaseUrl + database.name });
  await superuser.connect();
});

afterAll(async () => {
  for (const role of roles) await superuser?.query(`drop owned by ${role}; drop role ${role}`);
  await superuser?.end();
  await database?.drop();
});

async function faultsOf(url: string): Promise<string[]> {
  const db = await PostgresDatabase.connect({ url, maxConnections: 1 });
  try {
    return await databaseFaults(db.sql);
  } finally {
    await db.close();
  }
}

/** A role of this test, with the least that the service needs to examine itself. */
async function roleWith(attributes: string): Promise<{ name: string; url: string }> {
  const name = `test_role_${randomBytes(4).toString('hex')}`;
  await superuser.query(`create role ${name} login password 'secret' ${attributes}`);
  roles.push(name);
  await superuser.query(`grant usage on schema public to ${name}; grant select on all tables in schema public to ${name};
    grant execute on function service_now() to ${name}`);
  const url = new URL(database.runtimeUrl);
  [url.username, url.password] = [name, 'secret'];
  return { name, url: url.href };
}

describe('a runtime role', () => {
  it('has no faults with the rights that migrations gave it', async () => {
    expect(await faultsOf(database.runtimeUrl)).toEqual([]);
  });

  it.each([
    ['is a superuser', () => inject('testPostgres').superuserBaseUrl + database.name],
    ['owns the tables', () => database.migrationUrl],
  ])('that %s is reported, with the SQL that creates another one', async (_, urlOf) => {
    const faults = await faultsOf(urlOf());
    expect(faults[0]).toMatch(
      /^role \w+\. The role (is a superuser|has the rights of .*)\. To fix it: create role dhara_app .*DATABASE_MIGRATION_URL/,
    );
  });

  it.each([
    ['make roles', (name: string) => `alter role ${name} createrole`],
    ['make databases', (name: string) => `alter role ${name} createdb`],
    ['bypass row security', (name: string) => `alter role ${name} bypassrls`],
    ['write files', (name: string) => `grant pg_write_server_files to ${name}`],
    ['make schemas', (name: string) => `grant create on database ${database.name} to ${name}`],
    ['make tables', (name: string) => `grant create on schema pgboss to ${name}`],
    ['make tables through a right of PUBLIC', () => 'grant create on schema auth to public'],
    ['make temporary tables', (name: string) => `grant temporary on database ${database.name} to ${name}`],
    ['switch triggers off', (name: string) => `grant set on parameter session_replication_role to ${name}`],
    ['change entries of the ledger', (name: string) => `grant update on ledger_entry to ${name}`],
    ['change a column of the ledger', (name: string) => `grant update (delta) on ledger_entry to ${name}`],
    ['delete from the ledger', (name: string) => `grant delete on ledger_entry to ${name}`],
  ])('that may %s is reported, with the SQL that takes the right away', async (_, grant) => {
    const { name, url } = await roleWith('');
    expect(await faultsOf(url)).toEqual([]);
    await superuser.query(grant(name));
    const [fault, ...more] = await faultsOf(url);
    expect(more).toEqual([]);
    await superuser.query(/ To fix it: (.*;)$/.exec(fault!)![1]!);
    expect(await faultsOf(url)).toEqual([]);
  });
});

it('databaseFaults finds a clock that was moved, and the SQL it names sets it right', async () => {
  await installVirtualClock(database.migrationUrl);
  await setClockOffset(database.migrationUrl, 3_600_000);
  const [fault] = await faultsOf(database.runtimeUrl);
  expect(fault).toContain('clock was moved');
  await superuser.query(/ To fix it: (update .*;)$/.exec(fault!)![1]!);
  expect(await faultsOf(database.runtimeUrl)).toEqual([]);
});

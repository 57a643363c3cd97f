import { globSync } from 'node:fs';

import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { entities } from '../../../src/db/entities.js';
import { ormOptions } from '../../../src/db/orm.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** Schemas and tables that a library makes, migrates and alone writes. */
const FOREIGN_SCHEMAS = ['auth', 'pgboss', 'pg_catalog', 'information_schema'];
const FOREIGN_TABLES = ['mikro_orm_migrations'];

type Tables = Record<string, { columns: Record<string, string>; primaryKey: string[] }>;

let database: TestDatabase;
let owner: pg.Client;
let orm: MikroORM;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.migrationUrl });
  await owner.connect();
  orm = await MikroORM.init(ormOptions({ url: database.migrationUrl, maxConnections: 1 }));
});
afterAll(async () => {
  await orm?.close(true);
  await owner?.end();
  await database?.drop();
});

describe('entities', () => {
  it('describe the tables that the migrations make: columns, types, nullability and primary keys', async () => {
    const described = await tablesOfEntities();
    expect(Object.keys(described).length).toBeGreaterThan(60);
    expect(described).toEqual(await tablesOfSchema());
  });

  it('are all known to MikroORM, one table each', () => {
    const files = globSync('src/**/*.entity.ts');
    expect(new Set(entities.map(({ meta }) => meta.tableName)).size).toBe(files.length);
    expect(entities).toHaveLength(files.length);
  });
});

describe('the comparison of entities and schema', () => {
  it.each([
    ['a table without an entity', 'create table stray (id uuid primary key)'],
    ['an entity without a table', 'alter table brand rename to brand_mark'],
    ['a column without a property', 'alter table video add column stray text'],
    ['a property without a column', 'alter table brand drop column last_version'],
    ['a different type', 'alter table brand alter column last_version type bigint'],
    ['a different length', 'alter table caption alter column label type varchar(200)'],
    ['a different nullability', 'alter table video alter column width set not null'],
    ['a different primary key', 'alter table brand_logo drop constraint brand_logo_pkey cascade'],
  ])('finds %s', async (_, change) => {
    const described = await tablesOfEntities();
    await owner.query('begin');
    try {
      await owner.query(change);
      expect(await tablesOfSchema()).not.toEqual(described);
    } finally {
      await owner.query('rollback');
    }
  });
});

/** Partitions are left out: they have the columns of their table. */
async function tablesOfSchema(): Promise<Tables> {
  const { rows } = await owner.query<{ name: string; columns: Record<string, string>; primary_key: string[] }>(
    `select c.relname as name,
       (select json_object_agg(a.attname,
          format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       coalesce((select json_agg(a.attname order by k.place)
        from pg_index i cross join unnest(i.indkey) with ordinality k (number, place)
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary), '[]') as primary_key
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname <> all ($1) and c.relname <> all ($2)`,
    [FOREIGN_SCHEMAS, FOREIGN_TABLES],
  );
  return Object.fromEntries(rows.map((row) => [row.name, { columns: row.columns, primaryKey: row.primary_key }]));
}

async function tablesOfEntities(): Promise<Tables> {
  const metadata = [...orm.getMetadata().getAll().values()].filter(({ tableName }) => tableName);
  const types = await inPostgresWords(metadata.flatMap(({ props }) => props.flatMap((each) => each.columnTypes)));
  return Object.fromEntries(
    metadata.map(({ tableName, props, primaryKeys, properties }) => [
      tableName,
      {
        columns: Object.fromEntries(
          props.map(({ fieldNames, columnTypes, nullable }) => [
            fieldNames[0]!,
            `${types.get(columnTypes[0]!)}${nullable ? '' : ' not null'}`,
          ]),
        ),
        primaryKey: primaryKeys.flatMap((key) => properties[key]!.fieldNames),
      },
    ]),
  );
}

/** `timestamptz(6)` of an entity is PostgreSQL's `timestamp with time zone`: six digits are its default. */
async function inPostgresWords(types: readonly string[]): Promise<Map<string, string>> {
  const unique = [...new Set(types)];
  const { rows } = await owner.query<{ asked: string; name: string }>(
    `select asked, regexp_replace(asked, '^timestamptz[(]6[)]$', 'timestamptz')::regtype::text ||
       coalesce(substring(asked from '^(?!timestamptz).*([(].*[)])$'), '') as name
     from unnest($1::text[]) asked`,
    [unique],
  );
  return new Map(rows.map(({ asked, name }) => [asked, name]));
}

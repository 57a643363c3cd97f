import type pg from 'pg';

import type { MigrationPlan } from '../../../src/db/migrateTables.js';

/** What a migration did to objects that were there before it, by PostgreSQL's own account. Partitions count as their table. */
export interface MigrationEffects {
  /** The strongest lock on each table that it did more than read. */
  readonly locks: ReadonlyMap<string, LockMode>;
  /** Tables of which it read every row. */
  readonly scanned: ReadonlySet<string>;
  readonly before: Catalogue;
  readonly after: Catalogue;
}

/** From weak to strong. */
export const LOCK_MODES = [
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
] as const;
export type LockMode = (typeof LOCK_MODES)[number];

/** Locks that writers wait for. */
export function holdsUpWriters(mode: LockMode): boolean {
  return LOCK_MODES.indexOf(mode) >= LOCK_MODES.indexOf('ShareLock');
}

export interface Relation {
  readonly name: string;
  /** Changes when PostgreSQL rewrites the table; null for what has no file. */
  readonly file: string | null;
}
export interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
}
/** A constraint or a unique index. */
export interface Restriction {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
  /** Keys of the columns that it names; an index over an expression has none for it. */
  readonly columns: readonly string[];
}
export interface Routine {
  readonly name: string;
  /** Names and types of its arguments, with defaults, and what it returns. */
  readonly form: string;
  /** How many arguments a call may have. */
  readonly least: number;
  readonly most: number;
}

/** What the service can name, by PostgreSQL's numbers, which a new name does not change. */
export interface Catalogue {
  readonly relations: ReadonlyMap<string, Relation>;
  readonly columns: ReadonlyMap<string, Column>;
  readonly restrictions: ReadonlyMap<string, Restriction>;
  readonly routines: ReadonlyMap<string, Routine>;
  readonly triggers: ReadonlyMap<string, string>;
}

const OURS = `(select oid from pg_namespace where nspname in ('public', 'auth', 'pgboss'))`;

const CATALOGUE = `
  with relation as (
    select c.* from pg_class c where c.relnamespace in ${OURS} and c.relkind in ('r', 'p', 'v', 'm', 'S') and not c.relispartition
  )
  select json_build_object(
    'relations', (select json_agg(json_build_array(oid::text, json_build_object('name', oid::regclass,
        'file', nullif(pg_relation_filenode(oid), 0)::text))) from relation),
    'columns', (select json_agg(json_build_array(attrelid || '.' || attnum, json_build_object(
        'table', attrelid::regclass, 'name', attname, 'type', format_type(atttypid, atttypmod), 'isRequired', attnotnull,
        'hasDefault', atthasdef or attidentity <> '' or attgenerated <> '')))
      from pg_attribute where attrelid in (select oid from relation where relkind <> 'S') and attnum > 0 and not attisdropped),
    'restrictions', (select json_agg(json_build_array(key, json_build_object('table', "table", 'name', name,
        'definition', definition, 'columns', columns))) from (
      select 'c' || oid as key, conrelid::regclass as "table", conname as name, pg_get_constraintdef(oid) as definition,
        array(select conrelid || '.' || k from unnest(conkey) k) as columns
      from pg_constraint where conrelid in (select oid from relation) and contype in ('c', 'u', 'p', 'f', 'x')
      union all
      select 'i' || indexrelid, indrelid::regclass, indexrelid::regclass::text, pg_get_indexdef(indexrelid),
        array(select indrelid || '.' || k from unnest(indkey::int2[]) k where k > 0)
      from pg_index i where indrelid in (select oid from relation) and indisunique
        and not exists (select from pg_constraint where conindid = i.indexrelid)) r),
    'routines', (select json_agg(json_build_array(oid::text, json_build_object('name', pronamespace::regnamespace || '.' || proname,
        'form', pg_get_function_arguments(oid) || ' -> ' || coalesce(pg_get_function_result(oid), ''),
        'least', pronargs - pronargdefaults, 'most', pronargs)))
      from pg_proc p where pronamespace in ${OURS}),
    'triggers', (select json_agg(json_build_array(oid::text, tgname || ' on ' || tgrelid::regclass)) from pg_trigger
      where not tgisinternal and tgrelid in (select oid from relation))
  ) as found`;

async function catalogueOf(client: pg.Client): Promise<Catalogue> {
  const { rows } = await client.query<{ found: Record<string, [string, never][] | null> }>(CATALOGUE);
  const found = rows[0]!.found;
  const map = (kind: keyof Catalogue) => new Map(found[kind]);
  return {
    relations: map('relations'),
    columns: map('columns'),
    restrictions: map('restrictions'),
    routines: map('routines'),
    triggers: map('triggers'),
  };
}

/** Named before the migration, which may rename or drop them. */
const TABLES = `
  select oid::int8::text as oid, coalesce(pg_partition_root(oid), oid)::regclass::text as name
  from pg_class where relnamespace in ${OURS} and relkind in ('r', 'p', 'v', 'm')`;
const LOCKS = `
  select relation::int8::text as oid, mode from pg_locks
  where pid = pg_backend_pid() and locktype = 'relation' and granted`;
/** Of this transaction, and of earlier ones that the session has not reported yet. */
const SCANS = 'select relid::int8::text as oid, seq_scan::int as scans from pg_stat_xact_all_tables';

/**
 * Runs a migration in a transaction, which the caller ends, and looks at what it holds and did. What runs outside a
 * transaction is run twice, as after an attempt that failed at its end, and holds nothing any more.
 *
 * @param given the catalog before it, if it is known
 */
export async function effectsOf(client: pg.Client, plan: MigrationPlan, given?: Catalogue): Promise<MigrationEffects> {
  const { statements, isTransactional } = plan;
  const before = given ?? (await catalogueOf(client));
  if (!isTransactional) {
    for (const statement of [...statements, ...statements]) await client.query(statement);
    return { locks: new Map(), scanned: new Set(), before, after: await catalogueOf(client) };
  }
  const tables = await client.query<{ oid: string; name: string }>(TABLES);
  const names = new Map(tables.rows.map(({ oid, name }) => [oid, name]));
  await client.query('begin');
  const scansBefore = await scansOf(client);
  for (const statement of statements) await client.query(statement);
  const locks = new Map<string, LockMode>();
  for (const { oid, mode } of (await client.query<{ oid: string; mode: LockMode }>(LOCKS)).rows) {
    const table = names.get(oid);
    if (table === undefined) continue;
    const known = locks.get(table);
    if (LOCK_MODES.indexOf(mode) > (known === undefined ? -1 : LOCK_MODES.indexOf(known))) locks.set(table, mode);
  }
  const scanned = new Set<string>();
  for (const [oid, scans] of await scansOf(client)) {
    const table = names.get(oid);
    if (table !== undefined && scans > (scansBefore.get(oid) ?? 0)) scanned.add(table);
  }
  return { locks, scanned, before, after: await catalogueOf(client) };
}

async function scansOf(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ oid: string; scans: number }>(SCANS);
  return new Map(rows.map(({ oid, scans }) => [oid, scans]));
}

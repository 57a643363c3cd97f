import type pg from 'pg';

import { execute, sqlOn, statement } from './sql.js';

const OURS = `('public', 'auth', 'pgboss')`;

/**
 * Objects of the service's schemas with their owners. Leaves out objects of extensions, and objects that follow their
 * column or table.
 */
const OBJECTS = `
  select 1 as nth, 'schema ' || nspname as name, nspowner as owner from pg_namespace where nspname in ('auth', 'pgboss')
  union all
  select 2, 'table ' || c.oid::regclass, relowner from pg_class c
    where relnamespace in (select oid from ours) and relkind in ('r', 'p', 'v', 'm', 'S')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  union all
  select 3, 'function ' || p.oid::regprocedure, proowner from pg_proc p where pronamespace in (select oid from ours)
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

const FAULTS = statement<{ runtimeRole: string }, { why: string }>(
  'migration-faults',
  `
  with ours as (
    select oid, nspowner from pg_namespace where nspname in ${OURS}
  ), base as (
    select datname, datdba, to_regrole(quote_ident(:runtimeRole)) as runtime from pg_database where datname = current_database()
  ), object as materialized (${OBJECTS}), foreign_object as (
    select * from object where owner <> current_user::regrole order by nth, name
  )
  select why from (
    select 1 as nth, format('the role %s of DATABASE_URL does not exist', :runtimeRole::text) as why from base where runtime is null
    union all
    select 2, format('%s is a superuser, so functions that it creates would run as one', current_user)
    from pg_roles where rolname = current_user and rolsuper
    union all
    select 3, format('the database %s belongs to %s, not to %s, who cannot take the right to temporary tables away',
      datname, datdba::regrole, current_user)
    from base where not pg_has_role(current_user, datdba, 'usage')
      and (has_database_privilege('public', datname, 'temporary') or has_database_privilege('public', datname, 'create')
        or runtime is not null and has_database_privilege(runtime, datname, 'temporary'))
    union all
    select 4, format('the schema public belongs to %s, so %s cannot decide who creates objects in it',
      nspowner::regrole, current_user)
    from pg_namespace where nspname = 'public' and not pg_has_role(current_user, nspowner, 'usage')
      and (has_schema_privilege('public', oid, 'create') or not has_schema_privilege(oid, 'create'))
    union all
    select 5, format('%s objects belong to another role, such as %s to %s', count(*), min(name) filter (where is_first),
      min(owner::regrole::text) filter (where is_first))
    from (select name, owner, row_number() over () = 1 as is_first from foreign_object) o having count(*) > 0
  ) fault order by nth`,
);

/**
 * Why the role of this connection cannot migrate its database so that production starts on it; empty if it can. Only
 * reads, and works on an empty database too.
 */
export async function migrationFaults(client: pg.Client, runtimeRole: string): Promise<string[]> {
  const faults = await execute(sqlOn(client), FAULTS, { runtimeRole });
  return faults.map(({ why }) => why);
}

import { execute, type NoParams, type Sql, statement } from './sql.js';

/**
 * - `superuser`: no rule of the database applies to it.
 * - `owner`: it owns what it should only read and write, or can become the owner.
 * - `attribute`, `membership`: it can create roles or databases, or reach files and other sessions.
 * - `create`, `temp`: it can create objects where names are looked up.
 * - `setting`: it can disable triggers.
 * - `definer`: functions that it calls run as a superuser.
 */
export type RuntimeRoleFaultCode =
  | 'superuser'
  | 'owner'
  | 'attribute'
  | 'membership'
  | 'create'
  | 'temp'
  | 'setting'
  | 'definer';

/** Something that the role of this connection can do beyond reading and writing rows. */
export interface RuntimeRoleFault {
  readonly code: RuntimeRoleFaultCode;
  /** The role, table, schema, database or function concerned. */
  readonly subject: string;
  /** One sentence for the operator of the database. */
  readonly why: string;
}

const SCHEMAS = `('public', 'auth', 'pgboss')`;

export const RUNTIME_ROLE_FAULTS = statement<NoParams, RuntimeRoleFault>(
  'runtime-role-faults',
  `
    with me as (
      select r.*, r.oid as role_id from pg_roles r where rolname = current_user
    ), fault(nth, code, subject, why) as (
      select 1, 'superuser', current_user::text, 'The role is a superuser.' from me where rolsuper
      union all
      (select 2, 'owner', format('%s.%s', n.nspname, c.relname),
          'The role has the rights of ' || c.relowner::regrole || ', who owns it.'
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and pg_has_role(current_user, c.relowner, 'member')
        order by n.nspname <> 'public', c.relname <> 'ledger_entry', c.relname limit 1)
      union all
      select 2, 'owner', d.datname, 'The role has the rights of the database''s owner.' from pg_database d
        where d.datname = current_database() and pg_has_role(current_user, d.datdba, 'member')
      union all
      select 3, 'attribute', a.name, 'The role has the attribute ' || a.name || '.'
        from me, lateral (values ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb),
          ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls)) a(name, held) where a.held
      union all
      select 4, 'membership', r.rolname, 'The role is a member of ' || r.rolname || '.' from pg_roles r
        where r.rolname in ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program',
            'pg_write_all_data', 'pg_maintain', 'pg_signal_backend', 'pg_create_subscription')
          and pg_has_role(current_user, r.oid, 'member')
      union all
      select 5, 'create', n.nspname, 'The role can create objects in the schema ' || n.nspname || '.'
        from pg_namespace n where n.nspname !~ '^pg_(temp|toast)' and has_schema_privilege(n.oid, 'create')
      union all
      select 5, 'create', current_database()::text, 'The role can create schemas in the database.'
        where has_database_privilege(current_database(), 'create')
      union all
      select 6, 'temp', current_database()::text,
        'The role can create temporary tables. As the database''s owner: revoke temporary on database '
          || quote_ident(current_database()) || ' from public'
        where has_database_privilege(current_database(), 'temporary')
      union all
      select 7, 'setting', s.name, 'The role can set ' || s.name || '.'
        from (values ('session_replication_role')) s(name) where has_parameter_privilege(s.name, 'set')
      union all
      select 8, 'definer', p.oid::regprocedure::text, 'It runs as the superuser ' || r.rolname || '.'
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_roles r on r.oid = p.proowner
        where n.nspname in ${SCHEMAS} and p.prosecdef and r.rolsuper
    )
    select code, subject, why from fault order by nth, subject`,
);

/**
 * What the role of this connection could do to its own database, worst first; empty if it has rights on rows alone. A
 * superuser and an owner can do everything, so no other faults are reported for them.
 */
export async function runtimeRoleFaults(sql: Sql): Promise<RuntimeRoleFault[]> {
  const faults = await execute(sql, RUNTIME_ROLE_FAULTS);
  const worst = faults[0]?.code;
  return worst === 'superuser' || worst === 'owner' ? faults.filter(({ code }) => code === worst) : faults;
}

import pg from 'pg';

import { execute, sqlOn, statement } from '../sql.js';
import { DATABASE, OWNER_ROLE, RUNTIME_ROLE, type ClusterPasswords } from './cluster.js';

const EXISTING = statement<
  { owner: string; runtime: string; database: string },
  { owner: boolean; runtime: boolean; database_owner: string | null }
>(
  'embedded-existing-roles',
  `
    select exists (select from pg_roles where rolname = :owner) as owner,
      exists (select from pg_roles where rolname = :runtime) as runtime,
      (select datdba::regrole::text from pg_database where datname = :database) as database_owner`,
);

/**
 * Creates the owner, the runtime role and the database unless they exist, and makes the owner own what an earlier
 * release created as the superuser. Each step is repeatable, so the next start completes one that was killed.
 *
 * @param superuserUrl address of any database but `dhara`
 */
export async function ensureRolesAndDatabase(superuserUrl: string, passwords: ClusterPasswords): Promise<void> {
  await asSuperuser(superuserUrl, async (client) => {
    const names = { owner: OWNER_ROLE, runtime: RUNTIME_ROLE, database: DATABASE };
    const [existing] = await execute(sqlOn(client), EXISTING, names);
    const { owner, runtime, database_owner } = existing!;
    // These statements take no parameters. We choose the names and passwords, so they need no quoting.
    if (!owner) await client.query(`create role ${OWNER_ROLE} login password '${passwords.owner}'`);
    if (!runtime) await client.query(`create role ${RUNTIME_ROLE} login password '${passwords.runtime}'`);
    if (database_owner === null) await client.query(`create database ${DATABASE} owner ${OWNER_ROLE}`);
    else if (database_owner !== OWNER_ROLE) await client.query(`alter database ${DATABASE} owner to ${OWNER_ROLE}`);
    // Only we may connect to the databases that come with PostgreSQL.
    await client.query('revoke connect on database postgres, template1 from public');
  });
  const url = new URL(superuserUrl);
  url.pathname = `/${DATABASE}`;
  await asSuperuser(url.href, async (client) => {
    await client.query(HAND_OVER);
    await client.query(CLOSE_DATABASE);
  });
}

/**
 * One transaction: all or nothing. `reassign owned` refuses the bootstrap superuser of a cluster, so each object is
 * named. Objects of extensions keep their owner; sequences of columns, indexes and types of partitions follow their
 * tables.
 */
const HAND_OVER = `
  do $$
  declare
    object text;
  begin
    for object in
      with ours as (
        select oid, nspname, nspowner from pg_namespace
        where nspname !~ '^pg_' and nspname <> 'information_schema'
      ), bound as (
        select classid, objid, deptype from pg_depend where deptype in ('e', 'a', 'i')
      )
      select format('schema %I', nspname) from ours where nspowner = current_user::regrole
      union all
      select format('%s %s',
          case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
          c.oid::regclass)
        from pg_class c join ours on ours.oid = relnamespace
        where relkind in ('r', 'p', 'v', 'm', 'S') and relowner = current_user::regrole
          and not exists (select from bound b where b.classid = 'pg_class'::regclass and b.objid = c.oid
            and (b.deptype = 'e' or relkind = 'S'))
      union all
      select format('routine %s', p.oid::regprocedure) from pg_proc p join ours on ours.oid = pronamespace
        where proowner = current_user::regrole
          and not exists (select from bound b where b.classid = 'pg_proc'::regclass and b.objid = p.oid)
      union all
      select format('type %s', t.oid::regtype) from pg_type t join ours on ours.oid = typnamespace
        where typowner = current_user::regrole and typtype in ('e', 'd', 'r')
          and not exists (select from bound b where b.classid = 'pg_type'::regclass and b.objid = t.oid)
    loop
      execute format('alter %s owner to ${OWNER_ROLE}', object);
    end loop;
  end $$`;

/** Large objects need only this right. With it, the runtime role could fill the disk outside its tables. */
export const CLOSE_DATABASE = `
  do $$
  begin
    if has_function_privilege('public', 'lo_creat(integer)', 'execute') then
      revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;
    end if;
  end $$`;

async function asSuperuser(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

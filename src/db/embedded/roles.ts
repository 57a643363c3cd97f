import pg from 'pg';

import { DATABASE, OWNER_ROLE, RUNTIME_ROLE, type ClusterPasswords } from './cluster.js';

/**
 * Creates the owner, the runtime role and the database unless they are there, and hands over to the owner what an
 * earlier release made as the superuser. Each step is repeatable: a start that is killed anywhere is done again.
 *
 * @param superuserUrl of any database but `dhara`.
 */
export async function ensureRolesAndDatabase(superuserUrl: string, passwords: ClusterPasswords): Promise<void> {
  await asSuperuser(superuserUrl, async (client) => {
    const { rows } = await client.query<{ owner: boolean; runtime: boolean; database_owner: string | null }>(
      `select exists (select from pg_roles where rolname = $1) as owner,
         exists (select from pg_roles where rolname = $2) as runtime,
         (select datdba::regrole::text from pg_database where datname = $3) as database_owner`,
      [OWNER_ROLE, RUNTIME_ROLE, DATABASE],
    );
    const [{ owner, runtime, database_owner } = { owner: false, runtime: false, database_owner: null }] = rows;
    // Statements of this kind take no parameters; names and passwords are ours and need no quoting.
    if (!owner) await client.query(`create role ${OWNER_ROLE} login password '${passwords.owner}'`);
    if (!runtime) await client.query(`create role ${RUNTIME_ROLE} login password '${passwords.runtime}'`);
    if (database_owner === null) await client.query(`create database ${DATABASE} owner ${OWNER_ROLE}`);
    else if (database_owner !== OWNER_ROLE) await client.query(`alter database ${DATABASE} owner to ${OWNER_ROLE}`);
    // Nobody but us has business in the databases that come with PostgreSQL.
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
 * One transaction: all or nothing. `reassign owned` refuses the superuser that a cluster begins with, so that each
 * object is named. What an extension brought stays its own; sequences of columns, indexes and partitions' types follow.
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

/** Large objects need no right but this one: without it, the runtime role could fill the disk beside its tables. */
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

import { NOBODY } from './verifyForms.js';
import { RUNTIME_ROLE_FAULTS } from '../../../db/runtimeRole.js';
import { EXPECTED_CATALOGUE } from '../generated/catalogue.js';
import type { LedgerCheck } from './verifyForms.js';

/** The tables whose rights and rules are verified: the books, and what they follow from. */
const PROTECTED = `c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and (c.relname ~ '^(ledger|payment|referral)_'
  or c.relname in ('account', 'adjustment', 'audit_entry', 'escrow', 'invoice', 'payment', 'refund_request', 'referral',
    'staff_request', 'storage_day', 'storage_reversal', 'storage_reversed_day', 'suspense_item', 'topup',
    'webhook_event'))`;
const OUR_SCHEMAS = `('public'::regnamespace, 'auth'::regnamespace, 'pgboss'::regnamespace)`;
/** Hosting providers put extensions into schemas of their choice. */
const notOfExtensions = (alias: string, catalogue: string): string =>
  `not exists (select from pg_depend d where d.objid = ${alias}.oid and d.classid = '${catalogue}'::regclass and d.deptype = 'e')`;
const NOT_OF_EXTENSIONS = notOfExtensions('p', 'pg_proc');

/**
 * Rights of the owner, and of roles that can become the owner, such as the rds_superuser that hosting adds, are
 * implied.
 */
const givesMore = (owner: string): string => `(g.grantee = 0 or not pg_has_role(g.grantee, ${owner}, 'member'))`;

/** The roles that may post, besides the owner. */
const BOOKERS = `select g.grantee from pg_proc p, aclexplode(p.proacl) g
  where p.oid = 'public.ledger_post'::regproc and g.privilege_type = 'EXECUTE' and g.grantee <> 0 and ${givesMore('p.proowner')}`;

/**
 * Names the grantee independently of this database's role names. `runtime` is the verifying role if it may post, else
 * the one that may. The owner's own rights are implied.
 */
const GRANTEE = `case when g.grantee = 0 then 'everybody'
  when g.grantee = (select grantee from (${BOOKERS}) booker order by grantee <> current_user::regrole, grantee limit 1)
  then 'runtime' else g.grantee::regrole::text end`;

/**
 * A search path on which the service would not find our tables: one without `public`, or with a schema that has a table
 * or function of the same name.
 */
const MISLEADS = `exists (
  select from (
    select string_to_array(regexp_replace(replace(substr(v.setting, length('search_path=') + 1), '$user', current_user), '[" ]', '', 'g'), ',') as names
  ) path
  where 'public' <> all (names) or exists (
    select from pg_namespace n left join pg_class c on c.relnamespace = n.oid left join pg_proc p on p.pronamespace = n.oid
    where n.nspname = any (names) and n.nspname not in ('public', 'pg_catalog') and (
      exists (select from pg_class o where o.relnamespace = 'public'::regnamespace and o.relname = c.relname)
      or exists (select from pg_proc o where o.pronamespace = 'public'::regnamespace and o.proname = p.proname))))`;

/**
 * What protects the books in this database: `object` and `definition`, both text. Omits rights to read. Function bodies
 * are given by their digest.
 */
export const CATALOGUE = `
  select 'function ' || p.oid::regprocedure as object,
    concat_ws(' ', l.lanname, case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
      case when p.prosecdef then 'as owner' else 'as caller' end,
      'for ' || (select string_agg(${GRANTEE}, ', ' order by 1) from aclexplode(p.proacl) g where ${givesMore('p.proowner')}),
      array_to_string(p.proconfig, ', '),
      left(encode(sha256(convert_to(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), 'UTF8')), 'hex'), 16)) as definition
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace in ${OUR_SCHEMAS} and (p.prosecdef or p.pronamespace = 'public'::regnamespace) and ${NOT_OF_EXTENSIONS}
  union all
  select format('trigger %s on %s', t.tgname, t.tgrelid::regclass),
    case t.tgenabled when 'O' then '' when 'A' then 'always: ' when 'R' then 'replicas only: ' else 'disabled: ' end
      || pg_get_triggerdef(t.oid)
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not t.tgisinternal and (${PROTECTED} or t.tgrelid = 'auth."user"'::regclass)
  union all
  select format('rule %s on %s', r.rulename, c.oid::regclass), pg_get_ruledef(r.oid)
  from pg_rewrite r join pg_class c on c.oid = r.ev_class where ${PROTECTED}
  union all
  select format('policy %s on %s', y.polname, c.oid::regclass), 'there'
  from pg_policy y join pg_class c on c.oid = y.polrelid where ${PROTECTED}
  union all
  select format('constraint %s on %s', k.conname, c.oid::regclass),
    pg_get_constraintdef(k.oid) || case when k.convalidated then '' else ' not valid' end
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relname ~ '^ledger_' and c.relnamespace = 'public'::regnamespace and k.contype in ('c', 'p', 'u', 'x', 'f')
  union all
  select 'unique index ' || i.indexrelid::regclass,
    pg_get_indexdef(i.indexrelid) || case when i.indisvalid then '' else ' invalid' end
  from pg_index i join pg_class c on c.oid = i.indrelid where i.indisunique and not i.indisprimary and ${PROTECTED}
  union all
  select format('rights on %s', c.oid::regclass),
    string_agg(${GRANTEE} || ': ' || lower(g.privilege_type), ', ' order by ${GRANTEE}, g.privilege_type)
  from pg_class c, aclexplode(c.relacl) g
  where (${PROTECTED} or c.oid in ('pgboss.bam'::regclass, 'pgboss.version'::regclass, 'pgboss.queue'::regclass))
    and ${givesMore('c.relowner')} and g.privilege_type <> 'SELECT'
  group by c.oid
  union all
  select format('rights on columns of %s', c.oid::regclass),
    string_agg(${GRANTEE} || ': ' || lower(g.privilege_type) || ' ' || a.attname, ', '
      order by ${GRANTEE}, g.privilege_type, a.attname)
  from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) g
  where (${PROTECTED} or c.oid in ('pgboss.bam'::regclass, 'pgboss.version'::regclass, 'pgboss.queue'::regclass))
    and ${givesMore('c.relowner')} and g.privilege_type <> 'SELECT'
  group by c.oid
  union all
  select format('%s %s', o.kind, o.name), 'owned by ' || o.owner::regrole
  from (
    select 'table' as kind, c.oid::regclass::text as name, c.relowner as owner from pg_class c
      where c.relnamespace in ${OUR_SCHEMAS} and c.relkind in ('r', 'p', 'v', 'm', 'S')
        and ${notOfExtensions('c', 'pg_class')}
    union all
    select 'routine', p.oid::regprocedure::text, p.proowner from pg_proc p
      where p.pronamespace in ${OUR_SCHEMAS} and ${NOT_OF_EXTENSIONS}
    union all
    select 'schema', nspname, nspowner from pg_namespace where nspname in ('auth', 'pgboss')
  ) o where o.owner <> (select relowner from pg_class where oid = 'public.ledger_entry'::regclass)
  union all
  select 'setting of ' || coalesce(nullif(s.setrole, 0)::regrole::text, 'the database'), v.setting
  from pg_db_role_setting s, unnest(s.setconfig) v(setting)
  where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
    and (s.setrole = 0 or s.setrole = current_user::regrole)
    and (v.setting ~ '^(session_replication_role|row_security)=' or v.setting ~ '^search_path=' and ${MISLEADS})
  union all
  select format('ledger rule %s %s', type, shape),
    string_agg(account_no || case direction when 1 then '+' else '-' end, ' ' order by account_no, direction)
  from public.ledger_rule group by type, shape`;

/** Some objects have several valid definitions: a development clock may replace the real one. */
const expected = Object.entries(EXPECTED_CATALOGUE).flatMap(([object, definitions]) =>
  definitions.map((definition) => `(${literal(object)}, ${literal(definition)})`),
);

/** A role that can switch off or replace a guard can write rows that pass all other checks. */
export const RIGHTS_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'catalogue',
    text: `
      with expected(object, definition) as (values ${expected.join(',\n')}), there as (${CATALOGUE})
      select '${NOBODY}'::uuid as owner_id, coalesce(e.object, t.object) as subject,
        coalesce(e.definitions, 'nothing') as expected, coalesce(t.definition, 'nothing') as found
      from (select object, string_agg(definition, ' or ') as definitions, array_agg(definition) as allowed
          from expected group by object) e
        full join there t using (object)
      where (e.object is null or t.object is null or t.definition <> all (e.allowed))
        -- Production has no payment sandbox.
        and not (t.object is null and e.object ~ '^(rights on|unique index) payment_sandbox_'
          and to_regclass('public.payment_sandbox_order') is null)`,
  },
  {
    // Checks the verifying role, unless the service has another one.
    name: 'runtime-role',
    text: `
      select '${NOBODY}'::uuid as owner_id, code || ' ' || subject as subject,
        'rights on rows alone' as expected, why as found from (${RUNTIME_ROLE_FAULTS.text}) fault
      where not exists (select from (${BOOKERS}) booker where grantee <> current_user::regrole)`,
  },
];

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

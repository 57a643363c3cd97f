import type pg from 'pg';

const OURS = `(select oid from pg_namespace where nspname in ('public', 'auth', 'pgboss'))`;

const notOfExtension = (table: string, oid: string): string =>
  `not exists (select from pg_depend d where d.classid = '${table}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;

/** Objects and what they are, one line each. PostgreSQL names constraints of "not null" only since 18, so columns tell. */
const OBJECTS = `
  select 'extension ' || extname as line from pg_extension
  union all
  select format('schema %s of %s', nspname, nspowner::regrole) from pg_namespace where oid in ${OURS}
  union all
  select concat_ws(' ', case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'S' then 'sequence'
        when 'v' then 'view' else concat('relation ', c.relkind) end, c.oid::regclass, 'of', c.relowner::regrole,
      nullif(concat('persistence ', c.relpersistence), 'persistence p'), pg_get_partkeydef(c.oid),
      case when c.relispartition then 'in ' || (select inhparent::regclass from pg_inherits where inhrelid = c.oid) end,
      pg_get_expr(c.relpartbound, c.oid), 'with ' || array_to_string(c.reloptions, ', '),
      case when c.relrowsecurity then 'row security' end, nullif(concat('identity ', c.relreplident), 'identity d'),
      (select format('%s from %s to %s by %s, cache %s, cycle %s', format_type(seqtypid, null), seqmin, seqmax, seqincrement,
        seqcache, seqcycle) from pg_sequence where seqrelid = c.oid))
  from pg_class c
  where c.relnamespace in ${OURS} and c.relkind not in ('i', 'I', 'c', 't') and ${notOfExtension('pg_class', 'c.oid')}
  union all
  select concat_ws(' ', 'column', lpad(row_number() over (partition by a.attrelid order by a.attnum)::text, 2, '0'),
      'of', a.attrelid::regclass, quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
      case when a.attcollation <> t.typcollation then 'collate ' || a.attcollation::regcollation end,
      case when a.attnotnull then 'not null' end,
      case when a.attgenerated <> '' then concat('generated ', a.attgenerated) else case when a.atthasdef then 'default' end end,
      pg_get_expr(d.adbin, d.adrelid), nullif(concat('identity ', a.attidentity), 'identity '),
      case when a.attstorage <> t.typstorage then concat('storage ', a.attstorage) end)
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace in ${OURS} and c.relkind in ('r', 'p', 'v', 'm') and a.attnum > 0 and not a.attisdropped
  union all
  select format('constraint %s on %s: %s', conname, conrelid::regclass, pg_get_constraintdef(oid))
  from pg_constraint where connamespace in ${OURS} and contype not in ('n', 't') and conrelid <> 0
  union all
  select pg_get_indexdef(i.indexrelid) || case when i.indisvalid then '' else ' invalid' end
  from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace in ${OURS}
  union all
  select format('%s (%s)', pg_get_triggerdef(g.oid), g.tgenabled)
  from pg_trigger g join pg_class c on c.oid = g.tgrelid where c.relnamespace in ${OURS} and not g.tgisinternal
  union all
  select concat_ws(' ', case p.prokind when 'f' then 'function' else concat('routine ', p.prokind) end, p.oid::regprocedure,
      'of', p.proowner::regrole, format('(%s) returns %s', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)),
      l.lanname, 'volatility', p.provolatile, 'parallel', p.proparallel, case when p.prosecdef then 'as owner' end,
      case when p.proisstrict then 'strict' end, case when p.proleakproof then 'leakproof' end,
      format('cost %s rows %s body', p.procost, p.prorows),
      left(encode(sha256(convert_to(coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), 'UTF8')), 'hex'), 16))
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace in ${OURS} and ${notOfExtension('pg_proc', 'p.oid')}
  union all
  select format('type %s %s %s', t.oid::regtype, t.typtype, (select string_agg(enumlabel, ', ' order by enumsortorder)
    from pg_enum where enumtypid = t.oid))
  from pg_type t where t.typnamespace in ${OURS} and t.typtype in ('e', 'd', 'r') and ${notOfExtension('pg_type', 't.oid')}
  union all
  select format('rule %s', pg_get_ruledef(r.oid)) from pg_rewrite r join pg_class c on c.oid = r.ev_class
  where c.relnamespace in ${OURS}
  union all
  select format('policy %s on %s', polname, polrelid::regclass) from pg_policy
  union all
  select pg_get_statisticsobjdef(oid) from pg_statistic_ext
  union all
  select format('comment on %s: %s', pg_describe_object(d.classoid, d.objoid, d.objsubid), d.description)
  from pg_description d where d.objoid in (select oid from pg_class where relnamespace in ${OURS}
    union all select oid from pg_proc where pronamespace in ${OURS} and ${notOfExtension('pg_proc', 'pg_proc.oid')})`;

/** What each run of `migrate` gives by src/db/grants.ts: search paths and rights. */
const RIGHTS = `
  select format('search path of %s: %s', p.oid::regprocedure, array_to_string(p.proconfig, ', '))
  from pg_proc p where p.pronamespace in ${OURS} and ${notOfExtension('pg_proc', 'p.oid')}
  union all
  select format('rights on %s: %s', p.oid::regprocedure, (select string_agg(g::text, ', ' order by g::text) from unnest(p.proacl) g))
  from pg_proc p where p.pronamespace in ${OURS} and ${notOfExtension('pg_proc', 'p.oid')}
  union all
  select format('rights on %s: %s', c.oid::regclass, (select string_agg(g::text, ', ' order by g::text) from unnest(c.relacl) g))
  from pg_class c where c.relnamespace in ${OURS} and c.relkind in ('r', 'p', 'S', 'v')
  union all
  select format('rights on %s.%s: %s', a.attrelid::regclass, a.attname, a.attacl)
  from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace in ${OURS} and a.attacl is not null
  union all
  select format('rights on schema %s: %s', nspname, nspacl) from pg_namespace where oid in ${OURS}
  union all
  select format('rights by default: %s %s %s', defaclrole::regrole, defaclobjtype, defaclacl) from pg_default_acl`;

/** A database's schema in sorted lines, for comparison with another one. They leave out nothing that a program could notice. */
export async function schemaLines(client: pg.Client, options: { readonly rights: boolean }): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `select line from (${OBJECTS}${options.rights ? ` union all ${RIGHTS}` : ''}) schema order by line collate "C"`,
  );
  return rows.map(({ line }) => line);
}

import { execute, type Sql, statement } from '../../db/sql.js';
import { LEDGER_ACCOUNTS } from './ledgerAccounts.js';
import { LEDGER_RULES } from './ledgerRules.js';

const { MASTER, CLOUD, DEBT, REVENUE_STORAGE } = LEDGER_ACCOUNTS;

/**
 * The runtime role can write to the ledger only through these functions. They run as their owner. Names are qualified,
 * so objects of the caller are never used.
 */
const AS_OWNER = 'security definer set search_path = pg_catalog, public, pg_temp';

/** Refuses a posting that fits no shape of its type (`ledger_rule`). Ignores accounts whose direction is 0. */
const OBEY = `
  create or replace function public.ledger_obey(kind text, accounts smallint[], directions integer[]) returns void
    language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
  begin
    if not exists (
      select from unnest(accounts, directions) leg(account_no, direction)
        join public.ledger_rule r on r.type = kind and r.account_no = leg.account_no and r.direction = leg.direction
      group by r.shape
      having count(*) = (select count(*) from unnest(directions) d where d <> 0)
    ) then
      raise exception 'ledger rule: no % moves %', kind, (
        select string_agg(account_no || case when direction > 0 then '+' else '-' end, ' ' order by account_no)
        from unnest(accounts, directions) leg(account_no, direction) where direction is distinct from 0
      ) using errcode = 'check_violation', constraint = 'ledger_rule', table = 'ledger_rule';
    end if;
  end $$`;

/**
 * Refuses to return storage that was not charged, or to return it elsewhere. Only the posting of a night can be
 * reversed: completely, once, and under its own key with `:reversed`. Debt is repaid first; CLOUD gets back what it
 * paid of the rest. Without this check, a role that may post could create credits out of revenue, or out of a charge
 * that became debt.
 *
 * The caller has locked MASTER, so no other posting changes the debt meanwhile.
 */
const UNDO = `
  create or replace function public.ledger_undo(owners uuid[], keys text[], accounts smallint[], deltas bigint[])
    returns void language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
  begin
    if exists (
      with returned as materialized (
        select (leg.nth - 1) / cardinality(accounts) + 1 as posting,
          -sum(leg.delta) filter (where a.account_no = ${REVENUE_STORAGE}) as charged,
          coalesce(sum(leg.delta) filter (where a.account_no = ${DEBT}), 0) as to_debt,
          coalesce(sum(leg.delta) filter (where a.account_no = ${CLOUD}), 0) as to_cloud
        from unnest(deltas) with ordinality leg(delta, nth)
          join unnest(accounts) with ordinality a(account_no, place) on place = (leg.nth - 1) % cardinality(accounts) + 1
        group by posting having sum(leg.delta) filter (where a.account_no = ${REVENUE_STORAGE}) < 0
      )
      select from returned r join unnest(owners, keys) with ordinality p(owner_id, key, posting) using (posting)
      where not exists (
        select from public.ledger_tx t join public.ledger_entry e
          on e.owner_id = t.owner_id and e.created_at = t.created_at and e.tx_id = t.tx_id
        where t.owner_id = p.owner_id and t.idempotency_key = left(p.key, -length(':reversed')) and t.type = 'STORAGE'
          and p.key = t.idempotency_key || ':reversed' and e.account_no = ${REVENUE_STORAGE} and e.delta = r.charged
          and r.to_debt = least(r.charged, coalesce((
            select -d.balance from public.ledger_account d
            where d.owner_id = p.owner_id and d.account_no = ${DEBT}), 0))
          and r.to_cloud = least(r.charged - r.to_debt, coalesce((
            select -c.delta from public.ledger_entry c
            where c.owner_id = t.owner_id and c.created_at = t.created_at and c.tx_id = t.tx_id
              and c.account_no = ${CLOUD}), 0)))
    ) then
      raise exception 'ledger rule: no STORAGE moves what was not charged, or past a debt'
        using errcode = 'check_violation', constraint = 'ledger_rule', table = 'ledger_rule';
    end if;
  end $$`;

/**
 * One posting of one owner: locks MASTER and the named accounts in a fixed order, takes the time under that lock, and
 * writes the tx (once per key), the balances and the entries.
 *
 * - Every posting of an owner locks MASTER, so postings run one after the other and their times follow the order of the
 *   commits.
 * - Each statement sees what was committed while the previous one waited for a lock.
 * - If the key was already posted, nothing is posted and the first tx is returned.
 * - Balances change one after the other, in the order of the accounts. If two cannot afford the posting, the error
 *   always names the same one.
 */
const POST = `
  create or replace function public.ledger_post(p_owner uuid, p_type text, p_key text, p_tx uuid, p_hash bytea,
      p_reference text, p_metadata jsonb, p_accounts smallint[], p_deltas bigint[])
    returns table (tx_id uuid, request_hash bytea, is_new boolean)
    language plpgsql volatile ${AS_OWNER} as $$
  #variable_conflict use_column
  declare
    moment timestamptz;
    leg record;
    reached record;
    accounts smallint[] := '{}';
    deltas bigint[] := '{}';
    versions bigint[] := '{}';
    balances bigint[] := '{}';
  begin
    if not coalesce(cardinality(p_accounts) >= 2 and cardinality(p_accounts) = cardinality(p_deltas)
      and cardinality(p_accounts) = (select count(distinct a) from unnest(p_accounts) a)
      and (select sum(d) = 0 from unnest(p_deltas) d), false)
    then
      raise exception 'posting % is not balanced', p_key using errcode = 'check_violation';
    end if;
    perform public.ledger_obey(p_type, p_accounts, (select array_agg(sign(d)::integer) from unnest(p_deltas) d));
    perform from public.ledger_account a
      where a.owner_id = p_owner and a.account_no = any (p_accounts || ${MASTER}::smallint)
      order by a.account_no for no key update;
    if p_type = 'STORAGE' then
      perform public.ledger_undo(array[p_owner], array[p_key], p_accounts, p_deltas);
    end if;
    moment := public.posting_time(p_owner);
    insert into public.ledger_tx
        (owner_id, type, idempotency_key, tx_id, request_hash, reference, metadata, created_at)
      values (p_owner, p_type, p_key, p_tx, p_hash, p_reference, p_metadata, moment)
      on conflict (owner_id, idempotency_key) do nothing;
    if not found then
      return query select t.tx_id, t.request_hash, false from public.ledger_tx t
        where t.owner_id = p_owner and t.idempotency_key = p_key;
      return;
    end if;
    for leg in select account_no, delta from unnest(p_accounts, p_deltas) u(account_no, delta) order by account_no loop
      update public.ledger_account a set balance = a.balance + leg.delta, version = a.version + 1
        where a.owner_id = p_owner and a.account_no = leg.account_no
        returning a.version, a.balance into reached;
      if not found then
        raise exception 'posting % names an account that % does not have', p_key, p_owner using errcode = 'check_violation';
      end if;
      accounts := accounts || leg.account_no;
      deltas := deltas || leg.delta;
      versions := versions || reached.version;
      balances := balances || reached.balance;
    end loop;
    insert into public.ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
      select p_owner, account_no, version, p_tx, delta, balance, moment
      from unnest(accounts, deltas, versions, balances) u(account_no, delta, version, balance);
    return query select p_tx, p_hash, true;
  end $$`;

/**
 * One posting for each of many owners, all of one type and over the same accounts. `p_deltas` has one amount per owner
 * and account, owner by owner; zero amounts are left out. A key that was already posted fails the whole call.
 *
 * The statements join the legs with ledger_account alone, because PostgreSQL cannot estimate joins of arrays.
 */
const POST_MANY = `
  create or replace function public.ledger_post_many(p_type text, p_owners uuid[], p_keys text[], p_txs uuid[],
      p_hashes bytea[], p_references text[], p_metadata jsonb[], p_accounts smallint[], p_deltas bigint[])
    returns bigint language plpgsql volatile ${AS_OWNER} as $$
  #variable_conflict use_column
  declare
    width constant integer := cardinality(p_accounts);
    moments timestamptz[];
    pattern integer[];
    written bigint;
  begin
    if not coalesce(width >= 2 and cardinality(p_deltas) = cardinality(p_owners) * width
      and cardinality(p_owners) = (select count(distinct o) from unnest(p_owners) o)
      and not exists (
        select from unnest(p_deltas) with ordinality leg(delta, nth)
        group by (nth - 1) / width having sum(delta) is distinct from 0 or count(*) filter (where delta <> 0) < 2 or bool_or(delta is null)), false)
    then
      raise exception 'postings % are not balanced', p_type using errcode = 'check_violation';
    end if;
    for pattern in
      select distinct array_agg(sign(delta)::integer order by nth)
      from unnest(p_deltas) with ordinality leg(delta, nth) group by (nth - 1) / width
    loop
      perform public.ledger_obey(p_type, p_accounts, pattern);
    end loop;
    perform from public.ledger_account a
      where a.owner_id = any (p_owners) and a.account_no = any (p_accounts || ${MASTER}::smallint)
      order by a.owner_id, a.account_no for no key update;
    if p_type = 'STORAGE' then
      perform public.ledger_undo(p_owners, p_keys, p_accounts, p_deltas);
    end if;
    moments := array(
      select public.posting_time(o) from unnest(p_owners) with ordinality u(o, nth) order by nth);
    insert into public.ledger_tx
        (owner_id, type, idempotency_key, tx_id, request_hash, reference, metadata, created_at)
      select owner, p_type, key, tx, hash, reference, metadata, moment
      from unnest(p_owners, p_keys, p_txs, p_hashes, p_references, p_metadata, moments)
        u(owner, key, tx, hash, reference, metadata, moment);
    with leg as (
      select p_owners[(nth - 1) / width + 1] as owner_id, p_accounts[(nth - 1) % width + 1] as account_no, delta,
        p_txs[(nth - 1) / width + 1] as tx_id, moments[(nth - 1) / width + 1] as created_at
      from unnest(p_deltas) with ordinality leg(delta, nth) where delta <> 0
    ), account as (
      update public.ledger_account a set balance = a.balance + leg.delta, version = a.version + 1
      from leg where a.owner_id = leg.owner_id and a.account_no = leg.account_no
      returning a.owner_id, a.account_no, a.version, leg.tx_id, leg.delta, a.balance, leg.created_at
    )
    insert into public.ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
      select owner_id, account_no, version, tx_id, delta, balance, created_at from account;
    get diagnostics written = row_count;
    if written <> (select count(*) from unnest(p_deltas) d where d <> 0) then
      raise exception 'postings % name an account that an owner does not have', p_type using errcode = 'check_violation';
    end if;
    return cardinality(p_owners);
  end $$`;

/** Locking a row requires the right to change it. The service uses these functions instead. */
const LOCKS = `
  create or replace function public.lock_wallet(p_owner uuid) returns table (account_no smallint, balance bigint)
    language plpgsql volatile rows 8 ${AS_OWNER} as $$
  begin
    return query select a.account_no, a.balance from public.ledger_account a
      where a.owner_id = p_owner and a.account_no <= ${DEBT}
      order by a.account_no for no key update;
  end $$;
  create or replace function public.await_postings(p_owner uuid) returns void language plpgsql volatile ${AS_OWNER} as $$
  begin
    perform from public.ledger_account a where a.owner_id = p_owner and a.account_no = ${MASTER} for share;
  end $$`;

interface Rules {
  readonly types: readonly string[];
  readonly shapes: readonly string[];
  readonly accountNos: readonly number[];
  readonly directions: readonly number[];
}

const INSTALL_RULES = statement<Rules>(
  'ledger-install-rules',
  `
    with wanted as (
      select * from unnest(:types::text[], :shapes::text[], :accountNos::smallint[], :directions::smallint[])
        r(type, shape, account_no, direction)
    ), gone as (
      delete from public.ledger_rule r
      where (r.type, r.shape, r.account_no, r.direction) not in (select type, shape, account_no, direction from wanted)
    )
    insert into public.ledger_rule select * from wanted on conflict do nothing`,
);

/**
 * Installs the functions and rules of this build in one transaction, so that a service that runs meanwhile always has
 * both.
 *
 * @param sql one connection, with the role that owns the tables
 */
export async function installLedger(sql: Sql): Promise<void> {
  await sql.query({ name: '', text: 'begin' });
  await sql.query({ name: '', text: [OBEY, UNDO, POST, POST_MANY, LOCKS].join(';\n') });
  await execute(sql, INSTALL_RULES, {
    types: LEDGER_RULES.map((rule) => rule.type),
    shapes: LEDGER_RULES.map((rule) => rule.shape),
    accountNos: LEDGER_RULES.map((rule) => rule.accountNo),
    directions: LEDGER_RULES.map((rule) => rule.direction),
  });
  await sql.query({ name: '', text: 'commit' });
}

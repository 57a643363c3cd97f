import type pg from 'pg';

const ACCOUNTS = 'array[1, 2, 3, 4, 10, 11, 12, 50, 60, 61, 62, 63, 64, 65]';

/** Accounts without an owner, each with its accounts of the ledger. */
export async function openOwners(admin: pg.Client, count: number): Promise<void> {
  await admin.query(
    `with opened as (
      insert into account (id) select gen_random_uuid() from generate_series(1, $1) returning id
    )
    insert into ledger_account (owner_id, account_no) select id, n from opened, unnest(${ACCOUNTS}) n order by id, n`,
    [count],
  );
  await admin.query('vacuum analyze account, ledger_account');
}

/** An adjustment of each of `count` owners, with its row and its audit entry. */
export async function correct(admin: pg.Client, count: number, key: string): Promise<void> {
  await admin.query(
    `with owner as materialized (
      select id, gen_random_uuid() as tx_id, service_now() as at from account order by id limit $1
    ), leg as (
      select id, tx_id, at, no, delta from owner, (values (1, 5), (64, -5)) leg(no, delta)
    ), adjusted as (
      insert into adjustment (account_id, id, amount_micros, reason, idempotency_key, status, requested_by, requested_at, tx_id)
      select id, tx_id, 5, 'bench', $2, 'posted', tx_id, at, tx_id from owner
    ), told as (
      insert into audit_entry (account_id, id, actor_id, action, subject, reason, details)
      select id, tx_id, tx_id, 'wallet.adjust', 'x', 'bench', jsonb_build_object('transaction', tx_id) from owner
    ), tx as (
      insert into ledger_tx (owner_id, type, idempotency_key, tx_id, request_hash, metadata, created_at)
      select id, 'ADJUSTMENT', 'adjustment:support:' || $2, tx_id,
        sha256(convert_to('["ADJUSTMENT",null,"5"]', 'UTF8')), '{"reason": "bench"}', at from owner
    ), account as (
      update ledger_account a set balance = balance + delta, version = version + 1 from leg
      where a.owner_id = leg.id and a.account_no = leg.no
      returning a.owner_id, a.account_no, a.version, tx_id, delta, a.balance, at
    )
    insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
    select * from account`,
    [count, key],
  );
  await admin.query('analyze ledger_account, ledger_entry, ledger_tx, adjustment');
}

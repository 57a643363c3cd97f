import pg from 'pg';

import { execute, sqlOn, statement } from './sql.js';

/** Schemas with tables of the service. */
const SCHEMAS = ['public', 'auth', 'pgboss'] as const;

/** Functions that run as their owner and that the service calls directly. Triggers call the others. */
export const CALLED_AS_OWNER = [
  'await_postings',
  'erase_account_rows',
  'finish_erasure',
  'fold_test_facts',
  'forget_test_video',
  'forget_video',
  'forget_webhook_log',
  'keep_event_months',
  'keep_playback_parts',
  'ledger_post',
  'ledger_post_many',
  'lock_wallet',
  'open_account',
  'open_test_account',
  'redact_webhook',
  'service_now',
] as const;

const IS_OWN_ROLE = statement<{ role: string }, { same: boolean }>(
  'grants-is-own-role',
  'select current_user = :role as same',
);

/**
 * Grants rights on rows, never on tables: the runtime role can append to the audit trail but not change it, and posts
 * to the ledger only through functions. Runs in one transaction, so that a service that runs meanwhile never has more
 * rights.
 */
export async function grantRuntimeRole(client: pg.Client, role: string): Promise<void> {
  const [own] = await execute(sqlOn(client), IS_OWN_ROLE, { role });
  if (own?.same) return;
  const name = pg.escapeIdentifier(role);
  await client.query(`
    begin;
    ${CLOSE_TO_EVERYBODY}
    ${SCHEMAS.map(
      (schema) => `
      grant usage on schema ${schema} to ${name};
      revoke create on schema ${schema} from ${name};
      grant select, insert, update, delete on all tables in schema ${schema} to ${name};
      grant usage, select on all sequences in schema ${schema} to ${name};`,
    ).join('')}
    revoke insert, update, delete, truncate on ledger_account, ledger_tx, ledger_entry, ledger_rule from ${name};
    revoke update, delete, truncate on audit_entry, ledger_seal, ledger_seal_owner, ledger_audit from ${name};
    revoke update, delete, truncate on ledger_seal_night, ledger_seal_reconciliation from ${name};
    revoke delete, truncate on escrow, stored_object from ${name};
    revoke update, delete, truncate on account_import from ${name};
    revoke update, delete, truncate on adjustment from ${name};
    grant update (status, decided_by, decided_at, decision_reason, tx_id) on adjustment to ${name};
    revoke update, delete, truncate on staff_request from ${name};
    grant update (status, decided_by, decided_at, decision_reason) on staff_request to ${name};
    revoke delete, truncate on topup, payment, payment_directory, payment_refund, payment_dispute, refund_request from ${name};
    revoke delete, truncate on suspense_item, webhook_event from ${name};
    revoke update, delete, truncate on invoice from ${name};
    revoke delete, truncate on invoice_counter from ${name};
    revoke update on payment_directory, webhook_event from ${name};
    grant update (status, attempts, last_error, next_attempt_at, account_id, payment_id, outcome, processed_at)
      on webhook_event to ${name};
    revoke delete, truncate on referral_code, referral, referral_outbox, referral_invitee, payer from ${name};
    revoke update, delete, truncate on storage_day, storage_reversed_day from ${name};
    revoke delete, truncate on storage_night, automatic_allocation from ${name};
    revoke update, delete, truncate on storage_reversal from ${name};
    grant update (day, after_account, charges, returned_micros, finished_at) on storage_reversal to ${name};
    revoke insert, delete, truncate on service_clock from ${name};
    revoke update, delete, truncate on event from ${name};
    grant update (seq) on event to ${name};
    revoke update, truncate on event_fact from ${name};
    revoke delete, truncate on event_count from ${name};
    revoke delete, truncate on webhook_delivery from ${name};
    revoke update, delete, truncate on webhook_attempt from ${name};
    revoke delete, truncate on playback_view, playback_hour, playback_day from ${name};
    revoke update, delete, truncate on playback_visitor, playback_salt from ${name};
    revoke delete, truncate on account_closing from ${name};
    revoke delete, truncate on staff_day, revoked_quota from ${name};
    revoke insert, update, delete, truncate on test_account from ${name};
    revoke update, delete, truncate on test_fault from ${name};
    revoke insert, update, delete on mikro_orm_migrations from ${name};
    ${grantParts(role)}
    commit;`);
}

/**
 * pg-boss keeps commands in a table and runs them as the role that migrates. Deletes commands that the runtime role
 * could have put there in a database of an earlier release.
 */
export async function dropForeignCommands(client: pg.Client, role: string): Promise<void> {
  await client.query(`
    do $$
    begin
      if to_regclass('pgboss.bam') is not null and to_regrole(${pg.escapeLiteral(pg.escapeIdentifier(role))}) is not null
        and has_table_privilege(${pg.escapeLiteral(role)}, to_regclass('pgboss.bam'), 'insert')
        and current_user <> ${pg.escapeLiteral(role)}
      then
        delete from pgboss.bam where status <> 'completed';
      end if;
    end $$`);
}

/**
 * Gives each function a fixed search path, and revokes what PostgreSQL grants to every role: temporary tables, and
 * execution of each new function. Only the database's owner, who may not be the migrating role, can revoke rights on
 * the database itself; `runtimeRoleFaults` reports those.
 */
const CLOSE_TO_EVERYBODY = `
  do $$
  declare
    fn regprocedure;
  begin
    -- A caller's temporary table must never stand in the place of ours: pg_temp comes first where it is not named. A body
    -- that was parsed when it was written, as the clock's, looks nothing up and stays inlined.
    for fn in
      select p.oid from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole and p.prosqlbody is null
        and coalesce(array_to_string(p.proconfig, ' '), '') !~ 'search_path=.*pg_temp'
    loop
      execute format('alter routine %s set search_path = pg_catalog, public, pg_temp', fn);
    end loop;
    if (select pg_has_role(current_user, datdba, 'usage') from pg_database where datname = current_database()) then
      execute format('revoke temporary, create on database %I from public', current_database());
    end if;
    if (select pg_has_role(current_user, nspowner, 'usage') from pg_namespace where nspname = 'public') then
      revoke create on schema public from public;
    end if;
    for fn in
      select p.oid from pg_proc p
      where p.pronamespace in (${SCHEMAS.map((schema) => `'${schema}'::regnamespace`).join(', ')})
        and p.proowner = current_user::regrole and has_function_privilege('public', p.oid, 'execute')
    loop
      execute format('revoke execute on routine %s from public', fn);
    end loop;
  end $$;
  alter default privileges revoke execute on routines from public;`;

/** Grants that depend on existing objects: single functions, single columns, and nothing on partitions. */
function grantParts(role: string): string {
  const name = pg.escapeIdentifier(role);
  const called = CALLED_AS_OWNER.map((fn) => `'${fn}'`).join(', ');
  return `
  do $$
  declare
    fn record;
    part regclass;
    columns text;
  begin
    -- A function that runs as its caller gives the caller nothing; one that runs as its owner has to be named.
    for fn in
      select p.oid::regprocedure as name, p.prosecdef and p.proname not in (${called}) as is_closed from pg_proc p
      where p.pronamespace in (${SCHEMAS.map((schema) => `'${schema}'::regnamespace`).join(', ')})
        and p.proowner = current_user::regrole
    loop
      execute format(case when fn.is_closed then 'revoke execute on routine %s from %s'
        else 'grant execute on routine %s to %s' end, fn.name, ${pg.escapeLiteral(name)});
    end loop;
    -- Rights on a partitioned table say nothing about its partitions, which can be named themselves.
    for part in
      select inhrelid from pg_inherits where inhparent in ('public.ledger_entry'::regclass, 'public.event'::regclass,
        'public.webhook_delivery'::regclass, 'public.webhook_attempt'::regclass,
        'public.playback_view'::regclass, 'public.playback_visitor'::regclass,
        'public.playback_hour'::regclass, 'public.playback_day'::regclass)
    loop
      execute format('revoke all on %s from %s', part, ${pg.escapeLiteral(name)});
    end loop;
    if to_regclass('public.virtual_clock') is not null then
      revoke all on public.virtual_clock from ${name};
    end if;
    -- pg-boss runs, as the role that migrates, what these say: commands, and names of tables that it does not quote.
    -- Its timekeeper makes a queue of its own, so that rows can be added.
    revoke insert, update, delete on pgboss.bam, pgboss.version from ${name};
    revoke update, delete on pgboss.queue from ${name};
    if not exists (select from pg_constraint where conname = 'plain_table_name') then
      alter table pgboss.queue add constraint plain_table_name check (table_name ~ '^[a-z0-9_]{1,63}$');
    end if;
    select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
      where attrelid = 'pgboss.queue'::regclass and attnum > 0 and not attisdropped
        and attname not in ('name', 'policy', 'partition', 'table_name');
    execute format('grant update (%s) on pgboss.queue to %s', columns, ${pg.escapeLiteral(name)});
    select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
      where attrelid = 'pgboss.version'::regclass and attnum > 0 and not attisdropped and attname <> 'version';
    execute format('grant update (%s) on pgboss.version to %s', columns, ${pg.escapeLiteral(name)});
  end $$;`;
}

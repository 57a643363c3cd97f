import { Migration } from '@mikro-orm/migrations';

/** Rows that are nothing but the account's: deleted. Those that refer to others come first. */
const DELETED = [
  'access_token',
  'alert',
  'api_key_day',
  'api_key',
  'automatic_allocation',
  'billing_details',
  'caption',
  'deleted_webhook_endpoint',
  'event',
  'event_count',
  'event_fact',
  'low_balance',
  'media_key',
  'notice',
  'notification_choice',
  'payer',
  'playback_day',
  'playback_hour',
  'playback_month_state',
  'playback_month',
  'playback_view',
  'playback_visitor',
  'processing_chunk',
  'rendition',
  'revoked_quota',
  'test_fault',
  'webhook_attempt',
  'webhook_delivery',
  'webhook_endpoint',
];

/**
 * Rows that the books, storage or payments need: what people entered is taken out of them. Each is "table: what is set:
 * where it is not set yet".
 */
const EMPTIED: readonly (readonly [table: string, set: string, where: string])[] = [
  [
    'video',
    `title = '', description = '', tags = '{}', metadata = '{}', chapters = '[]', source_probe = null, failure_message = null`,
    `(title, description, tags, metadata, chapters) is distinct from ('', '', '{}'::text[], '{}'::jsonb, '[]'::jsonb)
      or source_probe is not null or failure_message is not null`,
  ],
  ['processing', 'failure_message = null', 'failure_message is not null'],
  [
    'topup',
    `idempotency_key = id::text, return_path = '/', checkout_method = null, checkout_url = null, checkout_fields = null`,
    `idempotency_key <> id::text or return_path <> '/' or checkout_url is not null or checkout_fields is not null`,
  ],
  [
    'refund_request',
    `idempotency_key = 'erased:' || id, reason = case when reason is not null then 'erased' end, last_error = null`,
    `not starts_with(idempotency_key, 'erased:')`,
  ],
  ['suspense_item', `resolution = 'erased'`, `resolution is not null and resolution <> 'erased'`],
  ['webhook_event', 'last_error = null', 'last_error is not null'],
  ['referral', `masked_email = ''`, `masked_email <> ''`],
];

/**
 * Erases the personal data of a closed account, in batches, as the owner of the tables: the service may neither delete
 * what was sent nor change the audit trail.
 *
 * `erase_account_rows` works on accounts whose closing is over, and on nothing else. `finish_erasure` removes the user
 * and says that it is done, once no file, upload or webhook body is left. Both can be called again at any time.
 *
 * Of the audit trail stays who did what and when. What was written in words goes, except for corrections of the wallet,
 * whose reasons the books name, and for the order to erase.
 */
export class Migration0142Erasure extends Migration {
  override up(): void {
    this.addSql(`
      create function is_erasable(p_account uuid) returns boolean
      language sql stable set search_path = pg_catalog, public, pg_temp
      begin atomic
        select exists (
          select from public.account_closing c join public.account a on a.id = c.account_id
          where c.account_id = coalesce((select t.live_account_id from public.test_account t where t.account_id = p_account),
              p_account)
            and c.reopened_at is null and c.erase_after <= public.service_now() and a.role = 'owner');
      end`);
    // Words of the audit trail can be taken out of an account that is erased; nothing else of it ever changes.
    this.addSql(`
      create or replace trigger audit_entry_append_only before delete or truncate on audit_entry
        for each statement execute function refuse_change()`);
    this.addSql(`
      create function refuse_change_of_audit() returns trigger language plpgsql
        set search_path = pg_catalog, public, pg_temp as $$
      begin
        if (new.account_id, new.id, new.actor_id, new.action, new.created_at)
            is distinct from (old.account_id, old.id, old.actor_id, old.action, old.created_at)
          or (new.subject, new.reason, new.details) is distinct from ('erased', 'erased', '{}'::jsonb)
          or not public.is_erasable(old.account_id)
        then
          raise exception 'audit_entry is append-only' using errcode = '42501';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger audit_entry_stays before update on audit_entry
        for each row execute function refuse_change_of_audit()`);
    this.addSql(`
      create function erase_account_rows(p_account uuid, p_batch integer) returns integer
      language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        kept_table text;
        part regclass;
        emptied record;
        changed integer;
        total integer := 0;
      begin
        if not public.is_erasable(p_account) then
          raise exception 'the account is not closed, or can still be reopened' using errcode = '42501';
        end if;
        update public.brand set current_version = null where account_id = p_account and current_version is not null;
        foreach kept_table in array array[${[...DELETED, 'brand_version', 'brand_logo', 'brand'].map((name) => `'${name}'`).join(', ')}] loop
          -- Some tables come with later migrations.
          continue when to_regclass('public.' || kept_table) is null;
          -- A row of a partitioned table is found by its place only within its partition.
          for part in
            select inhrelid::regclass from pg_inherits where inhparent = ('public.' || kept_table)::regclass
            union all
            select ('public.' || kept_table)::regclass
              where not exists (select from pg_inherits where inhparent = ('public.' || kept_table)::regclass)
          loop
            execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where account_id = $1 limit $2))', part)
              using p_account, p_batch;
            get diagnostics changed = row_count;
            total := total + changed;
          end loop;
        end loop;
        for emptied in select * from (values
          ${EMPTIED.map(([table, set, where]) => `('${table}', $set$${set}$set$, $where$${where}$where$)`).join(',\n          ')}
        ) t (kept_table, set, missing) loop
          execute format('update public.%1$I set %2$s where ctid = any (array(
              select ctid from public.%1$I where account_id = $1 and (%3$s) limit $2))',
            emptied.kept_table, emptied.set, emptied.missing) using p_account, p_batch;
          get diagnostics changed = row_count;
          total := total + changed;
        end loop;
        update public.referral_invitee set masked_email = '' where invitee_id = p_account and masked_email <> '';
        update public.audit_entry set subject = 'erased', reason = 'erased', details = '{}'
          where id in (select id from public.audit_entry
              where account_id = p_account and action not in ('wallet.adjust', 'account.erase') and reason <> 'erased' limit p_batch)
            and account_id = p_account;
        get diagnostics changed = row_count;
        return total + changed;
      end $$`);
    this.addSql(`
      create function finish_erasure(p_account uuid) returns text
      language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        owned uuid[] := array(select p_account union all
          select t.account_id from public.test_account t where t.live_account_id = p_account);
        address text;
      begin
        if not public.is_erasable(p_account) or not exists (select from public.account_closing where account_id = p_account) then
          raise exception 'the account is not closed, or can still be reopened' using errcode = '42501';
        end if;
        perform from public.account where id = p_account for update;
        if exists (select from public.video where account_id = any (owned) and (deleted_at is null or purge_after is not null))
          then return 'videos'; end if;
        if exists (select from public.upload where account_id = any (owned) and finished_at is null) then return 'uploads'; end if;
        if exists (select from public.stored_object where account_id = any (owned) and swept_at is null)
          or exists (select from public.processing_output where account_id = any (owned) and sweep_after <= public.service_now())
          then return 'files'; end if;
        if exists (select from public.webhook_event where account_id = any (owned) and redacted_at is null)
          then return 'webhooks'; end if;
        select u.email into address from auth."user" u where u.id = p_account;
        if address is not null then
          delete from auth.verification where strpos(identifier, address) > 0 or strpos(value, address) > 0
            or strpos(value, p_account::text) > 0;
          delete from auth."twoFactor" where "userId" = p_account;
          delete from auth.session where "userId" = p_account;
          delete from auth.account where "userId" = p_account;
          delete from auth."user" where id = p_account;
        end if;
        -- Play payments, outside production.
        if to_regclass('public.payment_sandbox_order') is not null then
          delete from public.payment_sandbox_webhook w using public.payment_sandbox_order o
            where o.order_id = w.order_id and o.account_id = any (owned);
          update public.payment_sandbox_payment p set payer_email = 'erased' from public.payment_sandbox_order o
            where o.order_id = p.order_id and o.account_id = any (owned);
          update public.payment_sandbox_order set payer_email = 'erased', description = '', return_url = ''
            where account_id = any (owned);
        end if;
        update public.account set suspended_reason = 'Erased.', allowed_domains = '{}' where id = any (owned);
        update public.account_closing set erased_at = public.service_now()
          where account_id = p_account and reopened_at is null and erased_at is null;
        return null;
      end $$`);
  }
}

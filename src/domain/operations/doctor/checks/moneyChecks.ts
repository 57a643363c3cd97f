import { readArchive } from '../../../ledger/seals/reconciliations.js';
import { readHeads } from '../../../ledger/seals/sealHeads.js';
import { found, rowsCheck, type Check, type Finding } from '../check.js';
import type { Services } from '../services.js';

/** Payments and the books. Nothing here moves money that the service would not move by itself. */
export function moneyChecks(services: Services): readonly Check[] {
  return [
    webhooks(services),
    MISSING_WEBHOOKS,
    SUSPENSE,
    REFUNDS,
    NIGHTS,
    CLOCK_HELD,
    audit(services),
    SEALED_FAULTS,
    seals(services),
  ];
}

function webhooks(services: Services): Check {
  const check = rowsCheck({
    name: 'webhooks',
    title: 'signed webhooks that were not processed',
    remedy: 'Processes those that are due. Staff replay those that were given up, once the cause is fixed.',
    text: `
      select provider || ' ' || event_id, received_at,
        case when next_attempt_at is null then 'Given up after ' || attempts || ' tries: '
          when attempts > 0 then 'It failed ' || attempts || ' times: ' else 'Nobody has tried it. ' end
        || coalesce(last_error, '')
      from webhook_event
      where status in ('pending', 'failed')
        and (next_attempt_at is null or received_at < service_now() - interval '10 minutes')
      union all
      select provider || ' ' || event_id, received_at, 'It waits for word of its payment ' || coalesce(payment_id, '') || '.'
      from webhook_event where status = 'waiting' and received_at < service_now() - interval '1 day'`,
  });
  return { ...check, repair: ({ signal }) => services().paymentInbox.drain(signal) };
}

const MISSING_WEBHOOKS = rowsCheck({
  name: 'topups-missing-webhook',
  title: 'top-ups that the provider reports as paid, but whose webhook is missing',
  remedy:
    'Have the provider send the webhook again: only the webhook adds credits. Check its address and secret at the provider.',
  text: `
    select format('account %s, top-up %s', account_id, id), webhook_missing_since,
      provider || ' calls order ' || coalesce(order_id, 'unknown') || ' paid; nothing signed has come.'
    from topup where webhook_missing_since is not null and status <> 'paid'`,
});

const SUSPENSE = rowsCheck({
  name: 'suspense',
  title: 'money that was received and matches no top-up',
  remedy: 'Staff refund or resolve it under Payments.',
  text: `
    select format('account %s, %s payment %s', account_id, provider, payment_id), created_at,
      amount_minor || ' ' || currency || ' minor units: ' || reason
    from suspense_item where status = 'open'`,
});

const REFUNDS = rowsCheck({
  name: 'refunds',
  title: 'refunds that were requested more than a day ago and are not complete',
  remedy: 'Check the refund at the provider. Its webhook completes it here.',
  text: `
    select format('account %s, refund %s of %s', account_id, id, payment_id), created_at,
      case when refund_id is null then 'The provider was not reached in ' || attempts || ' tries: ' || coalesce(last_error, '')
        else 'The provider has it as ' || refund_id || ' and has not said how it ended.' end
    from refund_request where status = 'requested' and created_at < service_now() - interval '1 day'`,
});

const NIGHTS = rowsCheck({
  name: 'storage-nights',
  title: 'days whose storage was not charged',
  remedy:
    'Run `dhara clock`: after 48 hours, they wait for a person. Otherwise, check why no worker runs `dhara storage run`. ' +
    'Each day is charged once, however late.',
  text: `
    select day::date::text, (day + interval '1 day 15 minutes') at time zone 'UTC', 'Its night has not been finished.'
    from (
      select coalesce(min(day) filter (where finished_at is null), max(day) filter (where reversed_by is null) + 1)
        as first_day
      from storage_night
    ) next, generate_series(first_day::timestamp, (service_now() - interval '1 day 2 hours') at time zone 'UTC',
      interval '1 day') day
    where (day + interval '1 day 15 minutes') at time zone 'UTC' < service_now() - interval '2 hours'`,
});

const CLOCK_HELD = rowsCheck({
  name: 'clock-held',
  title: 'daily charges are on hold until a person checks the clock',
  remedy: 'Correct the clocks, run `dhara clock`, and then accept the time.',
  text: `select 'clock of the database', held_since, held_why from service_clock where held_since is not null`,
});

function audit(services: Services): Check {
  const check = rowsCheck({
    name: 'ledger-audit',
    title: 'the books have not been verified for over a day',
    remedy: 'Verifies and seals them now if the night is due. Otherwise, run `dhara ledger verify`.',
    text: `
      select 'ledger', at, 'No worker has done it in its night.' from (
        select coalesce((select max(verified_at) from ledger_audit
          where verified_at <= service_now() + interval '5 minutes'), min(started_at)) as at from storage_night
      ) last where at < service_now() - interval '25 hours'`,
  });
  return { ...check, repair: ({ signal }) => services().ledgerAudit.nightly(signal) };
}

const SEALED_FAULTS = rowsCheck({
  name: 'ledger-faults',
  title: 'ledger verification failed',
  remedy: 'Run `dhara ledger verify` and look at the first wrong row. Nothing is corrected automatically.',
  text: `
    select 'ledger', verified_at, faults || ' wrong rows. First: ' || coalesce(first_fault, 'not noted')
    from (
      select * from ledger_audit where verified_at <= service_now() + interval '5 minutes'
      order by verified_at desc limit 1) latest where faults > 0`,
});

function seals(services: Services): Check {
  return {
    name: 'seals',
    title: 'sealed blocks whose head is missing or different in the archive',
    remedy:
      'Check that LEDGER_SEALS_DIR is the worker’s. Run `dhara ledger verify` first, and only then `dhara ledger seal`.',
    async find({ sql }) {
      const { heads } = await readArchive(sql, services().sealArchive);
      const kept = new Map(heads.map((head) => [head.blockNo, head.digest]));
      const wrong: Finding[] = [];
      for (const { blockNo, digest, sealedAt } of await readHeads(sql)) {
        const known = kept.get(blockNo);
        if (known === digest) continue;
        const why =
          known === undefined ? 'The archive does not have its head.' : 'The archive has a different head for it.';
        wrong.push({ subject: `block ${blockNo}`, since: new Date(sealedAt), why });
      }
      return found(wrong);
    },
  };
}

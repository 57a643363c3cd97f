import type { Class } from './classes.js';

/** Statements that cross shards, by their names, and what that means for them. */
export const CROSSING: readonly { readonly names: RegExp; readonly why: string }[] = [
  {
    names: /^access-token-find$/,
    why: 'finds the account by a hash: needs a reference table from hashes to accounts, or the account in the secret',
  },
  { names: /^referral-code-is-valid$/, why: 'finds the account by a code: a reference table from codes to accounts' },
  {
    names:
      /^(find_accounts|support-|adjustment-|staff-request-|staff-view-|account-note|audit-of-|closing-find-account|statement-holder)/,
    why: 'staff and their lists look at all accounts, or join one with its user: the coordinator asks every shard',
  },
  {
    names: /^(video-(get|get-many|key|list-versions)|playback-(mint|recall))/,
    why: 'finds the account by the hash of a key: needs what access-token-find needs',
  },
  {
    names: /^published-videos$/,
    why: 'a batch of requests of several accounts: batches are made per shard',
  },
  {
    names: /^(identity_(has_session|viewer)|actor-names$)/,
    why: 'joins users or their sessions with an account: the coordinator has the users, and asks the account’s shard',
  },
  {
    names: /^(account-import-find|moved-)/,
    why: 'an account that moves in must be unknown everywhere: the coordinator asks every shard, once per import',
  },
  {
    names: /^(doctor-|platform-|unnamed: with people as|backup-counts|escrow-held|webhook-lag)/,
    why: 'the doctor, totals, metrics and backups look at everything: the coordinator asks every shard and adds up',
  },
  {
    names:
      /^(notice-(due|forget)|webhook-lease|upload-|bin-due|video-|chunk-|leftovers-|attempt-live|purchase-find|reconciler-|refund-request-due|referral-next|low-balance-|brand-(gone|prune)|closing-|event-|webhook-forget|clock-mend)/,
    why: 'a chore looks for what is due, and works on it account by account: one runs per shard',
  },
  {
    names: /^(storage-)/,
    why: 'the night goes through all owners in batches, and objects are measured: a night runs per shard',
  },
  {
    names: /^(ledger-verify-|seal-|audit-)/,
    why: 'books are verified and sealed owner by owner: a chain of seals per shard',
  },
  {
    names: /^playback-/,
    why: 'a batch has views of many accounts, and partitions are those of each shard: batches are made per shard',
  },
  {
    names: /^(test-account-|key-revoke-all|suspend_keys|account-set-closed|webhook-endpoint-disable-all|notice-queue)/,
    why: 'concerns an account and its test account, or a few accounts: the test account lives on the shard of its owner',
  },
  {
    names: /^(invoice-issue|topup-webhook-came|unnamed: select case when)$/,
    why: 'changes an account and a table of the coordinator (a series of invoices, an alert, the queue): two steps, the account’s first',
  },
];

/** What the text alone does not tell, mostly because a function of the database does the work. */
export const BY_HAND: Readonly<Record<string, Class>> = {
  open_account: 'account',
  'test-account-open': 'account',
  'event-append': 'account',
  // A column has the name of a table.
  'purchase-insert-attempt': 'account',
  'audit-since': 'crossing',
  'audit-slice': 'crossing',
  'event-keep-months': 'crossing',
  'playback-keep-parts': 'crossing',
  'playback-recall-key': 'crossing',
  'referral-code-is-valid': 'crossing',
  'webhook-forget-log': 'crossing',
  'invoice-lock-series': 'coordinator',
  'payment-take-turn': 'coordinator',
  'process-lock': 'coordinator',
  'process-try-lock': 'coordinator',
  'process-try-shared-lock': 'coordinator',
  'webhook-bodies-redact': 'coordinator',
  // Of one server: its roles and rights, its clock, its log, its migrations, its copy.
  'backup-begin': 'coordinator',
  'backup-create-slot': 'coordinator',
  'backup-end': 'coordinator',
  'backup-server-version': 'coordinator',
  'database-names': 'coordinator',
  'database-state': 'coordinator',
  'embedded-existing-roles': 'coordinator',
  'grants-is-own-role': 'coordinator',
  'migration-blocker': 'coordinator',
  'migration-faults': 'coordinator',
  'migration-take-turn': 'coordinator',
  'migration-turn-of': 'coordinator',
  'migrations-applied': 'coordinator',
  'replica-now': 'coordinator',
  'replica-primary-now': 'coordinator',
  'replica-server': 'coordinator',
  'runtime-role-faults': 'coordinator',
  'server-state': 'coordinator',
};

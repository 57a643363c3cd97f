import { entities } from '../../../src/db/entities.js';

/**
 * Where a statement runs if accounts are spread over shards: on the shard of its `account`, anywhere because it reads
 * `reference` tables alone, on the `coordinator`, or on several shards (`crossing`).
 */
export type Class = 'account' | 'reference' | 'coordinator' | 'crossing';

/** Small, rarely written, and the same on every shard. */
const REFERENCE = [
  'clock_machine',
  'lasting_secret',
  'ledger_rule',
  'playback_salt',
  'playback_signing_key',
  'service_clock',
];

/** On one node, because they are about all accounts, or come before the account is known. */
const COORDINATOR = [
  'alert',
  'backup',
  'invoice_counter',
  'ledger_audit',
  'ledger_seal',
  'ledger_seal_night',
  'ledger_seal_reconciliation',
  'payment_directory',
  'payment_sandbox_dispute',
  'payment_sandbox_order',
  'payment_sandbox_payment',
  'payment_sandbox_refund',
  'payment_sandbox_webhook',
  'platform_day',
  'staff_day',
  'storage_night',
  'storage_reversal',
  'webhook_event',
];

/** Parameters that name one account. */
const ONE_ACCOUNT: ReadonlySet<string> = new Set(['accountId', 'ownerId', 'account_id', 'owner_id']);
const ACCOUNT_COLUMN = /\b(account_id|owner_id)\b/;

interface Entity {
  readonly meta: { readonly tableName: string; readonly properties: object };
}

const accountTables = (entities as readonly Entity[])
  .filter(({ meta }) => 'accountId' in meta.properties || 'ownerId' in meta.properties || meta.tableName === 'account')
  .map(({ meta }) => meta.tableName)
  .filter((table) => !REFERENCE.includes(table) && !COORDINATOR.includes(table));

/** Tables without a place, and places without a table. */
export function tablesByPlace(): { readonly account: readonly string[]; readonly unplaced: readonly string[] } {
  const placed = [...accountTables, ...REFERENCE, ...COORDINATOR];
  const tables = (entities as readonly Entity[]).map(({ meta }) => meta.tableName);
  return {
    account: accountTables.toSorted(),
    unplaced: [
      ...tables.filter((table) => !placed.includes(table)),
      ...placed.filter((table) => !tables.includes(table)),
    ],
  };
}

export function classOf(text: string, parameters: readonly string[]): Class {
  const code = text.replaceAll(/--[^\n]*|'(?:[^']|'')*'/g, ' ');
  const scopes = scopesOf(code, accountTables);
  const onOneNode = scopesOf(code, COORDINATOR).length > 0 || /\b(auth|pgboss)\./.test(code);
  const isOfOne = parameters.some((name) => ONE_ACCOUNT.has(name));
  if (scopes.length === 0) return onOneNode ? 'coordinator' : isOfOne ? 'account' : 'reference';
  if (onOneNode || !isOfOne) return 'crossing';
  const column = ({ table, scope }: Scope) =>
    (table === 'account' ? /\b(account_id|owner_id|id)\b/ : ACCOUNT_COLUMN).test(scope);
  return scopes.every(column) ? 'account' : 'crossing';
}

interface Scope {
  readonly table: string;
  /** From its mention to the end of the query that it is in. */
  readonly scope: string;
}

function scopesOf(code: string, tables: readonly string[]): Scope[] {
  const names = new RegExp(`(?<![.\\w"])(?:public\\.)?(${tables.join('|')})(?![\\w.("])`, 'g');
  return [...code.matchAll(names)]
    .filter(({ index }) => /(from|join|into|update|using|only|,)\s+$/.test(code.slice(0, index)))
    .map(({ index, 1: table = '' }) => ({ table, scope: untilClosed(code.slice(index)) }));
}

function untilClosed(code: string): string {
  let depth = 0;
  for (let at = 0; at < code.length; at += 1) {
    if (code[at] === '(') depth += 1;
    if (code[at] === ')') depth -= 1;
    if (depth < 0) return code.slice(0, at);
  }
  return code;
}

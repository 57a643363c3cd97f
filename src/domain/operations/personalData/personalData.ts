import { type Database, execute, type Sql, statement } from '../../../db/sql.js';
import { TEST_ACCOUNT_OF } from '../../accounts/testMode/testAccount.sql.js';

const PAGE = 500;

interface Kind {
  /** What the lines are called. */
  readonly name: string;
  readonly table: string;
  /** The column with the account's id. */
  readonly owner?: string;
  /** Columns that tell the rows of an account apart and put them in order, with their types. */
  readonly key: readonly (readonly [column: string, type: string])[];
  /** Secrets, and what only the service uses. */
  readonly without?: readonly string[];
}

const ID = ['id', 'uuid'] as const;
const CREATED = ['created_at', 'timestamptz'] as const;
const VIDEO = ['video_id', 'uuid'] as const;

/** All that an account holds, in the order of the file. */
export const KINDS: readonly Kind[] = [
  { name: 'user', table: 'auth."user"', owner: 'id', key: [ID] },
  {
    name: 'session',
    table: 'auth.session',
    owner: '"userId"',
    key: [ID],
    without: ['token'],
  },
  {
    name: 'account',
    table: 'account',
    owner: 'id',
    key: [ID],
    without: ['data_download_id', 'data_download_until'],
  },
  { name: 'closing', table: 'account_closing', key: [ID] },
  { name: 'import', table: 'account_import', key: [['account_id', 'uuid']] },
  { name: 'api_key', table: 'api_key', key: [ID], without: ['hash'] },
  { name: 'access_token', table: 'access_token', key: [ID], without: ['hash'] },
  { name: 'video', table: 'video', key: [ID], without: ['title_words'] },
  { name: 'rendition', table: 'rendition', key: [VIDEO, ['quality', 'text'], ['track', 'smallint']] },
  { name: 'caption', table: 'caption', key: [VIDEO, ID] },
  {
    name: 'stored_object',
    table: 'stored_object',
    key: [
      ['key', 'text'],
      ['generation', 'integer'],
    ],
  },
  { name: 'upload', table: 'upload', key: [VIDEO, ['id', 'text']], without: ['lease_token', 'multipart_id'] },
  { name: 'quote', table: 'quote', key: [ID] },
  { name: 'processing', table: 'processing', key: [VIDEO, ['attempt', 'integer']] },
  { name: 'logo', table: 'brand_logo', key: [['sha256', 'text']] },
  { name: 'branding', table: 'brand_version', key: [['version', 'integer']] },
  { name: 'webhook_endpoint', table: 'webhook_endpoint', key: [ID] },
  {
    name: 'webhook_delivery',
    table: 'webhook_delivery',
    key: [CREATED, ['endpoint_id', 'uuid'], ['event_id', 'uuid']],
  },
  { name: 'webhook_attempt', table: 'webhook_attempt', key: [CREATED, ID] },
  { name: 'event', table: 'event', key: [CREATED, ID] },
  { name: 'video_change', table: 'video_change', key: [VIDEO, ['fact', 'text']] },
  { name: 'email', table: 'notice', key: [['key', 'text']] },
  { name: 'billing_details', table: 'billing_details', key: [['account_id', 'uuid']] },
  { name: 'top_up', table: 'topup', key: [ID], without: ['checkout_url', 'checkout_fields'] },
  {
    name: 'payment',
    table: 'payment',
    key: [
      ['provider', 'text'],
      ['payment_id', 'text'],
    ],
    without: ['payer_hashes'],
  },
  { name: 'refund_request', table: 'refund_request', key: [ID], without: ['actor_id', 'approved_by', 'reason'] },
  {
    name: 'refund',
    table: 'payment_refund',
    key: [
      ['provider', 'text'],
      ['refund_id', 'text'],
    ],
  },
  {
    name: 'dispute',
    table: 'payment_dispute',
    key: [
      ['provider', 'text'],
      ['dispute_id', 'text'],
    ],
  },
  {
    name: 'invoice',
    table: 'invoice',
    key: [
      ['top_up_id', 'uuid'],
      ['refund_id', 'text'],
    ],
  },
  {
    name: 'posting',
    table: 'ledger_tx',
    owner: 'owner_id',
    key: [['idempotency_key', 'text']],
    without: ['request_hash'],
  },
  {
    name: 'ledger_entry',
    table: 'ledger_entry',
    owner: 'owner_id',
    key: [
      ['account_no', 'smallint'],
      ['version', 'bigint'],
    ],
  },
  {
    name: 'storage_day',
    table: 'storage_day',
    key: [
      ['day', 'date'],
      ['round', 'smallint'],
    ],
  },
  { name: 'low_balance', table: 'low_balance', key: [['account_id', 'uuid']] },
  { name: 'referral', table: 'referral', key: [['account_id', 'uuid']], without: ['payer_hashes', 'referrer_id'] },
  { name: 'view', table: 'playback_view', key: [['minted_at', 'timestamptz'], ID] },
  {
    name: 'views_by_day',
    table: 'playback_day',
    key: [['starts_at', 'timestamptz'], ['dimension', 'text'], VIDEO, ['value', 'text']],
  },
  { name: 'audit_entry', table: 'audit_entry', key: [CREATED, ID], without: ['actor_id'] },
];

const PAGES = KINDS.map((kind) => {
  const { name, table, owner = 'account_id', key, without = [] } = kind;
  const columns = key.map(([column]) => `t.${column}`).join(', ');
  const after = key.map(([column, type]) => `(:after::jsonb ->> '${column}')::${type}`).join(', ');
  const place = key.map(([column]) => `'${column}', t.${column}`).join(', ');
  return {
    kind,
    page: statement<{ accountId: string; after: string | null }, { row: string; place: string }>(
      `personal-data-${name}`,
      `
        select (to_jsonb(t) - array[${without.map((column) => `'${column}'`).join(', ')}]::text[])::text as row,
          jsonb_build_object(${place})::text as place
        from ${table} t
        where t.${owner} = :accountId and (:after::jsonb is null or (${columns}) > (${after}))
        order by ${columns} limit ${PAGE}`,
    ),
  };
});

/**
 * All that an account and its test account hold, as lines of JSON: `{"kind", "mode", "row"}`. Secrets and the files of videos
 * are not in it.
 *
 * Reads a page at a time, between which it holds nothing, so a slow reader costs no more than a fast one. Rows that change
 * meanwhile are in it as they were when their page was read.
 */
export async function* personalData(db: Database, accountId: string, signal?: AbortSignal): AsyncGenerator<string> {
  const [test] = await execute(db.sql, TEST_ACCOUNT_OF, { liveAccountId: accountId });
  for (const { kind, page } of PAGES) {
    yield* linesOf(db.sql, page, { kind: kind.name, mode: 'live', accountId }, signal);
    if (test) yield* linesOf(db.sql, page, { kind: kind.name, mode: 'test', accountId: test.account_id }, signal);
  }
}

async function* linesOf(
  sql: Sql,
  page: (typeof PAGES)[number]['page'],
  { kind, mode, accountId }: { kind: string; mode: string; accountId: string },
  signal?: AbortSignal,
): AsyncGenerator<string> {
  for (let after: string | null = null; ;) {
    signal?.throwIfAborted();
    const rows: { row: string; place: string }[] = await execute(sql, page, { accountId, after });
    if (rows.length === 0) return;
    // One text for the whole page: a chunk per line would be slow.
    yield rows.map(({ row }) => `{"kind":"${kind}","mode":"${mode}","row":${row}}\n`).join('');
    after = rows.at(-1)!.place;
    if (rows.length < PAGE) return;
  }
}

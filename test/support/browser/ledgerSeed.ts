import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg, { type Client } from 'pg';

import { DATABASE, OWNER_ROLE, SUPERUSER_ROLE } from '../../../src/db/embedded/cluster.js';
import { LEDGER_ACCOUNTS, type LedgerAccountName } from '../../../src/domain/ledger/ledgerAccounts.js';

const PORT_LINE = 3;

/** The address of a running service's embedded database, for the role that owns the tables. */
export function embeddedUrl(dataDir: string): Promise<string> {
  return urlOf(dataDir, OWNER_ROLE, 'owner');
}

/** The same for the superuser. */
export function embeddedSuperuserUrl(dataDir: string): Promise<string> {
  return urlOf(dataDir, SUPERUSER_ROLE, 'migration');
}

async function urlOf(dataDir: string, role: string, password: 'owner' | 'migration'): Promise<string> {
  const folder = join(dataDir, 'postgres');
  const passwords = JSON.parse(await readFile(join(folder, 'passwords.json'), 'utf8')) as Record<string, string>;
  const port = (await readFile(join(folder, 'cluster/postmaster.pid'), 'utf8')).split('\n')[PORT_LINE];
  return `postgresql://${role}:${passwords[password]}@127.0.0.1:${port}/${DATABASE}`;
}

export async function connectToEmbedded(dataDir: string): Promise<Client> {
  const client = new pg.Client({ connectionString: await embeddedUrl(dataDir) });
  // The service may stop first.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Posts a debt of `micros`, as unpaid storage does, as the role that owns the tables. */
export async function bookDebt(admin: Client, ownerId: string, micros: bigint): Promise<void> {
  await book(admin, { ownerId, type: 'STORAGE', key: 'storage:2026-01-01:seed', times: 1 }, [
    ['DEBT', -micros],
    ['REVENUE_STORAGE', micros],
  ]);
}

/** Moves a credit from MASTER to AI and back, repeatedly: two entries each time, eight minutes apart. */
export async function bookManyMoves(admin: Client, ownerId: string, times: number): Promise<void> {
  await book(admin, { ownerId, type: 'ALLOCATION', key: 'allocation:seed', times }, [
    ['MASTER', -1_000_000n],
    ['AI', 1_000_000n],
  ]);
}

/** Moves a credit from MASTER to a bucket that lacked it, as a job or a day of storage does. */
export async function bookDraw(
  admin: Client,
  ownerId: string,
  { bucket, key, reference }: { readonly bucket: LedgerAccountName; readonly key: string; readonly reference: string },
): Promise<void> {
  await book(admin, { ownerId, type: 'ALLOCATION', key: `${key}:${reference}`, reference, times: 1 }, [
    ['MASTER', -1_000_000n],
    [bucket, 1_000_000n],
  ]);
}

interface Posting {
  readonly ownerId: string;
  readonly type: string;
  readonly key: string;
  readonly reference?: string;
  /** Every second posting is the reverse of the first. */
  readonly times: number;
}

/** Postings as the service writes them, in one transaction, the newest dated now and the others before it. */
async function book(
  admin: Client,
  { ownerId, type, key, reference = '', times }: Posting,
  deltas: readonly (readonly [LedgerAccountName, bigint])[],
): Promise<void> {
  await admin.query('begin');
  await admin.query(
    `insert into ledger_tx (owner_id, idempotency_key, tx_id, type, request_hash, created_at, reference)
     select $1, $2 || ':' || n, gen_random_uuid(), $3, '', service_now() - ($4 - n) * interval '8 minutes', nullif($5, '')
     from generate_series(1, $4::int) n`,
    [ownerId, key, type, times, reference],
  );
  const entries = deltas.map(([account, micros]) => [LEDGER_ACCOUNTS[account], micros.toString()]);
  await admin.query(
    `insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
     select $1, a.account_no, a.version + n, t.tx_id, case when n % 2 = 1 then delta else -delta end,
       a.balance + case when n % 2 = 1 then delta else 0 end, t.created_at
     from jsonb_to_recordset($4) moved(account_no smallint, delta bigint)
       join ledger_account a on a.owner_id = $1 and a.account_no = moved.account_no
       cross join generate_series(1, $3::int) n
       join ledger_tx t on t.owner_id = $1 and t.idempotency_key = $2 || ':' || n`,
    [ownerId, key, times, JSON.stringify(entries.map(([account_no, delta]) => ({ account_no, delta })))],
  );
  await admin.query(
    `update ledger_account a set version = a.version + $2, balance = a.balance + case when $2 % 2 = 1 then delta else 0 end
     from jsonb_to_recordset($3) moved(account_no smallint, delta bigint)
     where a.owner_id = $1 and a.account_no = moved.account_no`,
    [ownerId, times, JSON.stringify(entries.map(([account_no, delta]) => ({ account_no, delta })))],
  );
  await admin.query('commit');
}

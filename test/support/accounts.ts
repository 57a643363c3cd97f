import type pg from 'pg';

import type { Database, Sql, Statement, Transaction } from '../../src/db/sql.js';
import { recordAudit } from '../../src/domain/shared/audit.js';
import { newId } from '../../src/domain/shared/ids.js';
import { UNITS_PER_MICRO, unitsPerDay } from '../../src/domain/ledger/storageRate.js';
import type { SpendableAccount } from '../../src/domain/ledger/ledgerAccounts.js';
import { post, type PostedTx } from '../../src/domain/ledger/posting.js';
import { WalletService } from '../../src/domain/ledger/wallet.service.js';

export interface FundedAccountOptions {
  /** An existing account that gets more credits. */
  accountId?: string;
  masterMicros?: bigint;
  creativeMicros?: bigint;
}

const OPEN: Statement = { name: 'test-open-account', text: 'select open_account($1)' };

const REASON = 'for a test';

const INSERT_ADJUSTMENT: Statement = {
  name: 'test-insert-adjustment',
  text: `
    insert into adjustment
      (account_id, id, amount_micros, reason, idempotency_key, status, requested_by, requested_at, tx_id)
    values ($1, $2, $3, $6, $2::uuid::text, 'posted', $4, service_now(), $5)
    on conflict do nothing returning id`,
};

/** A day older than any night, after the days made like this before. */
const NEXT_DAY: Statement = {
  name: 'test-next-day',
  text: `
    select ((select min(day) from storage_night) - 400 + count(*)::integer)::text as day,
      coalesce((array_agg(remainder order by day desc))[1], 0)::text as carried
    from storage_day where account_id = $1`,
};

const INSERT_DAY: Statement = {
  name: 'test-insert-storage-day',
  text: `
    insert into storage_day (account_id, day, bytes, charged_micros, remainder, from_cloud_micros, from_master_micros,
      arrears_micros, created_at)
    values ($1, $2, $3, $4::bigint, $5, 0, 0, $4::bigint, service_now())`,
};

const ADD_USER: Statement = {
  name: 'test-add-user',
  text: `
    insert into auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
    values ($1::uuid, $2, $1::uuid || '@example.com', true, now(), now())`,
};

const TABLES: Statement = {
  name: 'test-tables-of-accounts',
  text: `
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
};

/** A user with an account and a confirmed address. Returns the id of both. */
export async function addUser(sql: Sql, name = 'Asha'): Promise<string> {
  const id = newId();
  await sql.query(ADD_USER, [id, name]);
  return id;
}

/** The names of all tables whose rows belong to accounts. */
export async function tablesOfAccounts(sql: Sql): Promise<string[]> {
  return (await sql.query<{ name: string }>(TABLES)).map(({ name }) => name);
}

/** An account with a complete wallet and these credits, but without a user. Returns its id. */
export async function openFundedAccount(db: Database, options: FundedAccountOptions): Promise<string> {
  const { accountId = newId(), masterMicros = 0n, creativeMicros = 0n } = options;
  await db.sql.query(OPEN, [accountId]);
  await fundWallet(db, accountId, { MASTER: masterMicros, CREATIVE: creativeMicros });
  return accountId;
}

/** Gives credits by an adjustment and allocations; a DEBT, which is negative, by a day of storage. */
export async function fundWallet(
  db: Database,
  accountId: string,
  { DEBT = 0n, ...credits }: Partial<Record<SpendableAccount | 'DEBT', bigint>>,
): Promise<void> {
  const total = Object.values(credits).reduce((sum, micros) => sum + micros, 0n);
  await adjustByStaff(db, accountId, total);
  for (const to of ['CLOUD', 'AI', 'CREATIVE'] as const) {
    const amountMicros = credits[to] ?? 0n;
    const move = { from: 'MASTER', to, amountMicros, idempotencyKey: newId() } as const;
    if (amountMicros > 0n) await new WalletService(db).allocate(accountId, move);
  }
  if (DEBT < 0n) await db.transaction(({ sql }) => chargeArrears(sql, accountId, -DEBT));
}

/** Charges one day of storage that is unpaid, as a night would post it, dated before any night. In a transaction. */
export async function chargeArrears(sql: Sql, accountId: string, amountMicros: bigint): Promise<void> {
  const [row] = await sql.query<{ day: string; carried: string }>(NEXT_DAY, [accountId]);
  const { day, carried } = row!;
  const days = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();
  const perByte = unitsPerDay(1n, days);
  const units = amountMicros * UNITS_PER_MICRO - BigInt(carried);
  const bytes = (units + perByte - 1n) / perByte;
  const remainder = bytes * perByte - units;
  await sql.query(INSERT_DAY, [accountId, day, bytes.toString(), amountMicros.toString(), remainder.toString()]);
  await post(sql, {
    ownerId: accountId,
    type: 'STORAGE',
    idempotencyKey: `storage:${day}`,
    deltas: { DEBT: -amountMicros, REVENUE_STORAGE: amountMicros },
    intent: amountMicros.toString(),
    reference: day,
    metadata: { bytes: bytes.toString() },
  });
}

/** An adjustment by one member of staff, as the support desk posts it; nothing for zero. */
export async function adjustByStaff(db: Database, accountId: string, amountMicros: bigint): Promise<void> {
  const wallet = new WalletService(db);
  if (amountMicros !== 0n) await db.transaction((tx) => correct(wallet, tx, { accountId, amountMicros }));
}

/** The same in the caller's transaction. With the same `id`, it is the same adjustment. */
export async function correct(
  wallet: WalletService,
  tx: Transaction,
  { accountId, amountMicros, id = newId() }: { accountId: string; amountMicros: bigint; id?: string },
): Promise<PostedTx> {
  const wish = { amountMicros, reason: REASON, idempotencyKey: `support:${id}` };
  const posted = await wallet.adjust(tx.sql, accountId, wish);
  const actorId = newId();
  const rows = await tx.sql.query(INSERT_ADJUSTMENT, [
    accountId,
    id,
    amountMicros.toString(),
    actorId,
    posted.txId,
    REASON,
  ]);
  if (rows.length === 0) return posted;
  const details = { transaction: posted.txId };
  await recordAudit(tx, { accountId, actorId, action: 'wallet.adjust', subject: accountId, reason: REASON, details });
  return posted;
}

/** Marks TOTP as switched on and passed in every session. Doing so for real has its own tests. */
export async function passSecondFactor(admin: pg.Pool, userId: string): Promise<void> {
  await admin.query('update auth."user" set "twoFactorEnabled" = true where id = $1', [userId]);
  await admin.query('update auth.session set "twoFactorPassed" = true where "userId" = $1', [userId]);
}

/** An account of staff, without a user. Returns its id. */
export async function openStaffAccount(db: Database): Promise<string> {
  const accountId = await openFundedAccount(db, {});
  await db.sql.query({ name: '', text: `update account set role = 'support' where id = $1` }, [accountId]);
  return accountId;
}

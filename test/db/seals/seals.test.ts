import { createHash } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import type { Database, Sql, Transaction } from '../../../src/db/sql.js';
import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import { checkSealedEntries } from '../../../src/domain/ledger/seals/sealChecks.js';
import { sealUpToNow } from '../../../src/domain/ledger/seals/sealLedger.js';
import { atOneInstant } from '../../../src/domain/ledger/verify/verify.js';
import type { SealArchive } from '../../../src/ports/sealArchive.js';
import { Books } from '../../support/seals/books.js';

const NOBODY = '00000000-0000-0000-0000-000000000000';

let books: Books;

beforeEach(async () => {
  books = await Books.open();
});
afterEach(() => books?.close());

describe('sealing', () => {
  it('seals what is new, once', async () => {
    const first = await books.owner(3);
    const second = await books.owner(2);
    const heads = await books.audit.seal();
    expect(heads).toMatchObject([{ blockNo: 1, owners: 2, entries: 10 }]);
    expect(await books.audit.seal()).toEqual([]);

    await books.book(first, 1);
    const [next] = await books.audit.seal();
    expect(next).toMatchObject({ blockNo: 2, owners: 1, entries: 2 });
    expect(await books.heads()).toEqual([...heads, next]);
    await books.book(second, 1);
    await books.audit.seal();
    expect(await books.faults()).toEqual([]);
  });

  it('checks each sealed entry with one read of its transaction, however many blocks its owner has', async () => {
    const owners = await Promise.all(Array.from({ length: 60 }, () => books.owner(1)));
    for (let block = 1; block <= 10; block += 1) {
      await Promise.all(owners.map((ownerId) => books.book(ownerId, 1)));
      await books.audit.seal();
    }
    await books.admin.query('analyze ledger_account, ledger_entry, ledger_tx, ledger_seal_owner');

    for (const some of [undefined, owners.slice(0, 20)]) {
      const read = await transactionsRead(async (sql) => {
        for await (const faults of checkSealedEntries(sql, { owners: some })) expect(faults).toEqual([]);
      });
      const { rows } = await books.admin.query<{ entries: string }>(
        'select count(*) as entries from ledger_entry where $1::uuid[] is null or owner_id = any ($1)',
        [some ?? null],
      );
      expect(read).toBeGreaterThan(0);
      // The planner's own reads of an index count, too: a few rows.
      expect(read).toBeLessThanOrEqual(1.1 * Number(rows[0]!.entries));
    }
  });

  it('does not read the accounts of earlier pages again', async () => {
    const owners = 6_000;
    await books.admin.query(
      `with opened as (insert into account (id) select gen_random_uuid() from generate_series(1, ${owners}) returning id)
       insert into ledger_account (owner_id, account_no) select id, 1 from opened`,
    );
    await books.admin.query('analyze ledger_account');
    const db = await PostgresDatabase.connect({ url: books.database.runtimeUrl, maxConnections: 1 });
    let read = 0;
    try {
      // What PostgreSQL does after five pages, and for more accounts than a test makes.
      for (const setting of ['plan_cache_mode = force_generic_plan', 'enable_seqscan = off']) {
        await db.sql.query({ name: '', text: `set ${setting}` });
      }
      const counted: Database = Object.assign(Object.create(db) as Database, {
        transaction: <Result>(work: (tx: Transaction) => Promise<Result>) =>
          db.transaction(async (tx) => {
            const result = await work(tx);
            read = await readSoFar(tx.sql, 'ledger_account');
            return result;
          }),
      });
      await sealUpToNow(counted);
    } finally {
      await db.close();
    }
    expect(read).toBeGreaterThanOrEqual(owners);
    // Six pages that each read all before them would read each account more than three times.
    expect(read).toBeLessThanOrEqual(2.5 * owners);
  });

  it('digests the documented byte layout', async () => {
    const ownerId = await books.owner(2);
    const [head] = await books.audit.seal();
    const { rows: entries } = await books.admin.query(
      `select e.*, (extract(epoch from e.created_at) * 1000000)::bigint - 946684800000000 as micros,
        t.type, t.idempotency_key, t.request_hash, t.reference, t.metadata::text as metadata
      from ledger_entry e join ledger_tx t using (owner_id, tx_id) order by account_no, version`,
    );
    const parts = new Map<number, Buffer[]>();
    for (const e of entries) {
      const bytes = Buffer.concat([
        uuid(e.owner_id),
        int(2, e.account_no),
        int(8, e.version),
        int(8, e.delta),
        int(8, e.balance_after),
        int(8, e.micros),
        uuid(e.tx_id),
        ...[e.type, e.idempotency_key, e.request_hash, e.reference, e.metadata].map(measured),
        measured(int(8, e.micros)),
      ]);
      parts.set(e.account_no, [...(parts.get(e.account_no) ?? []), bytes]);
    }
    const zeros = Buffer.alloc(32);
    const owner = sha256(
      zeros,
      uuid(ownerId),
      int(8, 1),
      int(8, entries.length),
      ...[...parts].flatMap(([no, bytes]) => [int(2, no), int(8, 0), int(8, bytes.length), sha256(...bytes)]),
    );
    const { rows: block } = await books.admin.query(
      `select (extract(epoch from sealed_at) * 1000000)::bigint - 946684800000000 as micros from ledger_seal`,
    );
    const digest = sha256(zeros, int(8, 1), int(8, block[0].micros), uuid(ownerId), owner);
    expect(head!.digest).toBe(digest.toString('hex'));
  });

  it('spreads an account with more entries than one block holds over several', async () => {
    const ownerId = await books.owner(1);
    await books.tamper(
      `insert into ledger_tx select '${ownerId}', 'bulk', '${ownerId}', 'ADJUSTMENT', '\\x00', null, '{}', service_now()`,
      `insert into ledger_entry select '${ownerId}', 3, v, '${ownerId}', 1, v, service_now() from generate_series(1, 20001) v`,
      `update ledger_account set version = 20001, balance = 20001 where owner_id = '${ownerId}' and account_no = 3`,
    );
    const heads = await books.audit.seal();
    expect(heads.map((head) => head.entries)).toEqual([10_002, 10_000, 1]);
    const faults = await books.faults();
    expect(faults.filter((fault) => fault.startsWith('seal'))).toEqual([]);
  });

  it('ends with what existed when it began, however much is posted meanwhile', async () => {
    const owners = [await books.owner(2), await books.owner(2)];
    const postingBefore = (sql: Sql, name: RegExp): Sql => ({
      async query(statement, values) {
        if (name.test(statement.name)) for (const ownerId of owners) await books.book(ownerId, 1);
        return sql.query(statement, values);
      },
    });
    const busy: Database = {
      sql: books.db.sql,
      em: () => books.db.em(),
      transaction: (work) =>
        books.db.transaction((tx) => work({ ...tx, sql: postingBefore(tx.sql, /^seal-(page|left|close)/) })),
    };
    expect(await sealUpToNow(busy)).toMatchObject([{ blockNo: 1, owners: 2, entries: 8 }]);
    expect(await sealUpToNow(books.db)).toMatchObject([{ blockNo: 2, owners: 2 }]);
    expect(await sealUpToNow(books.db)).toEqual([]);
  });

  it('seals every posting once while 32 callers post, and blocks none', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, () => books.owner(1)));
    const postings = Promise.all(Array.from({ length: 32 }, (_, n) => books.book(owners[n % 8]!, 25)));
    const booked = new AbortController();
    const sealing = (async () => {
      while (!booked.signal.aborted) await Promise.all([books.audit.seal(), books.audit.seal()]);
    })();
    await postings;
    booked.abort();
    await sealing;
    await books.audit.seal();

    const sealed = (await books.heads()).reduce((sum, head) => sum + head.entries, 0);
    expect(sealed).toBe((8 + 32 * 25) * 2);
    expect(await books.faults()).toEqual([]);
  });
});

describe('a changed past', () => {
  let ownerId: string;
  let other: string;

  beforeEach(async () => {
    ownerId = await books.owner(3);
    other = await books.owner(2);
    await books.audit.seal();
    await books.book(ownerId, 2);
    await books.book(other, 2);
    await books.audit.seal();
    await books.book(ownerId, 1);
    expect(await books.faults()).toEqual([]);
  });

  it('is found with owner, account and block if amounts were changed so that all sums still fit', async () => {
    const where = `owner_id = '${ownerId}' and account_no`;
    await books.tamper(
      `update ledger_entry set delta = delta - 5, balance_after = balance_after - 5 where ${where} = 1 and version = 5`,
      `update ledger_entry set balance_after = balance_after - 5 where ${where} = 1 and version > 5`,
      `update ledger_account set balance = balance - 5 where ${where} = 1`,
      `update ledger_entry set delta = delta + 5, balance_after = balance_after + 5 where ${where} = 2 and version = 4`,
      `update ledger_entry set balance_after = balance_after + 5 where ${where} = 2 and version > 4`,
      `update ledger_account set balance = balance + 5 where ${where} = 2`,
    );
    expect(await books.sealFaults()).toEqual([
      `seal-entries ${ownerId} MASTER versions 4 to 5, block 2`,
      `seal-entries ${ownerId} CLOUD versions 3 to 4, block 2`,
    ]);
  });

  it('is found with its row if sums no longer fit', async () => {
    await books.tamper(
      `update ledger_entry set delta = delta - 5 where owner_id = '${ownerId}' and account_no = 1 and version = 2`,
    );
    const faults = await books.faults();
    expect(faults).toContain(`running-balance ${ownerId} MASTER version 2`);
    expect(faults).toContain(`seal-entries ${ownerId} MASTER versions 1 to 3, block 1`);
  });

  it.each([
    ['type', `type = 'ADJUSTMENT'`],
    ['idempotency_key', `idempotency_key = idempotency_key || 'x'`],
    ['request_hash', `request_hash = '\\x00'`],
    ['reference', `reference = ''`],
    ['metadata', `metadata = metadata || '{"n": "9"}'`],
    ['created_at', `created_at = created_at + interval '1 microsecond'`],
  ])('is found if it is the %s of a transaction', async (_field, change) => {
    await books.tamper(
      `update ledger_tx set ${change} where tx_id = (select tx_id from ledger_entry
        where owner_id = '${ownerId}' and account_no = 2 and version = 1)`,
    );
    expect(await books.sealFaults()).toEqual([
      `seal-entries ${ownerId} MASTER versions 1 to 3, block 1`,
      `seal-entries ${ownerId} CLOUD versions 1 to 2, block 1`,
    ]);
  });

  it('is found if an entry was removed and all later ones were adjusted', async () => {
    const where = `owner_id = '${ownerId}' and account_no in (1, 2)`;
    await books.tamper(
      `delete from ledger_tx where tx_id in (select tx_id from ledger_entry where ${where} and account_no = 2 and version = 1)`,
      `delete from ledger_entry where ${where} and (account_no, version) in ((1, 2), (2, 1))`,
      `update ledger_entry set version = -(version - 1), balance_after = balance_after + 1 where ${where} and account_no = 1 and version > 2`,
      `update ledger_entry set version = -(version - 1), balance_after = balance_after - 1 where ${where} and account_no = 2 and version > 1`,
      `update ledger_entry set version = -version where ${where} and version < 0`,
      `update ledger_account set version = version - 1, balance = balance + case account_no when 1 then 1 else -1 end where ${where}`,
    );
    const faults = await books.sealFaults();
    expect(faults[0]).toBe(`seal-entries ${ownerId} MASTER versions 1 to 3, block 1`);
    expect(faults.every((fault) => fault.includes(ownerId))).toBe(true);
  });

  it('is found if an entry was inserted', async () => {
    await books.tamper(
      `insert into ledger_entry select owner_id, account_no, 0, tx_id, delta, balance_after, created_at
        from ledger_entry where owner_id = '${ownerId}' and account_no = 1 and version = 1`,
    );
    expect(await books.faults()).toContain(`running-balance ${ownerId} MASTER version 0`);
  });

  it('is found if the digest of an owner was changed', async () => {
    await books.tamper(
      `update ledger_seal_owner set digest = sha256('x') where owner_id = '${other}' and block_no = 1`,
    );
    expect(await books.faults()).toEqual([
      `seal-owner ${other} block 1`,
      `seal-owner ${other} block 2`,
      `seal-block ${NOBODY} block 1`,
    ]);
  });

  it('is found if a block was removed', async () => {
    await books.tamper(
      'delete from ledger_seal where block_no = 2',
      'delete from ledger_seal_owner where block_no = 2',
    );
    expect(await books.faults()).toEqual([`seal-archive ${NOBODY} block 2`]);
    await books.audit.seal();
    expect(await books.faults()).toEqual([`seal-archive ${NOBODY} block 2`]);
  });

  it('is found in the archive if the whole database was rewritten with a valid chain', async () => {
    await books.tamper(
      'truncate ledger_seal, ledger_seal_owner',
      `update ledger_tx set metadata = '{"note": "all new"}' where owner_id = '${ownerId}'`,
    );
    await new LedgerAudit({ db: books.db, archive: { append: async () => undefined, records: async () => [] } }).seal();
    expect(await books.sealFaults()).toEqual([`seal-archive ${NOBODY} block 1`, `seal-archive ${NOBODY} block 2`]);
  });
});

describe('the archive of heads', () => {
  it('gets the blocks that an interrupted run left out, and survives a torn line', async () => {
    const ownerId = await books.owner(1);
    await expect(new LedgerAudit({ db: books.db, archive: fullArchive() }).seal()).rejects.toThrow('disk full');
    expect(await books.heads()).toEqual([]);
    expect(await books.faults()).toEqual([]);
    expect(await books.heads()).toHaveLength(1);

    await appendFile(books.archiveFile, '{"blockNo":2,"dig');
    await books.book(ownerId, 1);
    await books.audit.seal();
    expect(await books.heads()).toHaveLength(2);
    expect(await books.faults()).toEqual([]);
  });

  it('causes faults if more than the blocks of the last run are missing', async () => {
    const ownerId = await books.owner(1);
    await books.audit.seal();
    await books.book(ownerId, 1);
    await books.audit.seal();
    await writeFile(books.archiveFile, '');
    expect(await books.faults()).toEqual([`seal-archive ${NOBODY} block 1`, `seal-archive ${NOBODY} block 2`]);
  });

  it('causes a fault if a head was changed', async () => {
    await books.owner(1);
    await books.audit.seal();
    const text = await readFile(books.archiveFile, 'utf8');
    await writeFile(books.archiveFile, text.replace('"entries":2', '"entries":3'));
    expect(await books.faults()).toEqual([`seal-archive ${NOBODY} block 1`]);
  });
});

function fullArchive(): SealArchive {
  return { append: () => Promise.reject(new Error('disk full')), records: () => books.archive.records() };
}

function uuid(text: string): Buffer {
  return Buffer.from(text.replaceAll('-', ''), 'hex');
}

function int(width: 2 | 4 | 8, value: string | number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(BigInt(value));
  return buffer.subarray(8 - width);
}

function measured(value: string | Buffer | null): Buffer {
  if (value === null) return int(4, -1);
  const bytes = Buffer.from(value as string);
  return Buffer.concat([int(4, bytes.length), bytes]);
}

function sha256(...parts: Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

/** How many rows of `ledger_tx` PostgreSQL reads for this work, by its own statistics. */
function transactionsRead(work: (sql: Sql) => Promise<void>): Promise<number> {
  return atOneInstant(books.db, async (sql) => {
    // The statistics include what the connection did just before.
    const before = await readSoFar(sql, 'ledger_tx');
    await work(sql);
    return (await readSoFar(sql, 'ledger_tx')) - before;
  });
}

async function readSoFar(sql: Sql, table: string): Promise<number> {
  const text =
    'select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = $1';
  const [row] = await sql.query<{ read: string }>({ name: '', text }, [table]);
  return Number(row!.read);
}

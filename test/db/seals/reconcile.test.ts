import { appendFile, readFile, writeFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { reconcileCommand } from '../../../src/cli/reconcileCommand.js';
import { SealReconciler } from '../../../src/domain/ledger/seals/reconcileSeals.js';
import { Books } from '../../support/seals/books.js';

const LOSE = [
  `delete from ledger_seal where block_no > 1`,
  `delete from ledger_seal_owner where block_no > 1`,
] as const;

let books: Books;
let owner: string;
let reconciler: SealReconciler;

/** The database seals three blocks, then loses two of them, as after the restore of an older backup. */
beforeEach(async () => {
  books = await Books.open();
  reconciler = new SealReconciler(books);
  owner = await books.owner(3);
  await books.audit.seal();
});
afterEach(() => books.close());

async function sealTwoMoreAndLoseThem(): Promise<void> {
  const before = await snapshot();
  for (let n = 0; n < 2; n += 1) {
    await books.book(owner, 2);
    await books.audit.seal();
  }
  await books.tamper(
    ...LOSE,
    `delete from ledger_entry where created_at > '${before.at}'`,
    `delete from ledger_tx where created_at > '${before.at}'`,
    `update ledger_account a set version = x.version, balance = x.balance
      from json_to_recordset('${before.accounts}') x(owner_id uuid, account_no int, version bigint, balance bigint)
      where a.owner_id = x.owner_id and a.account_no = x.account_no`,
  );
}

async function snapshot(): Promise<{ at: string; accounts: string }> {
  const { rows } = await books.admin.query<{ at: string; accounts: string }>(
    `select (select max(created_at)::text from ledger_entry) as at, json_agg(a)::text as accounts from ledger_account a`,
  );
  return rows[0]!;
}

describe('dhara ledger reconcile-seals', () => {
  it('lists the lost blocks and exits with 1, and gives exactly those up', async () => {
    const lines: string[] = [];
    const run = async (...args: string[]) => {
      lines.length = 0;
      return reconcileCommand(args, (line) => lines.push(line))({ sealReconciler: reconciler });
    };
    await sealTwoMoreAndLoseThem();
    await books.book(owner, 1);
    await books.audit.seal();
    expect(await run()).toBe(1);
    const block = (number: number, entries: number) =>
      expect.stringMatching(`^  block ${number} of \\S+ \\S+: ${entries} entries of 1 owners, [0-9a-f]{64}$`) as string;
    const lost = [
      'The database has lost 2 blocks with 8 entries that the archive has:',
      block(2, 4),
      block(3, 4),
      'In their place it has 1 newer blocks:',
      block(2, 2),
    ];
    expect(lines).toEqual([
      ...lost,
      'To give them up for good, run: dhara ledger reconcile-seals --blocks 2-3 --reason TEXT',
    ]);

    await expect(run('--blocks', '2-4', '--reason', 'a restore')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await run('--blocks', '2-3', '--reason', 'a restore')).toBe(0);
    expect(lines).toEqual([
      ...lost,
      'They are given up, in the books and in the archive. New blocks continue from what is left.',
    ]);
    expect(await run()).toBe(0);
    expect(lines).toEqual(['The archive of seals and the database agree.']);
    expect(() => reconcileCommand(['--blocks', '2-3'], () => undefined)).toThrow('Usage: dhara ledger reconcile-seals');
  });
});

describe('blocks lost by a restore', () => {
  it('are faults until a person gives up exactly those, and sealing continues from the rest', async () => {
    await sealTwoMoreAndLoseThem();
    expect(await books.sealFaults()).toEqual([
      expect.stringMatching(/^seal-archive .* block 2$/),
      expect.stringMatching(/^seal-archive .* block 3$/),
    ]);
    expect(await reconciler.find()).toMatchObject({ blocks: '2-3', lost: [{ entries: 4 }, { entries: 4 }] });
    await expect(reconciler.reconcile('2-4', 'a restore')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(reconciler.reconcile('2-3', ' ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });

    await reconciler.reconcile('2-3', 'restored the backup of Monday');
    expect(await books.sealFaults()).toEqual([]);
    expect(await readFile(books.archiveFile, 'utf8')).toMatch(/"kind":"reconciliation".*restored the backup of Monday/);
    const { rows } = await books.admin.query(
      `select subject, reason from audit_entry where action = 'ledger.reconcile_seals'`,
    );
    expect(rows).toEqual([{ subject: 'blocks 2-3', reason: 'restored the backup of Monday' }]);
    await expect(books.admin.query('delete from ledger_seal_reconciliation')).rejects.toThrow();

    await books.book(owner, 1);
    const [next] = await books.audit.seal();
    expect(next).toMatchObject({ blockNo: 2, entries: 2 });
    expect(await books.sealFaults()).toEqual([]);
    expect(await reconciler.find()).toMatchObject({ blocks: 'none', unfinished: [] });
    await books.tamper(`update ledger_entry set delta = delta + 1 where version = 1`);
    expect(await books.sealFaults()).toContainEqual(expect.stringMatching(/^seal-entries/));
  });

  it('can be given up after the database has sealed others with their numbers', async () => {
    await sealTwoMoreAndLoseThem();
    for (let n = 0; n < 3; n += 1) {
      await books.book(owner, 1);
      await books.audit.seal();
    }
    expect(await books.sealFaults()).toHaveLength(2);
    const { blocks, instead } = await reconciler.find();
    expect([blocks, instead.length]).toEqual(['2-3', 3]);
    await reconciler.reconcile(blocks, 'a restore');
    expect(await books.sealFaults()).toEqual([]);
  });

  it('can be lost again together with their reconciliation', async () => {
    await sealTwoMoreAndLoseThem();
    await reconciler.reconcile('2-3', 'the first time');
    await sealTwoMoreAndLoseThem();
    await books.tamper('delete from ledger_seal_reconciliation');
    expect(await books.sealFaults()).toContainEqual(expect.stringMatching(/^seal-reconciliation/));
    expect(await reconciler.find()).toMatchObject({ blocks: '2-3', unfinished: [{ reason: 'the first time' }] });
    await reconciler.reconcile('2-3', 'the second time');
    expect(await books.sealFaults()).toEqual([]);
    await books.book(owner, 1);
    await books.audit.seal();
    expect(await books.sealFaults()).toEqual([]);
  });

  it('are given up completely by a second run after a kill between database and archive', async () => {
    await sealTwoMoreAndLoseThem();
    const cut = new SealReconciler({
      db: books.db,
      archive: { append: () => Promise.reject(new Error('killed')), records: () => books.archive.records() },
    });
    await expect(cut.reconcile('2-3', 'a restore')).rejects.toThrow('killed');
    expect(await books.sealFaults()).toContainEqual(expect.stringMatching(/^seal-reconciliation/));
    expect(await reconciler.find()).toMatchObject({ blocks: 'none', unfinished: [{ firstBlock: 2, lastBlock: 3 }] });
    await reconciler.reconcile('none', 'to its end');
    expect(await books.sealFaults()).toEqual([]);
  });
});

describe('reconciling', () => {
  it('is refused if the remaining books have faults', async () => {
    await sealTwoMoreAndLoseThem();
    await books.tamper(`update ledger_seal set digest = sha256('x') where block_no = 1`);
    await expect(reconciler.reconcile('1-3', 'hush')).rejects.toMatchObject({
      message: expect.stringMatching(/fails verification \(seal-block/) as string,
    });
    await books.tamper(`update ledger_entry set delta = delta + 1 where version = 1`);
    await expect(reconciler.reconcile('1-3', 'hush')).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  it('is a fault if only the archive or only the database has it, or if it names other blocks', async () => {
    await sealTwoMoreAndLoseThem();
    const line = { id: '0198f2c0-0000-7000-8000-000000000000', firstBlock: 2, lastBlock: 3, reason: 'forged' };
    const forged = { ...line, digest: 'a'.repeat(64), reconciledAt: '2026-11-23T00:00:00.000Z' };
    const archive = await readFile(books.archiveFile, 'utf8');
    await appendFile(books.archiveFile, `${JSON.stringify({ kind: 'reconciliation', ...forged })}\n`);
    expect(await books.sealFaults()).toHaveLength(3);

    const insert = `insert into ledger_seal_reconciliation values ($1, 2, 3, $2, 'forged', $3)`;
    await books.db.sql.query({ name: 'forge', text: insert }, [forged.id, forged.digest, forged.reconciledAt]);
    // Both have it, but it names other blocks than the lost ones.
    expect(await books.sealFaults()).toEqual([
      expect.stringMatching(/seal-archive .* block 2$/),
      expect.stringMatching(/seal-archive .* block 3$/),
      expect.stringMatching(/seal-reconciliation/),
    ]);
    await writeFile(books.archiveFile, archive);
    expect(await books.sealFaults()).toHaveLength(3);
  });

  it('does not hide later changes of the archive', async () => {
    await sealTwoMoreAndLoseThem();
    await reconciler.reconcile('2-3', 'a restore');
    const lines = (await readFile(books.archiveFile, 'utf8')).trimEnd().split('\n');
    const changed = lines.map((text, n) => (n === 1 ? text.replace('"entries":4', '"entries":5') : text));
    await writeFile(books.archiveFile, `${changed.join('\n')}\n`);
    expect(await books.sealFaults()).not.toEqual([]);
    await writeFile(books.archiveFile, `${lines.filter((_, n) => n !== 2).join('\n')}\n`);
    expect(await books.sealFaults()).not.toEqual([]);
  });
});

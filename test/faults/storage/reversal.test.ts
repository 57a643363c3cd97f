import { execute } from '../../../src/db/sql.js';
import { afterEach, describe, expect, it } from 'vitest';

import { storageCommand } from '../../../src/cli/storageCommands.js';
import { OPEN_NIGHT } from '../../../src/domain/payments/storage/night.sql.js';
import { StorageService } from '../../../src/domain/payments/storage/storage.service.js';
import { LEDGER_ACCOUNTS } from '../../../src/domain/ledger/ledgerAccounts.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { recordAudit } from '../../../src/domain/shared/audit.js';
import { newId, SYSTEM_OWNER } from '../../../src/domain/shared/ids.js';
import { IS_FULL } from '../../support/effort.js';
import { CREDIT, GB, StorageScene } from '../../support/storage/scene.js';

const LONG_AGO = '2026-01-01T00:00:00Z';
const FIRST = '2027-03-01';
const RACES = IS_FULL ? 50 : 8;

let scene: StorageScene;
afterEach(() => scene?.close());

/** Owners of each kind: CLOUD pays, MASTER helps, nobody pays. */
async function owners(count = 3): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = await scene.account({ CLOUD: 2n * CREDIT, MASTER: 3n * CREDIT });
    if (n % 3 !== 1) await scene.wallet.setAutomaticAllocation(id, { bucket: 'CLOUD', enabled: false });
    // Not a whole number of micro-credits a day, so each night carries a remainder to the next.
    await scene.store(id, { bytes: BigInt(1 + n) * 7n * GB + 123_457n, storedAt: LONG_AGO });
    ids.push(id);
  }
  return ids;
}

function reverse(from: string, { signal = new AbortController().signal, onProgress = () => {} } = {}) {
  return scene.storage.reversals.reverse({ from, reason: 'NTP was off by a year', signal }, onProgress);
}

async function balances(ids: readonly string[]) {
  return Promise.all(ids.map((id) => scene.wallet.balances(id)));
}

/** The current state of an owner's days. */
async function standing(id: string) {
  const { rows } = await scene.admin.query(
    `select day::text, bytes, charged_micros, remainder, from_cloud_micros, from_master_micros, drawn_micros, arrears_micros
     from storage_day d where account_id = $1 and not exists (
       select from storage_reversed_day r where (r.account_id, r.day, r.round) = (d.account_id, d.day, d.round))
     order by day`,
    [id],
  );
  return rows;
}

async function faults() {
  return (await verifyLedger(scene.db)).faults;
}

describe('nights that a wrong clock charged', () => {
  it('are reversed to the micro-credit, and charged again when they are due', async () => {
    scene = await StorageScene.open(FIRST);
    const ids = await owners();
    await scene.setClock('2027-03-03T01:00:00Z');
    await scene.run();
    const before = await balances(ids);
    const charged = await Promise.all(ids.map(standing));

    await scene.setClock('2028-03-03T01:00:00Z');
    expect(await scene.run()).toHaveLength(366);
    expect((await balances(ids)).some(({ DEBT }) => DEBT < -100n * CREDIT)).toBe(true);
    await scene.setClock('2027-03-03T02:00:00Z');
    expect(await reverse('2027-03-03')).toBe(true);

    expect(await balances(ids)).toEqual(before);
    expect(await Promise.all(ids.map(standing))).toEqual(charged);
    expect(await faults()).toEqual([]);
    expect(await scene.run()).toEqual([]);

    // As if nothing had happened: a scene whose clock was never wrong charges the same.
    await scene.admin.query(`update service_clock set nights_confirmed_through = '9999-12-31'`);
    await scene.setClock('2027-03-06T01:00:00Z');
    expect(await scene.run()).toHaveLength(3);
    const again = await Promise.all(ids.map(standing));
    expect(await faults()).toEqual([]);
    await scene.close();

    scene = await StorageScene.open(FIRST);
    const others = await owners();
    await scene.setClock('2027-03-06T01:00:00Z');
    await scene.run();
    expect(again).toEqual(await Promise.all(others.map(standing)));
  });

  it('wait for a person before they are charged again, if they are long over', async () => {
    scene = await StorageScene.open(FIRST);
    await owners(1);
    await scene.setClock('2027-03-06T01:00:00Z');
    await scene.run();
    await reverse('2027-03-02');
    expect(await scene.run()).toEqual([]);
    expect(await scene.storage.waiting()).toEqual({ nights: 4, from: '2027-03-02', waits: true });
  });

  it('are returned as credits if their debt was repaid meanwhile', async () => {
    scene = await StorageScene.open(FIRST);
    const id = await scene.account({ CLOUD: CREDIT });
    await scene.store(id, { bytes: 310n * GB, storedAt: LONG_AGO });
    await scene.setClock('2027-03-02T01:00:00Z');
    await scene.run();
    expect(await scene.wallet.balances(id)).toMatchObject({ CLOUD: 0n, DEBT: -14n * CREDIT });
    await scene.fund([id], { MASTER: 20n * CREDIT });
    expect(await scene.wallet.balances(id)).toMatchObject({ MASTER: 6n * CREDIT, DEBT: 0n });

    await reverse(FIRST);
    expect(await scene.wallet.balances(id)).toMatchObject({ CLOUD: CREDIT, MASTER: 20n * CREDIT, DEBT: 0n });
    expect(await faults()).toEqual([]);
  });

  it('continue where a reversal was interrupted, and no night is charged meanwhile', async () => {
    scene = await StorageScene.open(FIRST);
    const ids = await owners();
    const before = await balances(ids);
    await scene.setClock('2027-03-09T01:00:00Z');
    await scene.run();
    for (let cut = 0; cut < 3; cut += 1) {
      const stop = new AbortController();
      let batches = 0;
      const onProgress = () => {
        if ((batches += 1) === 2) stop.abort();
      };
      expect(await reverse(FIRST, { signal: stop.signal, onProgress })).toBe(false);
      expect(await scene.run()).toEqual([]);
      expect(await faults()).toEqual([]);
      await expect(reverse('2027-03-02')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    }
    expect(await reverse(FIRST)).toBe(true);
    expect(await balances(ids)).toEqual(before);
    await expect(reverse(FIRST)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await faults()).toEqual([]);
  });

  it(`are reversed once each beside nights and other reversals, ${RACES} times`, async () => {
    scene = await StorageScene.open(FIRST);
    const ids = await owners(9);
    const before = await balances(ids);
    await scene.setClock('2027-03-05T01:00:00Z');
    for (let race = 0; race < RACES; race += 1) {
      // Reversed days may be charged again at once.
      await scene.admin.query(`update service_clock set nights_confirmed_through = '9999-12-31'`);
      const others = [new StorageService(scene.db), new StorageService(scene.db)];
      const signal = new AbortController().signal;
      await scene.run();
      const results = await Promise.allSettled([
        ...others.map((storage) => storage.reversals.reverse({ from: FIRST, reason: 'a race', signal }, () => {})),
        ...others.map((storage) => storage.runDueNights(signal)),
        reverse('2027-03-03'),
      ]);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'INVALID_STATE' });
      }
      expect(await faults()).toEqual([]);
      await reverse(FIRST).catch(() => undefined);
      expect(await balances(ids)).toEqual(before);
      expect(await Promise.all(ids.map(standing))).toEqual(ids.map(() => []));
    }
  });

  it('are not skipped by a process that chose its night before they were reversed', async () => {
    scene = await StorageScene.open(FIRST);
    await owners(1);
    await scene.setClock('2027-03-03T01:00:00Z');
    await scene.run();
    await reverse(FIRST);
    for (const stale of ['2027-03-02', '2027-03-03']) await execute(scene.db.sql, OPEN_NIGHT, { day: stale });
    expect(await scene.storage.waiting()).toMatchObject({ from: FIRST });
  });

  it('are refused if there is nothing to reverse, or no reason is given', async () => {
    scene = await StorageScene.open(FIRST);
    await owners(1);
    await scene.setClock('2027-03-02T01:00:00Z');
    await scene.run();
    await expect(reverse('2027-02-30')).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
    await expect(reverse('2027-03-02')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(reverse('2027-02-28')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    const silent = { from: FIRST, reason: ' ', signal: new AbortController().signal };
    await expect(scene.storage.reversals.reverse(silent, () => {})).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const { rows } = await scene.admin.query('select from storage_reversal');
    expect(rows).toEqual([]);
  });

  it('are shown, and reversed with a reason, by one command', async () => {
    scene = await StorageScene.open(FIRST);
    const [id] = await owners(1);
    await scene.setClock('2027-03-04T01:00:00Z');
    await scene.run();
    const app = { storage: scene.storage, remeasure: undefined as never };
    const lines: string[] = [];
    const print = (line: string) => lines.push(line);
    expect(await storageCommand('reverse', ['--from', '2027-03-02'], print)(app)).toBe(0);
    expect(lines.splice(0)).toEqual([
      'Charged: 0.677431 credits for 2 days, 2027-03-02 to 2027-03-03. Nothing was changed.',
      'To reverse every charge of these days: dhara storage reverse --from 2027-03-02 --reason TEXT',
    ]);
    expect(await standing(id!)).toHaveLength(3);
    expect(await storageCommand('reverse', ['--from', '2027-03-02', '--reason', 'NTP'], print)(app)).toBe(0);
    expect(lines).toEqual([
      '2027-03-03: 1 charges reversed so far, 0.338715 credits returned.',
      '2027-03-02: 2 charges reversed so far, 0.677431 credits returned.',
      'Reversed. Each of these days is charged again when it is due.',
    ]);
    const { rows } = await scene.admin.query(`select reason from audit_entry where action = 'storage.reverse'`);
    expect(rows).toEqual([{ reason: 'NTP' }]);
    for (const wrong of [['reverse'], ['reverse', '--reason', 'x'], ['run', '--from', FIRST], ['run', '--bad']]) {
      expect(() => storageCommand(wrong[0], wrong.slice(1), print)).toThrow(/^Usage/);
    }
  });
});

describe('the verification of the books', () => {
  async function reversed(): Promise<string> {
    scene = await StorageScene.open(FIRST);
    const [id] = await owners(1);
    await scene.setClock('2027-03-02T01:00:00Z');
    await scene.run();
    return id!;
  }

  it('names a day that is marked as reversed but was not returned', async () => {
    const id = await reversed();
    const reversal = newId();
    await scene.db.sql.query(
      {
        name: '',
        text: `insert into storage_reversal (id, from_day, reason, started_at, day, finished_at)
          values ($1, $2, 'no reason', service_now(), $2, service_now())`,
      },
      [reversal, FIRST],
    );
    await scene.db.sql.query(
      {
        name: '',
        text: `insert into storage_reversed_day (account_id, day, round, reversal_id, to_debt_micros, to_cloud_micros,
            to_master_micros, created_at) values ($1, $2, 0, $3, 0, 1, 0, service_now())`,
      },
      [id, FIRST, reversal],
    );
    const found = (await faults()).map(({ check, subject }) => `${check} ${subject}`);
    expect(found).toContain(`storage-reversal storage:${FIRST}:reversed`);
    expect(found.some((fault) => fault.endsWith(`storage:${FIRST}:reversed`) && !fault.startsWith('storage-'))).toBe(
      true,
    );
  });

  it('finds a charge that is returned without a reversal; the database refuses any other amount', async () => {
    const id = await reversed();
    const [night] = await standing(id);
    const charged = BigInt((night as { charged_micros: string }).charged_micros);
    const giveBack = (key: string, micros: bigint) =>
      scene.db.sql.query(
        {
          name: '',
          text: `select ledger_post_many('STORAGE', array[$1::uuid], array[$2], array[gen_random_uuid()],
            array[sha256('x')], array['${FIRST}'], array['{}'::jsonb], '{2,62}', array[$3::bigint, -$3::bigint])`,
        },
        [id, key, micros],
      );
    for (const [key, micros] of [
      ['storage:2027-02-28:reversed', charged],
      ['storage:2027-02-28', charged],
      [`storage:${FIRST}:reversed`, charged + 1n],
      [`storage:${FIRST}:reversed`, 1n],
      [`storage:${FIRST}:again:reversed`, charged],
      [`storage:${FIRST}`, charged],
    ] as const) {
      await expect(giveBack(key, micros)).rejects.toMatchObject({ constraint: 'ledger_rule' });
    }
    await giveBack(`storage:${FIRST}:reversed`, charged);
    await expect(giveBack(`storage:${FIRST}:reversed`, charged)).rejects.toMatchObject({ code: '23505' });
    expect((await faults()).map(({ check, subject }) => `${check} ${subject}`)).toEqual([
      `storage-reversal-posting storage:${FIRST}:reversed`,
    ]);
  });

  it('need not check that forged arrears are returned as credits: the database refuses it', async () => {
    scene = await StorageScene.open(FIRST);
    const id = await scene.account({});
    const micros = 5n * CREDIT;
    const booked = (key: string, account: 'MASTER' | 'CLOUD' | 'DEBT', delta: bigint) =>
      scene.db.sql.query(
        {
          name: '',
          text: `select ledger_post($1, 'STORAGE', $2, gen_random_uuid(), sha256('x'),
            '${FIRST}', '{}', array[$3::smallint, ${LEDGER_ACCOUNTS.REVENUE_STORAGE}::smallint], array[$4::bigint, -$4::bigint])`,
        },
        [id, key, LEDGER_ACCOUNTS[account], delta],
      );
    await booked(`storage:${FIRST}`, 'DEBT', -micros);
    for (const account of ['MASTER', 'CLOUD'] as const) {
      await expect(booked(`storage:${FIRST}:reversed`, account, micros)).rejects.toMatchObject({
        constraint: 'ledger_rule',
      });
      await expect(
        scene.db.sql.query(
          {
            name: '',
            text: `select ledger_post_many('STORAGE', array[$1::uuid], array['storage:${FIRST}:reversed'],
              array[gen_random_uuid()], array[sha256('x')], array['${FIRST}'], array['{}'::jsonb],
              array[$2::smallint, ${LEDGER_ACCOUNTS.DEBT}::smallint, ${LEDGER_ACCOUNTS.REVENUE_STORAGE}::smallint],
              array[1::bigint, $3::bigint - 1, -$3::bigint])`,
          },
          [id, LEDGER_ACCOUNTS[account], micros],
        ),
      ).rejects.toMatchObject({ constraint: 'ledger_rule' });
    }
    await booked(`storage:${FIRST}:reversed`, 'DEBT', micros);
    expect(await scene.wallet.balances(id)).toMatchObject({ MASTER: 0n, CLOUD: 0n, DEBT: 0n });
  });

  it('names accounts that a reversal leaves out, and a total that does not match its days', async () => {
    scene = await StorageScene.open(FIRST);
    const ids = await owners(2);
    await scene.setClock('2027-03-03T01:00:00Z');
    await scene.run();
    await reverse('2027-03-02');
    expect(await faults()).toEqual([]);

    await scene.admin.query(`alter table storage_reversed_day disable trigger user`);
    await scene.admin.query(`delete from storage_reversed_day where account_id = $1`, [ids[0]]);
    const found = (await faults()).map(({ check, subject }) => `${check} ${subject}`);
    expect(found).toContain('storage-reversal-left-out storage:2027-03-02');
    expect(found.some((fault) => fault.startsWith('storage-reversal-total reversal '))).toBe(true);
  });

  it('names a reversed night before a charged one, and a reversed day that nobody was charged for', async () => {
    scene = await StorageScene.open(FIRST);
    const [id] = await owners(1);
    await scene.setClock('2027-03-03T01:00:00Z');
    await scene.run();
    await reverse(FIRST);
    const { rows } = await scene.admin.query<{ id: string }>('select id from storage_reversal');
    await scene.admin.query(`update storage_night set reversed_by = null where day = '2027-03-02'`);
    await scene.admin.query(
      `insert into storage_reversed_day (account_id, day, round, reversal_id, to_debt_micros, to_cloud_micros,
         to_master_micros, created_at) values ($1, '2027-03-01', 7, $2, 0, 0, 1, service_now())`,
      [id, rows[0]!.id],
    );
    const found = (await faults()).map(({ check, subject }) => `${check} ${subject}`);
    expect(found).toContain(`storage-night-order night ${FIRST}`);
    expect(found).toContain(`storage-reversal storage:${FIRST} round 7`);
  });

  it('names credits that were returned while there was debt', async () => {
    scene = await StorageScene.open(FIRST);
    const [id] = await owners(1);
    await scene.setClock('2027-03-02T01:00:00Z');
    await scene.run();
    await reverse(FIRST);
    const admin = await scene.admin.connect();
    await admin.query('set session_replication_role = replica');
    await admin.query(
      `insert into ledger_entry (owner_id, account_no, version, tx_id, delta, balance_after, created_at)
       select owner_id, ${LEDGER_ACCOUNTS.DEBT}, 1, gen_random_uuid(), -1, -1, min(created_at) from ledger_entry
       where owner_id = $1 group by 1`,
      [id],
    );
    admin.release(true);
    const names = async () => (await faults()).map(({ check, subject }) => `${check} ${subject}`);
    expect(await names()).toContain(`storage-reversal-debt storage:${FIRST}:reversed`);

    // Once a clock was corrected, times do not show whether the debt came first.
    await recordAudit(scene.db, {
      accountId: SYSTEM_OWNER,
      actorId: null,
      action: 'clock.accept',
      subject: FIRST,
      reason: 'NTP',
      details: {},
    });
    expect(await names()).not.toContain(`storage-reversal-debt storage:${FIRST}:reversed`);
  });
});

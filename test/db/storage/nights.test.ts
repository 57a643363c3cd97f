import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { storageCommand } from '../../../src/cli/storageCommands.js';
import { OrphanService } from '../../../src/domain/media/objects/orphan.service.js';
import { RemeasureService } from '../../../src/domain/media/objects/remeasure.service.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { adjustByStaff } from '../../support/accounts.js';
import { CREDIT, GB, StorageScene } from '../../support/storage/scene.js';

/** The price of 14 GB: two thirds of a credit per day in March, rounded down. */
const BYTES = 14n * GB;
const UNITS_PER_MICRO = GB * 377_580n;
const LONG_AGO = '2026-01-01T00:00:00Z';

let scene: StorageScene;

async function open(firstDay: string): Promise<StorageScene> {
  await scene?.close();
  scene = await StorageScene.open(firstDay);
  return scene;
}

afterAll(() => scene?.close());

describe('a day of storage', () => {
  beforeAll(() => open('2027-03-01'));

  it('is due 15 minutes after its end, and charges what was stored at its end', async () => {
    const owner = await scene.account({ CLOUD: 10n * CREDIT });
    await scene.store(
      owner,
      { bytes: 31n * GB, storedAt: '2027-03-01T12:00:00Z' },
      // Exactly at midnight: the first belongs to the next day, the second still to this one.
      { bytes: GB, storedAt: '2027-03-02T00:00:00Z' },
      { bytes: GB, storedAt: LONG_AGO, removedAt: '2027-03-02T00:00:00Z' },
      { bytes: GB, storedAt: LONG_AGO, removedAt: '2027-03-01T23:59:59.999999Z' },
    );
    const idle = await scene.account({ CLOUD: 10n * CREDIT });
    await scene.setClock('2027-03-02T00:14:00Z');
    expect(await scene.run()).toEqual([]);
    expect(await scene.storage.lagSeconds()).toBe(0);

    await scene.setClock('2027-03-02T00:15:00Z');
    const lagSeconds = await scene.storage.lagSeconds();
    expect(lagSeconds).toBeGreaterThan(0);
    expect(lagSeconds).toBeLessThan(600);
    expect(await scene.run()).toEqual([
      { day: '2027-03-01', accounts: 1n, chargedMicros: 1_548_387n, arrearsMicros: 0n },
    ]);
    expect(await scene.days(owner)).toEqual([
      {
        day: '2027-03-01',
        bytes: (32n * GB).toString(),
        charged: '1548387',
        remainder: ((32n * GB * 1_500_000n * 377_580n) / 31n - 1_548_387n * UNITS_PER_MICRO).toString(),
        cloud: '1548387',
        drawn: '0',
        arrears: '0',
      },
    ]);
    expect(await scene.days(idle)).toEqual([]);
    expect(await scene.run()).toEqual([]);
    expect(await scene.storage.lagSeconds()).toBe(0);
    expect((await scene.wallet.balances(owner)).CLOUD).toBe(10n * CREDIT - 1_548_387n);
    expect(await scene.faults()).toEqual([]);
  });

  it('carries fractions of a micro-credit over, even across days without stored bytes', async () => {
    const owner = await scene.account({ CLOUD: CREDIT });
    await scene.store(
      owner,
      { bytes: 15_000n, storedAt: LONG_AGO, removedAt: '2027-03-03T12:00:00Z' },
      { bytes: 15_000n, storedAt: '2027-03-05T12:00:00Z' },
    );
    await scene.setClock('2027-03-07T01:00:00Z');
    await scene.run();
    const days = await scene.days(owner);
    // 15,000 bytes are 22,500 × 10^-9 × 10^3 / 31 micro-credits a day: the second makes one whole with the first.
    expect(days.map(({ day, charged }) => `${day} ${charged}`)).toEqual([
      '2027-03-02 0',
      '2027-03-05 1',
      '2027-03-06 1',
    ]);
    expect(days[0]!.remainder).toBe(((15_000n * 1_500_000n * 377_580n) / 31n).toString());
    const { rows } = await scene.admin.query(`select from ledger_tx where owner_id = $1 and type = 'STORAGE'`, [owner]);
    expect(rows).toHaveLength(2);
    expect(await scene.faults()).toEqual([]);
  });

  it('has the same posting as one made by the ledger', async () => {
    const { rows } = await scene.admin.query(
      `select idempotency_key, reference, substring(tx_id::text from 15 for 1) as version,
         abs(('x' || replace(substring(tx_id::text from 1 for 13), '-', ''))::bit(48)::bigint
           - extract(epoch from created_at) * 1000) < 60000 as is_of_then,
         request_hash = sha256(convert_to('["STORAGE","2027-03-01","1548387"]', 'UTF8')) as same
       from ledger_tx where type = 'STORAGE' order by created_at limit 1`,
    );
    expect(rows).toEqual([
      { idempotency_key: 'storage:2027-03-01', reference: '2027-03-01', version: '7', is_of_then: true, same: true },
    ]);
  });

  it('cannot be changed by the service once it is charged', async () => {
    for (const change of ['update storage_day set bytes = 1', 'delete from storage_day', 'truncate storage_day']) {
      await expect(scene.db.sql.query({ name: change, text: change })).rejects.toThrow('permission denied');
      await expect(scene.admin.query(change)).rejects.toThrow('append-only');
    }
  });
});

describe('a test account', () => {
  beforeAll(() => open('2027-03-01'));

  it('is charged nothing', async () => {
    const owner = await scene.account({ CLOUD: 10n * CREDIT });
    const testId = await new TestModeService(scene.db).accountOf(owner);
    await scene.store(testId, { bytes: 31n * GB, storedAt: LONG_AGO });
    await scene.setClock('2027-03-02T00:15:00Z');
    expect(await scene.run()).toEqual([{ day: '2027-03-01', accounts: 0n, chargedMicros: 0n, arrearsMicros: 0n }]);
    expect(await scene.days(testId)).toEqual([]);
    expect(await scene.faults()).toEqual([]);
  });
});

describe('paying for storage', () => {
  beforeAll(() => open('2027-03-01'));

  it('takes from CLOUD, then from MASTER unless automatic allocation is off, and turns the rest into debt', async () => {
    const cases = {
      enough: await scene.account({ CLOUD: 2n * CREDIT, MASTER: 5n * CREDIT }),
      rationed: await scene.account({ CLOUD: 100_000n, MASTER: 5n * CREDIT }),
      automatic: await scene.account({ CLOUD: 100_000n, MASTER: 5n * CREDIT }),
      poor: await scene.account({ CLOUD: 100_000n, MASTER: 200_000n, CREATIVE: 5n * CREDIT }),
      broke: await scene.account(),
    };
    for (const owner of Object.values(cases)) await scene.store(owner, { bytes: BYTES, storedAt: LONG_AGO });
    await scene.wallet.setAutomaticAllocation(cases.rationed, { bucket: 'CLOUD', enabled: false });
    await scene.setClock('2027-03-02T00:15:00Z');
    const [night] = await scene.run();

    expect(night).toMatchObject({ accounts: 5n, arrearsMicros: 577_419n + 377_419n + 677_419n });
    const paid = async (owner: string) => {
      const [day] = await scene.days(owner);
      return [day!.cloud, day!.drawn, day!.arrears].map(Number);
    };
    expect(await paid(cases.enough)).toEqual([677_419, 0, 0]);
    expect(await paid(cases.rationed)).toEqual([100_000, 0, 577_419]);
    expect(await paid(cases.automatic)).toEqual([677_419, 577_419, 0]);
    expect(await paid(cases.poor)).toEqual([300_000, 200_000, 377_419]);
    expect(await paid(cases.broke)).toEqual([0, 0, 677_419]);
    expect(await scene.wallet.balances(cases.poor)).toMatchObject({ DEBT: -377_419n, CREATIVE: 5n * CREDIT });
    expect(await scene.wallet.balances(cases.automatic)).toMatchObject({ CLOUD: 0n, MASTER: 5n * CREDIT - 577_419n });

    await adjustByStaff(scene.db, cases.broke, CREDIT);
    expect(await scene.wallet.balances(cases.broke)).toMatchObject({ DEBT: 0n, MASTER: CREDIT - 677_419n });
    expect(await scene.faults()).toEqual([]);
  });

  it('sends a notice of arrears daily, and of low credits weekly', async () => {
    const low = await scene.account({ CLOUD: 4n * CREDIT });
    const fine = await scene.account({ CLOUD: 40n * CREDIT });
    const broke = await scene.account();
    for (const owner of [low, fine, broke]) {
      await scene.store(owner, { bytes: BYTES, storedAt: '2027-03-02T12:00:00Z' });
    }
    await scene.setClock('2027-03-04T00:15:00Z');
    await scene.run();
    const keys = async (owner: string) => {
      const { rows } = await scene.admin.query<{ key: string }>(
        'select key from notice where account_id = $1 order by key',
        [owner],
      );
      return rows.map((row) => row.key);
    };
    expect(await keys(low)).toEqual(['storage:low:2027-03-01']);
    expect(await keys(fine)).toEqual([]);
    expect(await keys(broke)).toEqual(['storage:arrears:2027-03-02', 'storage:arrears:2027-03-03']);
    const { rows } = await scene.admin.query(`select kind, data from notice where account_id = $1`, [low]);
    const data = { daysLeft: 4, storedBytes: '14000000000', automatic: true };
    expect(rows).toEqual([{ kind: 'wallet.runway_short', data }]);
  });

  it('draws by its own posting, just before the charge, and names the day in the ledger', async () => {
    const owner = await scene.account({ CLOUD: 100_000n, MASTER: CREDIT });
    await scene.store(owner, { bytes: BYTES, storedAt: '2027-03-04T12:00:00Z', removedAt: '2027-03-05T12:00:00Z' });
    await scene.setClock('2027-03-05T00:15:00Z');
    await scene.run();
    const lines = await scene.wallet.lines(owner, { first: 3, after: null, filter: {} });
    expect(
      lines.map(({ type, account, deltaMicros, balanceAfterMicros }) => [
        type,
        account,
        deltaMicros,
        balanceAfterMicros,
      ]),
    ).toEqual([
      ['STORAGE', 'CLOUD', -677_419n, 0n],
      ['ALLOCATION', 'CLOUD', 577_419n, 677_419n],
      ['ALLOCATION', 'MASTER', -577_419n, CREDIT - 577_419n],
    ]);
    const storage = { kind: 'storage', date: '2027-03-04', isReversal: false };
    const draw = { kind: 'allocation', repaysDebt: false, videoId: null, date: '2027-03-04', isReversal: false };
    expect(lines.map(({ cause }) => cause)).toEqual([storage, draw, draw]);
    expect(await scene.faults()).toEqual([]);
  });
});

describe('late days', () => {
  beforeAll(() => open('2027-02-26'));

  it('are charged in order, each for what was stored then', async () => {
    const owner = await scene.account({ CLOUD: 10n * CREDIT });
    await scene.store(
      owner,
      { bytes: BYTES, storedAt: LONG_AGO, removedAt: '2027-02-28T10:00:00Z' },
      { bytes: 2n * BYTES, storedAt: '2027-02-28T09:00:00Z' },
    );
    await scene.setClock('2027-03-02T05:00:00Z');
    expect((await scene.run()).map((night) => night.day)).toEqual([
      '2027-02-26',
      '2027-02-27',
      '2027-02-28',
      '2027-03-01',
    ]);
    expect((await scene.days(owner)).map((day) => day.charged)).toEqual(['750000', '750000', '1500000', '1354838']);
  });

  it('can be charged by date, in order only', async () => {
    await scene.setClock('2027-03-04T00:20:00Z');
    await using folder = await mkdtempDisposable(join(tmpdir(), 'dhara-storage-'));
    const store = await DiskObjectStore.open({ dir: folder.path });
    const run = async (...rest: string[]) => {
      const lines: string[] = [];
      const orphans = new OrphanService({ db: scene.db, store });
      const { db, storage } = scene;
      const app = { storage, remeasure: new RemeasureService({ db, store, orphans, nights: storage }) };
      expect(await storageCommand('run', rest, (line) => lines.push(line))(app)).toBe(0);
      return lines;
    };
    await expect(run('--date', '2027-03-03')).rejects.toThrow('2027-03-02 comes first');
    await expect(run('--date', '2027-02-25')).rejects.toThrow('has not been charged yet');
    await expect(run('--date', '2027-02-30')).rejects.toThrow('--date must be a day');
    expect(await run('--date', '2027-03-02')).toEqual(['2027-03-02: 1.354839 credits from 1 account.']);
    expect(await run('--date', '2027-03-02')).toEqual(['2027-03-02: 1.354839 credits from 1 account.']);
    expect(await run()).toEqual([
      '2027-03-03: 1.354839 credits from 1 account.',
      'Differences in the object store: 1. See the alerts.',
    ]);
    await expect(run('--date', '2027-03-04')).rejects.toThrow('00:15 UTC');
    expect(await run()).toEqual(['No day is due.']);
    expect(() => storageCommand('run', ['--day', 'x'], () => undefined)).toThrow('Usage: dhara storage run');
    expect(await scene.faults()).toEqual([]);
  });
});

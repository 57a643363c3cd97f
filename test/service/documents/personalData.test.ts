import { afterAll, beforeAll, expect, it } from 'vitest';

import { KeyService } from '../../../src/domain/accounts/keys/keys.service.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { DataDownloads } from '../../../src/domain/accounts/dataDownload.js';
import type { Viewer } from '../../../src/domain/accounts/viewer.js';
import { KINDS } from '../../../src/domain/operations/personalData/personalData.js';
import { tablesOfAccounts } from '../../support/accounts.js';
import { until } from '../../support/worker/pipeline.js';
import { DocumentRig, type Person } from '../../support/documents/rig.js';

let rig: DocumentRig;
let owner: Person;
let stranger: Person;
let keys: KeyService;

beforeAll(async () => {
  rig = await DocumentRig.start();
  keys = new KeyService({ db: rig.db });
  owner = await rig.person('owner@example.com');
  stranger = await rig.person('stranger@example.com');
});
afterAll(() => rig.stop());

interface Line {
  readonly kind: string;
  readonly mode: string;
  readonly row: Readonly<Record<string, unknown>>;
}

async function download(person: Person): Promise<Line[]> {
  const answer = await rig.get('/my-data.ndjson', person);
  expect(answer.status).toBe(200);
  return answer.body
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function addEvents(accountId: string, count: number): Promise<unknown> {
  return rig.admin.query(
    `insert into event (account_id, created_at, id, type, version, data)
     select $1, service_now() - n * interval '1 microsecond', gen_random_uuid(), 'wallet.low', 1,
       jsonb_build_object('n', n, 'padding', repeat('x', 500)) from generate_series(1, $2) n`,
    [accountId, count],
  );
}

it('the download has every row of the owner in both modes once, and no secret or row of anybody else', async () => {
  const testMode = new TestModeService(rig.db);
  const test = await testMode.viewerIn({ accountId: owner.accountId, userId: owner.accountId } as Viewer);
  const { key } = await keys.create(owner.accountId, { name: 'live key' });
  await keys.create(test.accountId, { name: 'test key' });
  await keys.create(stranger.accountId, { name: 'not mine' });
  await rig.admin.query(
    `insert into ledger_account (owner_id, account_no, balance, version) values ($1, 90, 0, 0) on conflict do nothing`,
    [owner.accountId],
  );
  await addEvents(owner.accountId, 1_234);

  const lines = await download(owner);

  const of = (kind: string) => lines.filter((line) => line.kind === kind);
  expect(of('user')).toMatchObject([{ mode: 'live', row: { email: 'owner@example.com' } }]);
  expect(of('session')).toHaveLength(1);
  expect(of('api_key').map(({ mode, row }) => [mode, row['name']])).toEqual([
    ['live', 'live key'],
    ['test', 'test key'],
  ]);
  const numbers = of('event').flatMap(({ row }) => (row['data'] as { n?: number }).n ?? []);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1_234 }, (_, n) => n + 1));
  const text = JSON.stringify(lines);
  for (const secret of [key, '"hash"', '"token"', 'stranger@', 'not mine']) expect(text).not.toContain(secret);
});

it('the download is for the owner only, one at a time, and stops when its reader leaves', async () => {
  expect((await rig.get('/my-data.ndjson', null)).status).toBe(401);
  expect((await rig.get('/my-data.ndjson', owner, 'POST')).status).toBe(405);
  const staff = await rig.person('staff@example.com', 'support');
  const own = await rig.get(`/my-data.ndjson?account=${owner.accountId}`, staff);
  expect(own.body.toString()).toContain('staff@example.com');
  expect(own.body.toString()).not.toContain('owner@example.com');

  await addEvents(stranger.accountId, 30_000);
  const slow = await rig.open('/my-data.ndjson', stranger);
  expect(slow.statusCode).toBe(200);
  expect((await rig.get('/my-data.ndjson', stranger)).status).toBe(429);
  expect((await rig.get('/my-data.ndjson', owner)).status).toBe(200);
  slow.destroy();
  await until(async () => (await rig.get('/my-data.ndjson', stranger)).status === 200);
});

it('the download is one at a time in all processes, and goes to another once its lease has ended', async () => {
  const [here, there] = [new DataDownloads(rig.db, 0), new DataDownloads(rig.db, 0)];
  const { accountId } = owner;
  const read: number[] = [];
  async function* parts(): AsyncGenerator<number> {
    for (const part of [1, 2, 3]) yield await Promise.resolve(part);
  }
  const cut = here.run(accountId, async (whileHeld) => {
    for await (const part of whileHeld(parts())) {
      read.push(part);
      await expect(there.run(accountId, () => Promise.resolve())).rejects.toMatchObject({
        code: 'RATE_LIMIT_EXCEEDED',
      });
      if (part < 2) continue;
      // The lease ends, as it does when a reader stops reading for longer than that.
      await rig.admin.query('update account set data_download_until = service_now() where id = $1', [accountId]);
      await there.run(accountId, async () => {
        await expect(here.run(accountId, () => Promise.resolve())).rejects.toMatchObject({
          code: 'RATE_LIMIT_EXCEEDED',
        });
      });
    }
  });
  await expect(cut).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(read).toEqual([1, 2]);
  // Nobody holds it any more.
  let running = 0;
  const most: number[] = [];
  const once = async () => {
    running += 1;
    most.push(running);
    await rig.admin.query('select');
    running -= 1;
  };
  for (let round = 0; round < 20; round += 1) {
    const ended = await Promise.allSettled(
      [here, there, here, there, here, there].map((one) => one.run(accountId, once)),
    );
    expect(ended.some(({ status }) => status === 'fulfilled')).toBe(true);
  }
  expect(new Set(most)).toEqual(new Set([1]));
});

it('the download has every table of accounts, or a reason why not', async () => {
  const LEFT_OUT = {
    account_note: 'of staff',
    adjustment: 'its posting is in it; the rest says what staff thought',
    alert: 'of staff',
    api_key_day: 'counts of tokens per day',
    automatic_allocation: 'switches',
    brand: 'the number of the version in use',
    deleted_webhook_endpoint: 'ids that wait for deletion',
    escrow: 'its postings are in it',
    event_count: 'a counter',
    event_fact: 'names of events that are in it',
    media_key: 'secrets',
    notification_choice: 'switches',
    payer: 'digests',
    payment_directory: 'ids of payments that are in it',
    payment_sandbox_order: 'sandbox payments',
    playback_hour: 'days are in it',
    playback_month: 'days are in it',
    playback_month_state: 'days are in it',
    playback_visitor: 'digests',
    processing_chunk: 'of workers',
    processing_output: 'of workers',
    referral_code: 'a code that the page shows',
    referral_invitee: 'about others',
    referral_outbox: 'about others',
    revoked_quota: 'a counter',
    staff_request: 'of staff',
    staff_view: 'its audit entries are in it',
    storage_reversed_day: 'its postings are in it',
    suspense_item: 'of staff',
    test_account: 'two ids',
    test_fault: 'ids, and payments that nobody made',
    video_count: 'counters',
    webhook_event: 'messages between the provider and us',
    webhook_secret: 'secrets',
  };
  const tables = new Set(KINDS.map(({ table }) => table));
  const names = await tablesOfAccounts(rig.db.sql);
  expect(names.filter((name) => !tables.has(name) && !(name in LEFT_OUT))).toEqual([]);
});

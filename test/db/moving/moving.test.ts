import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { MOVED } from '../../../src/domain/operations/moving/movedTables.js';
import { fundWallet, tablesOfAccounts } from '../../support/accounts.js';
import { fillLibrary, type Library, MEDIA_KEY } from '../../support/moving/library.js';
import { NOTHING, PASSPHRASE, Side } from '../../support/moving/side.js';

const CREDIT = 1_000_000n;

let from: Side;
let to: Side;
let library: Library;
let archive: Buffer;

beforeAll(async () => {
  [from, to] = await Promise.all([Side.open('https://old.example'), Side.open('https://new.example')]);
  library = await fillLibrary(from);
  ({ bytes: archive } = await from.export(library.accountId));
});

afterAll(async () => {
  await from?.close();
  await to?.close();
});

describe('an account that moves', () => {
  beforeAll(() => to.import(archive, from));

  it('arrives with its user, keys, settings, videos, captions and endpoints', async () => {
    const { accountId } = library;
    const same = ['account', 'api_key', 'automatic_allocation', 'billing_details', 'caption', 'notification_choice'];
    for (const table of same) {
      const id = table === 'account' ? 'id' : 'account_id';
      const text = `select to_jsonb(t) - 'created_at' as row from ${table} t where ${id} = $1 order by 1`;
      expect(await to.query(text, accountId)).toEqual(await from.query(text, accountId));
    }
    const user = 'select email, name, "emailVerified" from auth."user" where id = $1';
    expect(await to.query(user, accountId)).toEqual(await from.query(user, accountId));
    const ready = `select to_jsonb(v) - 'auto_process' as row from video v where account_id = $1 and id = $2`;
    expect(await to.query(ready, accountId, library.ready)).toEqual(await from.query(ready, accountId, library.ready));
    const renditions = `select to_jsonb(r) as row from rendition r where account_id = $1 and video_id = $2 order by quality`;
    expect(await to.query(renditions, accountId, library.ready)).toEqual(
      await from.query(renditions, accountId, library.ready),
    );
  });

  it('leaves behind what is in the bin, has no file, or is not finished', async () => {
    const { accountId, ready, uploaded, processing } = library;
    const videos = await to.query<{ id: string; status: string }>(
      `select id, status, playable_rungs, pictures_prefix, poster_path, auto_process from video where account_id = $1 order by created_at`,
      accountId,
    );
    const prefix = `videos/${accountId}/${ready}/1-1/`;
    const nothing = { playable_rungs: [], pictures_prefix: null, poster_path: null, auto_process: false };
    expect(videos).toEqual([
      {
        id: ready,
        status: 'ready',
        playable_rungs: ['480p', 'audio'],
        pictures_prefix: prefix,
        poster_path: `media/posters/${accountId}/x.jpg`,
        auto_process: false,
      },
      { id: processing, status: 'uploaded', ...nothing },
      { id: uploaded, status: 'uploaded', ...nothing },
    ]);
    expect(
      await to.query('select ready, uploaded, processing from video_count where account_id = $1', accountId),
    ).toEqual([{ ready: '1', uploaded: '2', processing: '0' }]);
  });

  it('has every file of what moved, and no other', async () => {
    const there = await from.objects(library.accountId);
    const moved = Object.entries(there).filter(
      ([key]) => key.includes(library.ready) || (key.startsWith('sources/') && !key.includes(library.inBin)),
    );
    expect(moved.length).toBeGreaterThan(8);
    expect(await to.objects(library.accountId)).toEqual(Object.fromEntries(moved));
  });

  it('has the secrets of its encrypted videos and endpoints under the new master key', async () => {
    const { accountId, ready, endpointId, endpointSecret } = library;
    const run = { accountId, videoId: ready, attempt: 1, run: 1 };
    expect(await to.mediaKeys.find(run, 0)).toEqual(MEDIA_KEY);
    const [secret] = await to.webhookSecrets.signing(to.db.sql, accountId, endpointId);
    expect(`whsec_${secret!.toString('base64')}`).toBe(endpointSecret);
    expect(archive.includes(MEDIA_KEY.toString('hex'))).toBe(false);
    expect(archive.includes(secret!.toString('hex'))).toBe(false);
  });

  it('receives its credits once, by an adjustment that names their origin', async () => {
    const { accountId } = library;
    const { MASTER, CREATIVE, ADJUSTMENT } = await to.wallet.balances(accountId);
    expect({ MASTER, CREATIVE, ADJUSTMENT }).toEqual({
      MASTER: 47n * CREDIT + 5n,
      CREATIVE: 0n,
      ADJUSTMENT: -47n * CREDIT - 5n,
    });
    const postings = await to.query<{ type: string; reason: string }>(
      `select type, metadata ->> 'reason' as reason from ledger_tx where owner_id = $1`,
      accountId,
    );
    expect(postings).toEqual([
      {
        type: 'ADJUSTMENT',
        reason: expect.stringContaining(`https://old.example: account ${accountId}, archive `) as string,
      },
    ]);
    expect(await to.faults()).toEqual([]);
  });

  it('is refused a second time, from the same archive and from another', async () => {
    const before = await to.wallet.balances(library.accountId);
    await expect(to.import(archive, from)).rejects.toMatchObject({ code: 'ALREADY_IMPORTED' });
    // Ids are the same in any case.
    const again = await from.export(library.accountId.toUpperCase());
    await expect(to.import(again.bytes, from)).rejects.toMatchObject({ code: 'TAKEN' });
    expect(await to.wallet.balances(library.accountId)).toEqual(before);
    expect(Object.keys(await to.objects(library.accountId)).length).toBeGreaterThan(8);
  });
});

describe('an export', () => {
  it('needs a passphrase for secrets, and only for them', async () => {
    await expect(from.export(library.accountId, null)).rejects.toMatchObject({ code: 'PASSPHRASE_MISSING' });
    const plain = await from.account();
    const { bytes } = await from.export(plain, null);
    await to.import(bytes, from, null);
    expect(await to.query('select id from account where id = $1', plain)).toHaveLength(1);
  });

  it('is refused for accounts that cannot move', async () => {
    const debtor = await from.account();
    await fundWallet(from.db, debtor, { DEBT: -5n });
    await expect(from.export(debtor)).rejects.toMatchObject({ code: 'ACCOUNT_IN_DEBT' });
    // Its credits go back to where they were paid from.
    const closed = await from.account();
    await from.query(
      `insert into account_closing (account_id, id, closed_at, erase_after) values ($1, gen_random_uuid(), now(), now())`,
      closed,
    );
    await expect(from.export(closed)).rejects.toThrow(/is closed/);
    await from.query('update account_closing set reopened_at = now() where account_id = $1', closed);
    await from.export(closed);
    const [test] = await from.query<{ id: string }>(
      'select open_test_account($1, gen_random_uuid()) as id',
      library.accountId,
    );
    await expect(from.export(test!.id)).rejects.toMatchObject({ code: 'ACCOUNT_NOT_MOVABLE' });
    await expect(from.export('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
      code: 'ACCOUNT_NOT_FOUND',
    });
    await expect(from.export('nobody')).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' });
  });
});

describe('the wrong passphrase', () => {
  it('is found before anything is stored', async () => {
    const other = await Side.open('https://third.example');
    try {
      for (const passphrase of [`${PASSPHRASE}.`, null]) {
        await expect(other.import(archive, from, passphrase)).rejects.toMatchObject({
          code: passphrase === null ? 'PASSPHRASE_MISSING' : 'WRONG_PASSPHRASE',
        });
      }
      expect(await other.leftovers(library.accountId)).toEqual(NOTHING);
    } finally {
      await other.close();
    }
  });
});

describe('a table of accounts', () => {
  it('moves, or stays behind for a reason', async () => {
    const STAYS = {
      access_token: 'the owner makes new ones',
      account_closing: 'a closed account does not move',
      account_import: 'where it came from before',
      account_note: 'what the staff of the old service know',
      adjustment: 'the books',
      alert: 'what the staff of the old service do',
      api_key_day: 'usage of earlier days',
      audit_entry: 'the history of the old service',
      deleted_webhook_endpoint: 'the history of the old service',
      escrow: 'its credits are in the balance',
      event: 'the history of the old service',
      event_count: 'numbers of its events',
      event_fact: 'what its events were caused by',
      invoice: 'the books',
      notice: 'emails of the old service',
      payer: 'customers of the old payment accounts',
      payment: 'the books',
      payment_directory: 'the books',
      payment_dispute: 'the books',
      payment_refund: 'the books',
      payment_sandbox_order: 'play money',
      playback_day: 'analytics',
      playback_hour: 'analytics',
      playback_month: 'analytics',
      playback_month_state: 'analytics',
      playback_view: 'analytics',
      playback_visitor: 'analytics',
      processing: 'purchases, whose result moves with the videos',
      processing_chunk: 'unfinished work',
      processing_output: 'places of files that no row names',
      quote: 'prices of the old service',
      referral: 'the books',
      referral_code: 'the new service draws another one',
      referral_invitee: 'the books',
      referral_outbox: 'the books',
      refund_request: 'the books',
      staff_request: 'the history of the old service',
      staff_view: 'what the staff of the old service do',
      storage_day: 'the books',
      storage_reversed_day: 'the books',
      suspense_item: 'the books',
      test_account: 'test mode does not move',
      test_fault: 'test mode does not move',
      topup: 'the books',
      upload: 'unfinished uploads',
      video_change: 'the history of the old service',
      video_count: 'counted again',
      webhook_attempt: 'the history of the old service',
      webhook_delivery: 'the history of the old service',
      webhook_event: 'the books',
    };
    const moved = MOVED.map(({ table }) => table.name);
    const names = await tablesOfAccounts(from.db.sql);
    expect(names.filter((name) => !moved.includes(name) && !(name in STAYS))).toEqual([]);
    expect([...moved, ...Object.keys(STAYS)].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('says of each column what becomes of it', async () => {
    for (const { table } of MOVED) {
      const columns = await from.query<{ name: string }>(
        `select a.attname as name from pg_attribute a
         where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attname <> 'account_id'`,
        table.name,
      );
      expect([...table.columns].toSorted(), table.name).toEqual(columns.map(({ name }) => name).toSorted());
    }
  });
});

import { Readable } from 'node:stream';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { chargeArrears, openFundedAccount } from '../../support/accounts.js';
import { IS_FULL } from '../../support/effort.js';
import type { Client } from '../../support/graphql/client.js';
import { FREE_BYTES, GraphqlService } from './service.js';

const GB = 1_000_000_000;
const CREDIT = 1_000_000n;
const ROUNDS = IS_FULL ? 30 : 4;
const CREATE = `mutation ($size: SafeInt!) {
  createVideo(input: { filename: "a.mp4", sizeBytes: $size }) { video { id } upload { id } } }`;

let service: GraphqlService;
let people = 0;
beforeAll(async () => {
  service = await GraphqlService.start();
});
afterAll(() => service.stop());

async function person(masterCredits = 0n): Promise<Client> {
  people += 1;
  const client = await service.signedIn(`person${people}@example.com`);
  await openFundedAccount(service.services.db, {
    accountId: client.accountId,
    masterMicros: masterCredits * CREDIT,
  });
  return client;
}

async function created(client: Client, sizeBytes: number): Promise<string> {
  const reply = await client.ask(CREATE, { size: sizeBytes });
  return reply.errors[0] ? String(reply.errors[0].extensions['code']) : 'created';
}

async function rowsOf(client: Client): Promise<{ videos: number; uploads: number; bytes: string }> {
  const [row] = await service.rows<{ videos: number; uploads: number; bytes: string }>(
    `select (select count(*) from video where account_id = $1 and deleted_at is null)::int as videos,
      (select count(*) from upload where account_id = $1)::int as uploads,
      (select coalesce(sum(size_bytes), 0) from upload where account_id = $1)::text as bytes`,
    [client.accountId],
  );
  return row!;
}

describe('the upload allowance', () => {
  it('is the free allowance without credits, to the byte, and a refusal leaves nothing behind', async () => {
    const client = await person();
    expect(await created(client, 4 * GB)).toBe('created');
    expect(await created(client, GB + 1)).toBe('UPLOAD_ALLOWANCE_EXCEEDED');
    expect(await rowsOf(client)).toEqual({ videos: 1, uploads: 1, bytes: String(4 * GB) });
    expect(await created(client, GB)).toBe('created');
    expect(await created(client, 1)).toBe('UPLOAD_ALLOWANCE_EXCEEDED');
  });

  it('grows with credits, and a refusal says how many are missing', async () => {
    const client = await person(30n);
    const { errors } = await client.ask(CREATE, { size: 26 * GB });
    expect(errors[0]?.extensions).toMatchObject({
      code: 'UPLOAD_ALLOWANCE_EXCEEDED',
      details: { missing: '1.5' },
    });
    expect(await created(client, 25 * GB)).toBe('created');
  });

  it('is exact for concurrent requests', async () => {
    const client = await person();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => created(client, GB)));
      expect(answers.filter((answer) => answer === 'created')).toHaveLength(5);
      expect(await rowsOf(client)).toMatchObject({ uploads: 5, bytes: String(5 * GB) });
      await service.rows('delete from upload where account_id = $1', [client.accountId]);
      await service.rows('delete from video where account_id = $1', [client.accountId]);
    }
  });

  it('counts waiting and failed files, and deleted ones until their bytes are swept', async () => {
    const client = await person();
    for (const status of ['uploaded', 'failed']) {
      await service.rows(
        `insert into video (account_id, id, title, status, source_key) values ($1, gen_random_uuid(), 'A', $2, $2)`,
        [client.accountId, status],
      );
      await service.rows(
        `insert into stored_object (account_id, key, video_id, size_bytes, stored_at)
          select account_id, source_key, id, 2000000000, now() from video where account_id = $1 and status = $2`,
        [client.accountId, status],
      );
    }
    expect(await created(client, GB + 1)).toBe('UPLOAD_ALLOWANCE_EXCEEDED');
    await service.rows('update video set deleted_at = now() where account_id = $1', [client.accountId]);
    await service.rows('update stored_object set removed_at = now() where account_id = $1', [client.accountId]);
    expect(await created(client, GB + 1)).toBe('UPLOAD_ALLOWANCE_EXCEEDED');
    await service.rows('update stored_object set swept_at = now() where account_id = $1', [client.accountId]);
    expect(await created(client, GB + 1)).toBe('created');
  });

  it('counts an upload of a deleted video until the sweep has removed its bytes', async () => {
    const client = await person();
    const { createVideo } = await client.data(CREATE, { size: 5 * GB });
    await client.data('mutation ($id: ID!) { deleteVideo(id: $id) }', { id: createVideo.video.id });
    expect(await created(client, 1)).toBe('UPLOAD_ALLOWANCE_EXCEEDED');
    await service.rows('delete from upload where account_id = $1', [client.accountId]);
    expect(await created(client, 1)).toBe('created');
  });

  it('counts a source in the bin, and after that until the sweep has removed it', async () => {
    const client = await person();
    await service.rows(
      `with video as (
        insert into video (account_id, id, title, status, source_key)
        values ($1, gen_random_uuid(), 'x', 'uploaded', 'sources/binned') returning account_id, id, source_key
      ) insert into stored_object (account_id, key, video_id, size_bytes, stored_at)
        select account_id, source_key, id, $2, now() from video`,
      [client.accountId, 5 * GB],
    );
    const [video] = await service.rows<{ id: string }>('select id from video where account_id = $1', [
      client.accountId,
    ]);
    await client.data('mutation ($id: ID!) { deleteVideo(id: $id) }', { id: video!.id });
    expect(await created(client, 1)).toBe('UPLOAD_ALLOWANCE_EXCEEDED');
    await client.data('mutation { emptyBin { deleted } }');
    expect(await created(client, 1)).toBe('UPLOAD_ALLOWANCE_EXCEEDED');
    await service.rows('update stored_object set swept_at = now() where account_id = $1', [client.accountId]);
    expect(await created(client, 1)).toBe('created');
  });

  it('is zero with debt, while open uploads stay', async () => {
    const client = await person(1n);
    expect(await created(client, GB)).toBe('created');
    await service.services.db.transaction(({ sql }) => chargeArrears(sql, client.accountId, 1n));
    const { errors } = await client.ask(CREATE, { size: 1 });
    expect(errors[0]?.extensions).toMatchObject({ code: 'DEBT_OUTSTANDING', details: { owed: '0.000001' } });
    expect(await rowsOf(client)).toMatchObject({ videos: 1, uploads: 1 });
  });

  it('is at most half of the free space, whatever the wallet holds', async () => {
    const client = await person(1_000_000n);
    expect(await created(client, 50 * GB)).toBe('created');
    expect(await created(client, FREE_BYTES / 2 - 51 * GB)).toBe('created');
    expect(await created(client, GB + 1)).toBe('STORE_FULL');
    expect(await created(await person(), GB + 1)).toBe('created');
  });

  it('counts arrived bytes once: as used space, and no longer as expected', async () => {
    const client = await person(1_000_000n);
    expect(await created(client, FREE_BYTES / 4)).toBe('created');
    const { createVideo } = await client.data(CREATE, { size: FREE_BYTES / 4 });
    expect(await created(client, 1)).toBe('STORE_FULL');
    const { uploads } = service.services;
    const ref = { accountId: client.accountId, uploadId: createVideo.upload.id as string };
    await uploads.resume(ref.accountId, ref.uploadId);
    expect(await uploads.receive(ref, 0, Readable.from([Buffer.alloc(1000)]))).toBe(1000);
    expect(await created(client, 1000)).toBe('created');
    expect(await created(client, 1)).toBe('STORE_FULL');
  });
});

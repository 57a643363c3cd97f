import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { generateKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { call, type Answer } from '../../support/contract/client.js';
import { eventsOf } from '../../support/events/log.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';

interface Side {
  readonly accountId: string;
  readonly key: string;
  readonly keyId: string;
  readonly videoId: string;
}

interface Owner {
  readonly live: Side;
  readonly test: Side;
}

const MINT = { method: 'POST' };
const REQUESTS = 40;

let service: RestService;
let modes: TestModeService;
beforeAll(async () => {
  service = await startRestService();
  modes = new TestModeService(service.db);
});
afterAll(() => service.stop());

async function openOwner(): Promise<Owner> {
  const live = await openCustomer(service);
  const accountId = await modes.accountOf(live.accountId);
  const { key, record } = await service.keys.create(accountId, { name: 'test' });
  return {
    live: { ...live, videoId: await addVideo(service.db, live.accountId, { title: 'live' }) },
    test: { accountId, key, keyId: record.id, videoId: await addVideo(service.db, accountId, { title: 'test' }) },
  };
}

const uuids = ({ body }: Answer): string[] => (body.data as { uuid: string }[]).map(({ uuid }) => uuid);
const mint = (key: string, videoId: string): Promise<Answer> =>
  call(service, `/v1/video/${videoId}/playback-token`, { ...MINT, key });

async function usedBy(keyId: string): Promise<number> {
  const [row] = await service.db.sql.query<{ used: number }>(
    { name: '', text: 'select used from api_key where id = $1' },
    [keyId],
  );
  return row!.used;
}

describe('test mode in /v1', () => {
  it('has its own keys, which say so, and an owner has one test account however often it is opened at once', async () => {
    const { live, test } = await openOwner();
    expect(live.key).toMatch(/^dk_live_/);
    expect(test.key).toMatch(/^dk_test_/);
    const customer = await openCustomer(service);
    const opened = await Promise.all(Array.from({ length: 20 }, () => modes.accountOf(customer.accountId)));
    expect(new Set(opened).size).toBe(1);
    await expect(modes.accountOf(test.accountId)).rejects.toThrow('is a test account');
  });

  it('lists only videos of the key’s own mode, and counts only those', async () => {
    const owner = await openOwner();
    for (const [mine, other] of bothWays(owner)) {
      const listed = await call(service, '/v1/video', { key: mine.key });
      expect(uuids(listed)).toEqual([mine.videoId]);
      expect(listed.body.pagination).toMatchObject({ total: 1 });
      const otherTitle = other === owner.live ? 'live' : 'test';
      expect(uuids(await call(service, `/v1/video?q=${otherTitle}`, { key: mine.key }))).toEqual([]);
    }
  });

  it('answers a video of the other mode exactly as one that does not exist', async () => {
    for (const [mine, other] of bothWays(await openOwner())) {
      for (const path of ['', '/playback-token']) {
        const options = { key: mine.key, method: path === '' ? 'GET' : 'POST' };
        const foreign = await call(service, `/v1/video/${other.videoId}${path}`, options);
        const unknown = await call(service, `/v1/video/${newId()}${path}`, options);
        expect(foreign.status).toBe(404);
        expect(foreign.body).toEqual(unknown.body);
        expect(namesOf(foreign)).toEqual(namesOf(unknown));
      }
      expect(await usedBy(mine.keyId)).toBe(0);
    }
  });

  it('creates a token for a video of its own mode, and the manifest is that video’s', async () => {
    for (const [mine] of bothWays(await openOwner())) {
      const minted = await mint(mine.key, mine.videoId);
      expect(minted.status).toBe(200);
      const manifest = await call(service, new URL(minted.body.data.manifestUrl as string).pathname);
      expect(manifest.body.data.url).toContain(videoIdOf(mine.videoId));
    }
  });

  it('keeps the pages of both modes apart that the service remembers, and one mode’s change leaves the other’s page', async () => {
    const owner = await openOwner();
    for (const [mine, other] of bothWays(owner)) {
      // Asked twice, a page is kept.
      for (let round = 0; round < 3; round += 1) {
        expect(uuids(await call(service, '/v1/video', { key: mine.key }))).toEqual([mine.videoId]);
      }
      const version = await versionOf(other.accountId);
      const added = await addVideo(service.db, mine.accountId, { title: 'added' });
      expect(await versionOf(other.accountId)).toBe(version);
      expect(uuids(await call(service, '/v1/video', { key: mine.key }))).toEqual([added, mine.videoId]);
      expect(uuids(await call(service, '/v1/video', { key: other.key }))).not.toContain(added);
      await service.db.sql.query({ name: '', text: 'delete from video where id = $1' }, [added]);
    }
  });

  it('grants each key of both modes its own videos only where their requests share statements', async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, openOwner));
    const sides = owners.flatMap(({ live, test }) => [
      { key: live, mine: live.videoId, other: test.videoId },
      { key: test, mine: test.videoId, other: live.videoId },
    ]);
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, (_, n) =>
        sides.map(async ({ key, mine, other }) => {
          const videoId = n % 2 === 0 ? mine : other;
          const { status } = await mint(key.key, videoId);
          const page = uuids(await call(service, '/v1/video?limit=5', { key: key.key }));
          return { right: status === (n % 2 === 0 ? 200 : 404), page, mine };
        }),
      ).flat(),
    );
    for (const { right, page, mine } of answers) expect([right, page]).toEqual([true, [mine]]);
    for (const { key } of sides) expect(await usedBy(key.keyId)).toBe(REQUESTS / 2);
  });

  it('explains a token or key of the other mode as one that is not there', async () => {
    for (const [mine, other] of bothWays(await openOwner())) {
      const { token } = (await mint(other.key, other.videoId)).body.data as { token: string };
      const explain = (text: string) => service.playback.explain(mine.accountId, text);
      expect(await explain(token)).toMatchObject({ failedRule: 'signature', videoId: null, viewId: null });
      expect(await explain(other.key)).toEqual(await explain(generateKey('live').text));
      expect(await explain(other.keyId)).toEqual(await explain(newId()));
      expect(await explain(other.key)).toMatchObject({ subject: 'unknown', keyId: null });
    }
  });
});

describe('a test key', () => {
  it('whose quota is nearly used creates one token, and then none until midnight', async () => {
    const { test } = await openOwner();
    const { key, record } = await service.keys.create(test.accountId, { name: 'a', testFault: 'QUOTA_NEARLY_USED' });
    expect(record.usedToday).toBe(record.dailyQuota - 1);
    const last = await mint(key, test.videoId);
    expect([last.status, last.headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
    const refused = await mint(key, test.videoId);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const types = (await eventsOf(service.db, test.accountId)).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['key.created', 'quota.warning', 'quota.reached']);
  });

  it('whose tokens are expired creates tokens that are refused as expired', async () => {
    const { test } = await openOwner();
    const { key } = await service.keys.create(test.accountId, { name: 'a', testFault: 'TOKENS_EXPIRED' });
    const minted = await mint(key, test.videoId);
    expect(minted.status).toBe(200);
    const manifest = await call(service, new URL(minted.body.data.manifestUrl as string).pathname);
    expect([manifest.status, manifest.body.error.code]).toEqual([401, 'PLAYBACK_TOKEN_EXPIRED']);
    // Another key of the account is as ever.
    const whole = await mint(test.key, test.videoId);
    expect((await call(service, new URL(whole.body.data.manifestUrl as string).pathname)).status).toBe(200);
  });

  it.each(['QUOTA_NEARLY_USED', 'TOKENS_EXPIRED'] as const)('alone can have %s', async (testFault) => {
    const { accountId } = await openCustomer(service);
    await expect(service.keys.create(accountId, { name: 'a', testFault })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(await service.keys.list(accountId)).toHaveLength(1);
  });
});

describe('a test account', () => {
  it('has no wallet, and the database refuses to give it one', async () => {
    const { test } = await openOwner();
    const wallet = { name: '', text: 'select * from ledger_account where owner_id = $1' };
    expect(await service.db.sql.query(wallet, [test.accountId])).toEqual([]);
    await expect(
      service.db.sql.query({ name: '', text: 'select open_account($1)' }, [test.accountId]),
    ).rejects.toMatchObject({ constraint: 'live_wallet' });
    expect(await service.db.sql.query(wallet, [test.accountId])).toEqual([]);
  });

  it('is never changed or removed by the service, so that the mode of a thing stays', async () => {
    const { live, test } = await openOwner();
    for (const text of [
      'update test_account set live_account_id = $1 where account_id = $2',
      'insert into test_account (account_id, live_account_id) values ($1, $2)',
      'delete from test_account where live_account_id = $1 or account_id = $2',
    ]) {
      await expect(service.db.sql.query({ name: '', text }, [live.accountId, test.accountId])).rejects.toMatchObject({
        code: '42501',
      });
    }
  });
});

function bothWays({ live, test }: Owner): [Side, Side][] {
  return [
    [live, test],
    [test, live],
  ];
}

/** Headers but the request's own id and the time. */
function namesOf({ headers }: Answer): [string, string][] {
  return [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
}

async function versionOf(accountId: string): Promise<string> {
  const [row] = await service.db.sql.query<{ version: string }>(
    { name: '', text: 'select version from video_count where account_id = $1' },
    [accountId],
  );
  return row!.version;
}

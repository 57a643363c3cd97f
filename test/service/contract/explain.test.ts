import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { installVirtualClock } from '../../../src/db/virtualClock.js';
import { generateKey, shownKey } from '../../../src/domain/accounts/keys/keyFormat.js';
import type { Explanation } from '../../../src/domain/playback/explain/explanation.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { call } from '../../support/contract/client.js';
import {
  addVideo,
  clockAfterNoon,
  openCustomer,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';

let service: RestService;
let owner: { accountId: string; key: string; keyId: string };
let other: { accountId: string; key: string; keyId: string };
let videoId: string;
beforeAll(async () => {
  service = await startRestService();
  await installVirtualClock(service.database.migrationUrl);
});
afterAll(() => service.stop());
beforeEach(async () => {
  await clockAfterNoon(service);
  owner = await openCustomer(service);
  other = await openCustomer(service);
  videoId = await addVideo(service.db, owner.accountId, { title: 'Harbour' });
});

const run = (text: string, values: unknown[]) => service.db.pool.query(text, values);

function mint(key = owner.key, video = videoId) {
  return call(service, `/v1/video/${video}/playback-token`, { key, method: 'POST' });
}

async function token(): Promise<string> {
  const { body } = await mint();
  return body.data.token as string;
}

function exchange(text: string, origin?: string) {
  return call(service, `/v1/video/playback/manifest/${text}`, { headers: origin === undefined ? {} : { origin } });
}

const explain = (text: string, site: string | null = null) => service.playback.explain(owner.accountId, text, site);

const codeOf = ({ rules, failedRule }: Explanation) => rules.find(({ rule }) => rule === failedRule)?.code;
const outcomes = ({ rules }: Explanation) => Object.fromEntries(rules.map(({ rule, outcome }) => [rule, outcome]));

/** What is done to a fresh token's account, key, video and clock, and the rule that then fails first. */
const REFUSED: readonly (readonly [name: string, rule: string, change: () => Promise<unknown>])[] = [
  ['an expired token', 'expiry', () => clockLater(301)],
  ['a revoked key', 'key', () => service.keys.revoke(owner.accountId, owner.keyId)],
  ['a deleted key', 'key', () => run('delete from api_key where id = $1', [owner.keyId])],
  ['a suspended account', 'account', suspend],
  ['a site that is not allowed', 'site', () => allow(['example.org'])],
  ['a deleted video', 'video', removeVideo],
  ['a video of which nothing plays', 'rendition', unpublish],
  [
    'an expired token of a revoked key and a deleted video',
    'expiry',
    async () => {
      await service.keys.revoke(owner.accountId, owner.keyId);
      await removeVideo();
      await clockLater(400);
    },
  ],
  [
    'a revoked key of a suspended account',
    'key',
    async () => {
      await service.keys.revoke(owner.accountId, owner.keyId);
      await suspend();
    },
  ],
  [
    'a suspended account and a site that is not allowed',
    'account',
    async () => {
      await suspend();
      await allow(['example.org']);
    },
  ],
  [
    'a site that is not allowed and a deleted video',
    'site',
    async () => {
      await allow(['example.org']);
      await removeVideo();
    },
  ],
];

function clockLater(seconds: number): Promise<void> {
  return clockAfterNoon(service, seconds);
}
async function suspend(): Promise<void> {
  await run('update account set suspended_at = service_now() where id = $1', [owner.accountId]);
  await run('update api_key set suspended = true where account_id = $1', [owner.accountId]);
}
async function allow(domains: string[]): Promise<void> {
  await run('update account set allowed_domains = $2 where id = $1', [owner.accountId, domains]);
}
async function removeVideo(): Promise<void> {
  await run(`update video set deleted_at = service_now(), playable_rungs = '{}' where id = $1`, [videoId]);
}
async function unpublish(): Promise<void> {
  await run(`update video set playable_rungs = '{}', status = 'processing' where id = $1`, [videoId]);
}

describe('the explanation of a token', () => {
  it('lists every rule in order with what was compared, and counts nothing', async () => {
    const text = await token();
    const explanation = await explain(` ${text}\n`);
    expect(explanation).toMatchObject({ subject: 'token', failedRule: null, videoId, keyId: owner.keyId });
    expect(explanation.viewId).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.entries(outcomes(explanation))).toEqual(
      ['signature', 'expiry', 'key', 'account', 'quota', 'site', 'video', 'rendition', 'grant'].map((rule) => [
        rule,
        'passed',
      ]),
    );
    const facts = explanation.rules.flatMap((rule) =>
      rule.facts.map(({ name, value }) => `${rule.rule} ${name} ${value}`),
    );
    expect(facts).toEqual(
      expect.arrayContaining([
        `key key ${shownKey(owner.key)}`,
        'quota used 1',
        'quota dailyQuota 1000',
        'video title Harbour',
        'rendition playable audio, 480p',
      ]),
    );
    expect((await exchange(text)).status).toBe(200);
    expect((await service.keys.list(owner.accountId))[0]).toMatchObject({ usedToday: 1 });
  });

  it.each(REFUSED)('names the rule by which the exchange refuses %s', async (_, rule, change) => {
    const text = await token();
    await change();
    const refused = await exchange(text, 'https://shop.example');
    const explanation = await explain(text, 'shop.example');
    expect(refused.body.success).toBe(false);
    expect(explanation.failedRule).toBe(rule);
    expect(codeOf(explanation)).toBe(refused.body.error.code);
    expect(explanation.summary).toBe(explanation.rules.find(({ outcome }) => outcome === 'failed')!.text);
  });

  it('lets a token play where the exchange does', async () => {
    const text = await token();
    await allow(['*.example.org']);
    expect((await exchange(text, 'https://www.example.org')).status).toBe(200);
    expect((await explain(text, 'https://www.example.org/page')).failedRule).toBeNull();
    const unnamed = await explain(text);
    expect(outcomes(unnamed)).toMatchObject({ site: 'not_checked', video: 'passed' });
    expect(unnamed.rules.find(({ rule }) => rule === 'site')!.facts).toEqual([
      { name: 'allowed', value: '*.example.org' },
    ]);
    await expect(explain(text, 'no site at all')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('explains a token of the dashboard, which has no key and no quota', async () => {
    const { token: text } = await service.playback.previewToken(owner.accountId, videoId);
    const explanation = await explain(text);
    expect(explanation).toMatchObject({ failedRule: null, keyId: null });
    expect(explanation.rules.find(({ rule }) => rule === 'key')!.text).toContain('without a key');
  });

  it('says until when a player that has begun may continue', async () => {
    const text = await token();
    await clockLater(3_600);
    const inPlay = await explain(text);
    expect(outcomes(inPlay)).toMatchObject({ expiry: 'failed', grant: 'passed' });
    await clockLater(8 * 3_600);
    expect(outcomes(await explain(text))).toMatchObject({ expiry: 'failed', grant: 'failed' });
  });

  it('names the signature of a token that was changed, cut short, or signed by somebody else', async () => {
    const [header = '', claims = '', signature = ''] = (await token()).split('.');
    const elsewhere = Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid: 'elsewhere' })).toString('base64url');
    for (const text of [
      `${header}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      `${header}.${claims}.${signature.slice(0, 40)}`,
      `${elsewhere}.${claims}.${signature}`,
      'a.b.c',
    ]) {
      const explanation = await explain(text);
      expect(explanation.failedRule).toBe('signature');
      expect(codeOf(explanation)).toBe((await exchange(text)).body.error.code);
      expect(new Set(Object.values(outcomes(explanation)))).toEqual(new Set(['failed', 'not_checked']));
      expect(explanation).toMatchObject({ keyId: null, videoId: null, viewId: null });
    }
  });
});

describe('the explanation of a key', () => {
  const changes: readonly (readonly [name: string, rule: string | null, change: () => Promise<unknown>])[] = [
    ['works', null, async () => undefined],
    ['was revoked', 'key', () => service.keys.revoke(owner.accountId, owner.keyId)],
    ['belongs to a suspended account', 'account', suspend],
    [
      'has used its quota',
      'quota',
      async () => {
        await service.keys.setDailyQuota(owner.accountId, owner.keyId, 1);
        await mint();
      },
    ],
    [
      'has used its quota and belongs to a suspended account',
      'account',
      async () => {
        await service.keys.setDailyQuota(owner.accountId, owner.keyId, 1);
        await mint();
        await suspend();
      },
    ],
  ];

  it.each(changes)('says what the token endpoint says of one that %s', async (_, rule, change) => {
    await change();
    const answer = await mint();
    for (const text of [
      owner.keyId,
      owner.keyId.toUpperCase(),
      shownKey(owner.key),
      owner.key.slice(0, 12),
      owner.key,
    ]) {
      const explanation = await explain(text);
      expect(explanation).toMatchObject({ subject: 'key', failedRule: rule, keyId: owner.keyId });
      expect(codeOf(explanation)).toBe(answer.body.success ? undefined : answer.body.error.code);
      expect(JSON.stringify(explanation)).not.toContain(owner.key.slice(12, -4));
    }
  });

  it('asks for the id where several keys begin so', async () => {
    await run(`update api_key set prefix = 'dk_test_aaaa' where id = $1`, [owner.keyId]);
    const { record } = await service.keys.create(owner.accountId, { name: 'another' });
    await run(`update api_key set prefix = 'dk_test_aaaa', last4 = 'zzzz' where id = $1`, [record.id]);
    await expect(explain('dk_test_aaaa')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await explain('dk_test_aaaa…zzzz')).keyId).toBe(record.id);
    expect((await explain('dk_test_aaaa...zzzz')).keyId).toBe(record.id);
  });

  it('reports a misspelt key, and text that it does not know', async () => {
    const typo = `${owner.key.slice(0, -1)}${owner.key.endsWith('A') ? 'B' : 'A'}`;
    expect((await explain(typo)).summary).toContain('misspelt');
    for (const text of ['', 'x', 'dk_', "'; drop table video", '\0', 'e'.repeat(100_000), '💥'.repeat(2_000)]) {
      expect(await explain(text)).toMatchObject({ subject: 'unknown', rules: [] });
    }
  });
});

describe('what belongs to another account', () => {
  it('is explained exactly like something made up', async () => {
    const theirs = await addVideo(service.db, other.accountId);
    const minted = (await mint(other.key, theirs)).body.data.token as string;
    const [header, claims, signature = ''] = minted.split('.');
    const madeUp = `${header}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const key = generateKey('live').text;
    for (const [foreign, invented] of [
      [minted, madeUp],
      [other.keyId, newId()],
      [other.key, key],
      [shownKey(other.key), shownKey(key)],
      [other.key.slice(0, 12), key.slice(0, 12)],
      [theirs, newId()],
    ] as const) {
      expect(await explain(foreign)).toEqual(await explain(invented));
    }
    expect((await service.playback.explain(other.accountId, minted)).failedRule).toBeNull();
  });
});

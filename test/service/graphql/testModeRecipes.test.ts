import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { RECIPES } from '../../../src/dashboard/docs/sections/testModeSamples.js';
import type { WebhookDeliverer } from '../../../src/domain/accounts/webhooks/deliverer.js';
import { parseVideoId } from '../../../src/domain/shared/ids.js';
import { clockAfterNoon } from '../../support/contract/service.js';
import type { Client } from '../../support/graphql/client.js';
import { WAIT_MS } from '../../support/deadlines.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const documented = await readFile('docs/test-mode.md', 'utf8');
/** The GraphQL of each recipe in docs/test-mode.md, by its heading. */
const recipes = new Map(
  documented
    .split('\n### … ')
    .slice(1)
    .map((section) => [section.split('\n')[0]!, /```graphql\n([^`]*)```/.exec(section)![1]!] as const),
);
/** Recipes that a test has asked for. */
const asked = new Set<string>();

let service: GraphqlService;
let owner: Client;
let testId: string;
let hooks: HookServer;
let deliverer: WebhookDeliverer;

beforeAll(async () => {
  service = await GraphqlService.start();
  await installVirtualClock(service.database.migrationUrl);
  owner = (await service.signedIn('owner@example.com')).inTestMode;
  testId = (await owner.data('{ viewer { account { id } } }'))['viewer'].account.id as string;
  hooks = await HookServer.start();
  deliverer = service.deliverWebhooks();
});
afterAll(async () => {
  await deliverer?.stop();
  await hooks?.stop();
  await service?.stop();
});

/** Sends a recipe as it is written, to a webhook server of this test. */
async function follow(heading: string, variables: Record<string, unknown> = {}) {
  asked.add(heading);
  return owner.data(recipes.get(heading)!.replace('https://example.com/hooks', hooks.url), variables);
}

async function faultOf(subjectId: string): Promise<unknown> {
  const text = 'select fault, seconds from test_fault where account_id = $1 and subject_id = $2';
  return (await service.rows<object>(text, [testId, subjectId]))[0];
}

describe('the recipes of test mode', () => {
  it.each([
    ['a video cannot be processed', { fault: 'ENCODE_FAILS_AT_HALF', seconds: null }],
    ['a video takes long', { fault: 'READY_AFTER_N_SECONDS', seconds: 120 }],
  ])('… %s: the video is there to be uploaded, with its fault', async (heading, fault) => {
    const { createVideo } = await follow(heading);
    expect(createVideo.upload.url).toMatch(/^\/uploads\//);
    expect(await faultOf(parseVideoId(createVideo.video.id as string)!)).toEqual(fault);
  });

  it('… a key has used its quota: its first token is the last', async () => {
    // A quota is one of a UTC day, so no midnight may come.
    await clockAfterNoon(service);
    const { createApiKey } = await follow('a key has used its quota');
    const videoId = await readyVideo(service, testId);
    const { playback } = service.services;
    const { quota } = await playback.mint(createApiKey.key as string, videoId);
    expect(quota.remaining).toBe(0);
    await expect(playback.mint(createApiKey.key as string, videoId)).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
    });
    await setClockOffset(service.database.migrationUrl, 0);
  });

  it('… a token arrives too late, or a clock is wrong: its tokens have expired', async () => {
    const { createApiKey } = await follow('a token arrives too late, or a clock is wrong');
    const { playback } = service.services;
    const { token } = await playback.mint(createApiKey.key as string, await readyVideo(service, testId));
    expect(token.expiresAt.getTime()).toBeLessThan(Date.now());
    const viewer = { address: undefined, userAgent: undefined, country: undefined };
    await expect(playback.manifest(token.token, {}, viewer)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
  });

  it('… a token works for longer than it says: it can be exchanged for an hour after its expiry', async () => {
    const { createApiKey } = await follow('a token works for longer than it says');
    const { playback } = service.services;
    const { token } = await playback.mint(createApiKey.key as string, await readyVideo(service, testId));
    const minutes = (token.expiresAt.getTime() - Date.now()) / 60_000;
    expect(minutes).toBeLessThanOrEqual(5);
    await setClockOffset(service.database.migrationUrl, 3_800_000);
    expect((await playback.manifest(token.token)).title).toBeDefined();
    await setClockOffset(service.database.migrationUrl, 3_901_000);
    await expect(playback.manifest(token.token)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
    await setClockOffset(service.database.migrationUrl, 0);
  });

  it('… time passes: a token that was created before has expired, and one that is created now is as any', async () => {
    const { createApiKey } = await owner.data('mutation { createApiKey(name: "in time") { key } }');
    const videoId = await readyVideo(service, testId);
    const { playback } = service.services;
    const { token: before } = await playback.mint(createApiKey.key as string, videoId);
    await playback.manifest(before.token);
    const { moveTestClock } = await follow('time passes');
    expect(moveTestClock.movedSeconds).toBe(86_400);
    await expect(playback.manifest(before.token)).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' });
    const { token: after } = await playback.mint(createApiKey.key as string, videoId);
    expect((await playback.manifest(after.token)).url).toContain('/media/');
  });

  it('… a payment is disputed, and a webhook comes twice: the endpoint receives the dispute twice', async () => {
    await follow('a webhook comes twice, late, or out of order');
    const { simulatePaymentDispute: payment } = await follow('a payment is disputed');
    expect(payment).toMatchObject({ amount: '500', dispute: { state: 'OPEN' } });
    await hooks.until(4);
    const heard = hooks.received.map(
      ({ body }) => JSON.parse(body) as { type: string; livemode: boolean; data: object },
    );
    expect(heard.map(({ type }) => type)).toEqual([
      'topup.credited',
      'topup.credited',
      'dispute.opened',
      'dispute.opened',
    ]);
    expect(hooks.ids[2]).toBe(hooks.ids[3]);
    const data = { topUpId: payment.id, disputeId: payment.dispute.id, amount: '500' };
    expect(heard[2]).toMatchObject({ livemode: false, data });
    const wallet = '{ testWallet { available disputeHold debt } }';
    expect((await owner.data(wallet)).testWallet).toEqual({ available: '0', disputeHold: '500', debt: '0' });

    const { endPaymentDispute: ended } = await follow('a dispute ends', { paymentId: payment.id });
    expect(ended.dispute.state).toBe('LOST');
    expect((await owner.data(wallet)).testWallet).toEqual({ available: '0', disputeHold: '0', debt: '0' });
  });

  it('… a webhook comes twice, late, or out of order: the other faults of its table do what it says', async () => {
    const table = [...documented.matchAll(/^\| `([A-Z_]+)` \(`[a-z-]+`\) \|/gm)].map(([, fault]) => fault!);
    expect(table).toEqual(['TWICE', 'LATE', 'OUT_OF_ORDER']);
    const recipe = recipes.get('a webhook comes twice, late, or out of order')!;
    const [late, mixed] = [await HookServer.start(), await HookServer.start()];
    // The events must fall into one stretch of 30 seconds, which must not end before all of them wait.
    const [{ seconds }] = (await service.rows<{ seconds: number }>(
      'select (31 - extract(epoch from service_now()) % 30)::float8 as seconds',
    )) as [{ seconds: number }];
    await setClockOffset(service.database.migrationUrl, Math.ceil(seconds) * 1_000);
    for (const [fault, { url }] of [
      ['LATE', late],
      ['OUT_OF_ORDER', mixed],
    ] as const) {
      await owner.data(recipe.replace('TWICE', fault).replace('https://example.com/hooks', url));
    }
    const names = ['first', 'second', 'third'];
    for (const name of names) await owner.data(`mutation { createApiKey(name: "${name}") { key } }`);
    const waiting = () =>
      service.rows(
        `select from webhook_delivery d join test_fault f on f.subject_id = d.endpoint_id
         where d.account_id = $1 and d.next_attempt_at > d.created_at and f.fault in ('LATE', 'OUT_OF_ORDER')`,
        [testId],
      );
    await expect.poll(waiting, { timeout: WAIT_MS }).toHaveLength(2 * names.length);
    expect([...late.received, ...mixed.received]).toEqual([]);
    await owner.data('mutation { moveTestClock(seconds: 61) { now } }');
    const heard = async (server: HookServer) => {
      await server.until(names.length);
      return server.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);
    };
    expect(await heard(late)).toEqual(names);
    expect(await heard(mixed)).toEqual(names.toReversed());
    await setClockOffset(service.database.migrationUrl, 0);
    await Promise.all([late.stop(), mixed.stop()]);
  });

  it('are the same in the documentation of the dashboard', () => {
    const written = [...recipes].map(([heading, text]) => [heading, text.trim()]);
    expect(Object.fromEntries(written)).toEqual(RECIPES);
  });

  it('are all followed here', () => {
    expect([...asked].toSorted()).toEqual([...recipes.keys()].toSorted());
  });
});

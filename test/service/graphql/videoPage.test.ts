import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { clockAfterNoon } from '../../support/contract/service.js';
import type { Client } from '../../support/graphql/client.js';
import { lockForJob } from '../../support/jobs.js';
import { credits, paperVideo, readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const ACTIVITY = `query ($id: ID!, $first: Int = 20, $after: String) { video(id: $id) {
  activity(first: $first, after: $after) { edges { cursor node { kind actor at views } } pageInfo { hasNextPage } }
} }`;

describe('what the page and the list of videos add to a video', () => {
  let service: GraphqlService;
  let owner: Client;
  let other: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    await installVirtualClock(service.database.migrationUrl);
    owner = await service.signedIn('owner@example.com');
    other = await service.signedIn('other@example.com');
  });
  afterAll(() => service.stop());

  interface Happened {
    readonly cursor: string;
    readonly node: { kind: string; actor: string; at: string; views: number | null };
  }

  async function activityOf(id: string, first = 20, after?: string): Promise<{ edges: Happened[]; more: boolean }> {
    const { video } = await owner.data(ACTIVITY, { id, first, after });
    return { edges: video.activity.edges, more: video.activity.pageInfo.hasNextPage };
  }

  async function happened(accountId: string, videoId: string, type: string, at: string): Promise<void> {
    await service.admin.query(
      `insert into event (account_id, created_at, id, type, version, data) values ($1, $2, $3, $4, 1, $5)`,
      [accountId, at, newId(), type, JSON.stringify({ uuid: videoId })],
    );
  }

  it('lists events, actions of support and days with views, newest first and page by page', async () => {
    const id = await readyVideo(service, owner.accountId);
    const now = Date.now();
    const minutesAgo = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();
    await happened(owner.accountId, id, 'video.uploaded', minutesAgo(9_000));
    await happened(owner.accountId, id, 'video.failed', minutesAgo(8_000));
    await happened(owner.accountId, id, 'video.ready', minutesAgo(7_000));
    // Not about this video, not about a video, and not of this account.
    await happened(owner.accountId, newId(), 'video.failed', minutesAgo(1));
    await happened(owner.accountId, id, 'wallet.low', minutesAgo(1));
    await happened(other.accountId, id, 'video.failed', minutesAgo(1));
    await service.admin.query(
      `insert into audit_entry (account_id, id, actor_id, action, subject, reason, details, created_at)
        values ($1, $2, null, 'video.retry', $3, 'asked by mail', '{}', $4)`,
      [owner.accountId, newId(), id, minutesAgo(7_500)],
    );
    await service.admin.query(
      `insert into playback_day (account_id, dimension, video_id, starts_at, value, views)
        values ($1, 'all', $2, date_trunc('day', now() - interval '2 days'), '', 12)`,
      [owner.accountId, id],
    );

    const { edges, more } = await activityOf(id);
    expect(edges.map(({ node }) => [node.kind, node.actor, node.views])).toEqual([
      ['VIEWS', 'VIEWERS', 12],
      ['READY', 'SERVICE', null],
      ['RETRIED', 'SUPPORT', null],
      ['FAILED', 'SERVICE', null],
      ['UPLOADED', 'OWNER', null],
    ]);
    expect(more).toBe(false);

    const walked: Happened[] = [];
    for (let after: string | undefined; ; after = walked.at(-1)!.cursor) {
      const page = await activityOf(id, 2, after);
      walked.push(...page.edges);
      if (!page.more) break;
    }
    expect(walked).toEqual(edges);
  });

  it('is empty for a new video, and refuses cursors and pages that are none', async () => {
    const id = await paperVideo(service, owner.accountId);
    expect(await activityOf(id)).toEqual({ edges: [], more: false });
    expect(await owner.code(ACTIVITY, { id, after: 'x' })).toBe('INVALID_INPUT');
    expect(await owner.code(ACTIVITY, { id, first: 101 })).toBe('INVALID_INPUT');
    expect((await other.data(ACTIVITY, { id })).video).toBeNull();
  });

  it('says what a video was charged, also over several attempts, and its plays of 30 days', async () => {
    await credits(service, owner.accountId, { creativeMicros: 50_000_000n });
    const [paid, free] = [await readyVideo(service, owner.accountId), await readyVideo(service, owner.accountId)];
    for (const [attempt, amountMicros] of [
      [1, 1_500_000n],
      [2, 3_000_000n],
    ] as const) {
      await service.services.db.transaction(async ({ sql }) => {
        const job = { accountId: owner.accountId, videoId: paid, attempt };
        await lockForJob(sql, { ...job, bucket: 'CREATIVE', amountMicros });
        await settleEscrow(sql, { ...job, amountMicros });
      });
    }
    // The days are counted from today, so no midnight may come.
    await clockAfterNoon(service);
    await service.admin.query(
      `insert into playback_day (account_id, dimension, video_id, starts_at, value, views, plays)
       select $1, 'all', $2, date_trunc('day', service_now() - days * interval '1 day'), '', views, plays
       from (values (0, 5, 4), (29, 3, 2), (30, 7, 7), (40, 9, 9)) v(days, views, plays)`,
      [owner.accountId, paid],
    );
    const { videos } = await owner.data(`{ videos(first: 100) { edges { node { uuid recentPlays cost } } } }`);
    const of = (uuid: string) =>
      videos.edges.find(({ node }: { node: { uuid: string } }) => node.uuid === uuid).node as {
        recentPlays: number;
        cost: string;
      };
    expect(of(paid)).toEqual({ uuid: paid, recentPlays: 6, cost: '4.5' });
    expect(of(free)).toEqual({ uuid: free, recentPlays: 0, cost: '0' });
    await setClockOffset(service.database.migrationUrl, 0);
  });

  it('filters the list by metadata and by time, and sorts it by length', async () => {
    const created = [];
    for (const [title, metadata, durationMs] of [
      ['Long', { plan: 'paid' }, 90_000],
      ['Short', { plan: 'free' }, 10_000],
    ] as const) {
      const id = await paperVideo(service, other.accountId, { title, durationMs });
      await service.admin.query('update video set metadata = $2 where id = $1', [id, JSON.stringify(metadata)]);
      created.push(videoIdOf(id));
    }
    const LIST = `query ($sort: VideoSort = NEWEST, $metadata: MetadataFilterInput, $from: DateTime, $to: DateTime) {
      videos(sort: $sort, metadata: $metadata, createdFrom: $from, createdTo: $to) { totalCount edges { node { title } } }
    }`;
    const titles = async (variables: Record<string, unknown>): Promise<string[]> =>
      (await other.data(LIST, variables)).videos.edges.map(({ node }: { node: { title: string } }) => node.title);
    expect(await titles({ sort: 'LONGEST' })).toEqual(['Long', 'Short']);
    expect(await titles({ sort: 'SHORTEST' })).toEqual(['Short', 'Long']);
    expect(await titles({ sort: 'TITLE_DESC' })).toEqual(['Short', 'Long']);
    expect(await titles({ metadata: { key: 'plan', value: 'paid' } })).toEqual(['Long']);
    expect(await titles({ metadata: { key: 'plan' }, sort: 'TITLE' })).toEqual(['Long', 'Short']);
    expect(await titles({ to: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect((await titles({ from: '2020-01-01T00:00:00Z' })).length).toBe(2);
    expect((await other.data(LIST, { metadata: { key: 'plan' } })).videos.totalCount).toBeNull();
    expect(await other.code(LIST, { metadata: { key: 'x'.repeat(201) } })).toBe('INVALID_INPUT');
  });
});

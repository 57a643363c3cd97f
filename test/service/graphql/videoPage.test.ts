import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { settleEscrow } from '../../../src/domain/ledger/escrow.js';
import { clockAfterNoon } from '../../support/contract/service.js';
import { Client } from '../../support/graphql/client.js';
import { lockForJob } from '../../support/jobs.js';
import { credits, paperVideo, readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const ACTIVITY = `query ($id: ID!, $first: Int = 20, $after: String) { video(id: $id) {
  activity(first: $first, after: $after) { edges { cursor node { kind actor actorName at views } } pageInfo { hasNextPage } }
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
    readonly node: { kind: string; actor: string; actorName: string | null; at: string; views: number | null };
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
    await service.admin.query(
      `insert into video_change (account_id, video_id, fact, kind, actor, created_at)
        values ($1, $2, 'once', 'video.uploaded', 'owner', $3), ($4, $2, 'once', 'video.tags', 'owner', $3)`,
      [owner.accountId, id, minutesAgo(9_000), other.accountId],
    );
    await happened(owner.accountId, id, 'video.failed', minutesAgo(8_000));
    await happened(owner.accountId, id, 'video.ready', minutesAgo(7_000));
    // Not about this video, not about a video, and not of this account.
    await happened(owner.accountId, newId(), 'video.failed', minutesAgo(1));
    await happened(owner.accountId, id, 'wallet.low', minutesAgo(1));
    await happened(other.accountId, id, 'video.failed', minutesAgo(1));
    await service.admin.query(
      `insert into audit_entry (account_id, id, actor_id, action, subject, reason, details, created_at)
        values ($1, $2, null, 'video.retry', $3, 'asked by email', '{}', $4)`,
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

  it('lists each line of the same microsecond once, wherever a page ends', async () => {
    const id = await readyVideo(service, owner.accountId);
    // As at a midnight: the first tokens of three keys, and the day's views.
    await service.admin.query(
      `insert into video_change (account_id, video_id, fact, kind, actor, created_at)
        select $1::uuid, $2::uuid, n || ' ' || days, 'video.minted', 'api_key',
          date_trunc('day', now(), 'UTC') - days * interval '1 day'
        from generate_series(1, 3) n, (values (1), (3)) d(days)`,
      [owner.accountId, id],
    );
    await service.admin.query(
      `insert into playback_day (account_id, dimension, video_id, starts_at, value, views)
        values ($1, 'all', $2, date_trunc('day', now(), 'UTC') - interval '1 day', '', 12)`,
      [owner.accountId, id],
    );
    const { edges } = await activityOf(id);
    expect(edges.length).toBe(7);
    expect(new Set(edges.map(({ cursor }) => cursor)).size).toBe(7);
    for (const first of [1, 2, 3, 5]) {
      const walked: Happened[] = [];
      for (let after: string | undefined; ; after = walked.at(-1)!.cursor) {
        const page = await activityOf(id, first, after);
        walked.push(...page.edges);
        if (!page.more) break;
      }
      expect(walked).toEqual(edges);
    }
  });

  it('says who did it, by the names that the owner knows', async () => {
    // Changes of one hour are one line, so no hour may end meanwhile.
    await clockAfterNoon(service);
    const id = await readyVideo(service, owner.accountId);
    const { createAccessToken } = await owner.data(
      `mutation { createAccessToken(name: "Nightly import", scopes: [READ, MANAGE], expiresInDays: 1) { token accessToken { id } } }`,
    );
    const program = new Client(service.url, '', owner.accountId, {
      authorization: `Bearer ${createAccessToken.token as string}`,
    });
    const { key } = await service.services.keys.create(owner.accountId, { name: 'Production' });
    // A program that writes without end: one line for all of it.
    for (let n = 0; n < 3; n += 1) {
      await owner.data(`mutation ($id: ID!) { updateVideo(id: $id, input: { title: "New" }) { id } }`, { id });
    }
    await program.data(`mutation ($id: ID!) { changeVideoTags(ids: [$id], add: ["a"]) }`, { id });
    await program.data(
      `mutation ($id: ID!) { setChapters(videoId: $id, chapters: [{ startSeconds: 0, title: "One" }]) { id } }`,
      { id },
    );
    await owner.data(
      `mutation ($id: ID!) { uploadCaptions(videoId: $id, input: { language: "en", label: "English",
        text: "WEBVTT\\n\\n00:00.000 --> 00:01.000\\nHello" }) { id } }`,
      { id },
    );
    for (let n = 0; n < 3; n += 1) await service.services.playback.mint(key, videoIdOf(id));
    await service.services.firstTokens.flush();
    await service.services.playback.mint(key, videoIdOf(id));
    await service.services.firstTokens.flush();
    await owner.data(`mutation ($id: ID!) { deleteVideo(id: $id) }`, { id });
    await owner.data(`mutation ($id: ID!) { restoreVideo(id: $id) { id } }`, { id });
    // Outside a request, it is the service.
    await service.services.videos.update(owner.accountId, id, { description: 'By a chore' });

    const { edges } = await activityOf(id);
    const lines = edges.map(({ node }) => [node.kind, node.actor, node.actorName]);
    expect(new Set(lines)).toEqual(
      new Set([
        ['DETAILS_CHANGED', 'SERVICE', null],
        ['RESTORED', 'OWNER', 'Somebody'],
        ['DELETED', 'OWNER', 'Somebody'],
        ['MINTED', 'API_KEY', 'Production'],
        ['CAPTIONS_CHANGED', 'OWNER', 'Somebody'],
        ['CHAPTERS_CHANGED', 'ACCESS_TOKEN', 'Nightly import'],
        ['TAGS_CHANGED', 'ACCESS_TOKEN', 'Nightly import'],
        ['DETAILS_CHANGED', 'OWNER', 'Somebody'],
      ]),
    );
    expect(lines.length).toBe(8);

    // Without a name, the address; and a token that is gone has no name any more.
    await service.admin.query(`update auth."user" set name = ' ' where id = $1`, [owner.accountId]);
    await service.admin.query('delete from access_token where id = $1', [createAccessToken.accessToken.id]);
    const later = (await activityOf(id)).edges.map(({ node }) => [node.kind, node.actorName]);
    expect(later).toContainEqual(['RESTORED', 'owner@example.com']);
    expect(later).toContainEqual(['TAGS_CHANGED', null]);
    await service.admin.query(`update auth."user" set name = 'Somebody' where id = $1`, [owner.accountId]);

    const day = (days: number) =>
      `update video_change set created_at = service_now() - interval '${days} days' where video_id = $1`;
    await service.admin.query(day(89), [id]);
    expect(await service.services.videoActivity.forget()).toBe(0);
    await service.admin.query(day(91), [id]);
    expect(await activityOf(id)).toEqual({ edges: [], more: false });
    expect(await service.services.videoActivity.forget()).toBe(8);
    await setClockOffset(service.database.migrationUrl, 0);
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

  it('sorts by plays and by cost, exactly as its columns say, page by page', async () => {
    const busy = await service.signedIn('busy@example.com');
    await credits(service, busy.accountId, { creativeMicros: 50_000_000n });
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await readyVideo(service, busy.accountId));
    await clockAfterNoon(service);
    // Several have the same number, some have none, and plays of earlier days do not count.
    await service.admin.query(
      `insert into playback_day (account_id, dimension, video_id, starts_at, value, views, plays)
       select $1::uuid, 'all', v.id, date_trunc('day', service_now()) - days * interval '1 day', '', 200, plays
       from unnest($2::uuid[]) with ordinality v(id, n)
         cross join lateral (values (0, v.n % 4), (29, v.n % 2), (30, 100 - v.n)) d(days, plays)
       where v.n > 3
       union all select $1::uuid, 'all', '00000000-0000-0000-0000-000000000000', date_trunc('day', service_now()), '', 900, 900`,
      [busy.accountId, ids],
    );
    for (const [at, attempt, amountMicros] of [
      [2, 1, 1_500_000n],
      [7, 1, 9_000_000n],
      [7, 2, 1_000_000n],
      [5, 1, 9_500_000n],
    ] as const) {
      await service.services.db.transaction(async ({ sql }) => {
        const job = { accountId: busy.accountId, videoId: ids[at]!, attempt };
        await lockForJob(sql, { ...job, bucket: 'CREATIVE', amountMicros });
        await settleEscrow(sql, { ...job, amountMicros });
      });
    }
    const SORTED = `query ($sort: VideoSort!, $after: String, $status: VideoStatus) {
      videos(first: 5, sort: $sort, after: $after, status: $status) {
        edges { cursor node { uuid recentPlays cost } } pageInfo { hasNextPage } } }`;
    const walk = async (sort: string, status?: string) => {
      const nodes: { uuid: string; recentPlays: number; cost: string }[] = [];
      for (let after: string | undefined; ;) {
        const { videos } = await busy.data(SORTED, { sort, after, status });
        nodes.push(...videos.edges.map(({ node }: { node: (typeof nodes)[number] }) => node));
        if (!videos.pageInfo.hasNextPage) return nodes;
        after = videos.edges.at(-1).cursor as string;
      }
    };
    for (const [sort, reversed, valueOf] of [
      ['MOST_PLAYED', 'LEAST_PLAYED', ({ recentPlays }: { recentPlays: number }) => recentPlays],
      ['HIGHEST_COST', 'LOWEST_COST', ({ cost }: { cost: string }) => Number(cost)],
    ] as const) {
      const nodes = await walk(sort);
      expect(nodes.map(({ uuid }) => uuid).toSorted()).toEqual(ids.toSorted());
      const values = nodes.map((node) => valueOf(node as never));
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      expect(new Set(values).size).toBeGreaterThan(2);
      expect(await walk(reversed)).toEqual(nodes.toReversed());
      expect(await walk(sort, 'READY')).toEqual(nodes);
      const { videos } = await busy.data(SORTED, { sort });
      expect(await busy.code(SORTED, { sort: reversed, after: videos.edges[0].cursor })).toBe('INVALID_INPUT');
    }
    const [first] = await walk('HIGHEST_COST');
    expect(first).toMatchObject({ uuid: ids[7], cost: '10' });
    // Nothing of another account counts.
    expect((await other.data(SORTED, { sort: 'MOST_PLAYED' })).videos.edges.length).toBeLessThan(3);
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

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import type { Client } from '../../support/graphql/client.js';
import { credits, paperVideo, readyVideo } from './parents.js';
import { GraphqlService } from './service.js';

const CREATE = `mutation ($input: CreateVideoInput!) {
  createVideo(input: $input) { upload { id url sizeBytes expiresAt } video { id uuid title status measured upload { url } } }
}`;
const QUOTE = `mutation ($id: ID!, $quality: Quality!, $branding: Boolean = false) {
  createQuote(videoId: $id, quality: $quality, branding: $branding) {
    id videoId quality total missing durationSeconds expiresAt lines { item quality ratePerMinute amount }
  }
}`;
const PROCESS =
  'mutation ($id: ID!) { processVideo(quoteId: $id) { status quality processing { attempt state price percent } } }';

describe('videos over GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;
  let other: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com');
    other = await service.signedIn('other@example.com');
  });
  afterAll(() => service.stop());

  it('are created with an upload address, which is shown again', async () => {
    const input = { filename: 'my video.final.mp4', sizeBytes: 5_000_000_000 };
    const { createVideo } = await owner.data(CREATE, { input });

    expect(createVideo.video).toMatchObject({ title: 'my video.final', status: 'AWAITING_UPLOAD', measured: false });
    expect(createVideo.video.id).toBe(videoIdOf(createVideo.video.uuid));
    expect(createVideo.upload).toMatchObject({ sizeBytes: 5_000_000_000, url: `/uploads/${createVideo.upload.id}` });
    expect(createVideo.upload.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(createVideo.video.upload.url).toBe(createVideo.upload.url);
  });

  it('are refused with an invalid size, and with branding without a logo', async () => {
    expect(await owner.code(CREATE, { input: { filename: 'a.mp4', sizeBytes: 1e12 } })).toBe('FILE_TOO_LARGE');
    expect(await owner.code(CREATE, { input: { filename: 'a.mp4', sizeBytes: 1.5 } })).toBe('INVALID_INPUT');
    expect(await owner.code(CREATE, { input: { filename: 'a.mp4', sizeBytes: 1, branding: true } })).toBe(
      'BRAND_MISSING',
    );
    expect(await owner.code(CREATE, { input: { filename: 'a.mp4', sizeBytes: 1, autoProcess: true } })).toBe(
      'INVALID_INPUT',
    );
  });

  it('are found by both spellings of their id, and never for another account', async () => {
    const uuid = await readyVideo(service, owner.accountId);
    const ask = `query ($id: ID!) { video(id: $id) {
      id status playableRungs sourceQuality durationSeconds renditions { quality codecs } failure { code } thumbnailUrl
    } }`;
    for (const id of [uuid, uuid.toUpperCase(), videoIdOf(uuid)]) {
      const { video } = await owner.data(ask, { id });
      expect(video).toEqual({
        id: videoIdOf(uuid),
        status: 'READY',
        playableRungs: ['P480', 'AUDIO'],
        sourceQuality: 'P720',
        durationSeconds: 60,
        renditions: [
          { quality: 'P480', codecs: 'mp4a.40.2' },
          { quality: 'AUDIO', codecs: 'mp4a.40.2' },
        ],
        failure: null,
        thumbnailUrl: null,
      });
    }
    expect(await other.data(ask, { id: uuid })).toEqual({ video: null });
    expect(await owner.data(ask, { id: 'nothing' })).toEqual({ video: null });
  });

  it('say whether their source is HDR', async () => {
    const { accountId } = owner;
    const ids = [
      await paperVideo(service, accountId, { colorTransfer: 'smpte2084' }),
      await paperVideo(service, accountId, { colorTransfer: 'arib-std-b67' }),
      await paperVideo(service, accountId),
    ];
    const told = [];
    for (const id of ids) told.push((await owner.data('query ($id: ID!) { video(id: $id) { isHdr } }', { id })).video);
    expect(told).toEqual([{ isHdr: true }, { isHdr: true }, { isHdr: false }]);
  });

  it('are listed by cursor, completely and in order', async () => {
    const walker = await service.signedIn('walker@example.com');
    for (let n = 0; n < 7; n += 1) await paperVideo(service, walker.accountId, { title: `Video ${n}` });
    const ask = `query ($after: String, $sort: VideoSort) { videos(first: 3, after: $after, sort: $sort) {
      totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { title } }
    } }`;
    const seen: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 3; page += 1) {
      const { videos } = await walker.data(ask, { after, sort: 'TITLE' });
      expect(videos.totalCount).toBe(7);
      expect(videos.pageInfo.hasNextPage).toBe(page < 2);
      expect(videos.pageInfo.endCursor).toBe(videos.edges.at(-1).cursor);
      seen.push(...videos.edges.map((edge: { node: { title: string } }) => edge.node.title));
      after = videos.pageInfo.endCursor as string;
    }
    expect(seen).toEqual(['Video 0', 'Video 1', 'Video 2', 'Video 3', 'Video 4', 'Video 5', 'Video 6']);
    expect(await walker.data('{ videos(q: "video 3") { totalCount edges { node { title } } } }')).toEqual({
      videos: { totalCount: null, edges: [{ node: { title: 'Video 3' } }] },
    });
    const counted = async (upTo: number, q: string) =>
      (await walker.data(`{ videos(first: 1, q: "${q}", countUpTo: ${upTo}) { totalCount } }`)).videos.totalCount;
    expect([await counted(5, 'video'), await counted(100, 'video'), await counted(100, 'video 3')]).toEqual([5, 7, 1]);
    for (const upTo of [0, 20_001]) {
      expect(await walker.code(`{ videos(countUpTo: ${upTo}) { totalCount } }`)).toBe('INVALID_INPUT');
    }
    const typing = await walker.data('{ videos(q: "vid") { edges { node { title } } } }');
    expect(typing.videos.edges).toHaveLength(7);
    expect(await walker.data('{ videos(q: "o\'video \\\\ & 3") { edges { cursor } } }')).toEqual({
      videos: { edges: [] },
    });
    expect(await walker.code('{ videos(after: "nonsense") { totalCount } }')).toBe('INVALID_INPUT');
    expect(await walker.code('{ videos(first: 101) { totalCount } }')).toBe('INVALID_INPUT');
    expect(await walker.code('{ videos(first: 0) { totalCount } }')).toBe('INVALID_INPUT');
  });

  it('read the parts of many videos with as many statements as those of one', async () => {
    const collector = await service.signedIn('collector@example.com');
    for (let n = 0; n < 12; n += 1) await readyVideo(service, collector.accountId);
    const statements = service.countStatements();
    const ask = `query ($first: Int!) { videos(first: $first) { edges { node {
      title renditions { quality } processing { percent } upload { url } failure { code }
    } } } }`;
    const cost = async (first: number) => {
      const before = statements.count;
      const { videos } = await collector.data(ask, { first });
      expect(videos.edges).toHaveLength(first);
      expect(videos.edges[first - 1].node.renditions).toHaveLength(2);
      return statements.count - before;
    };
    const ofOne = await cost(1);
    expect(ofOne).toBeGreaterThan(0);
    expect(await cost(12)).toBe(ofOne);
  });

  it('change only in what is given', async () => {
    const id = await paperVideo(service, owner.accountId, { title: 'Before' });
    const update = `mutation ($id: ID!, $input: UpdateVideoInput!) {
      updateVideo(id: $id, input: $input) { title description tags metadata { key value } }
    }`;
    await owner.data(update, { id, input: { title: 'After', metadata: [{ key: 'year', value: '1957' }] } });
    const { updateVideo } = await owner.data(update, { id, input: { tags: ['a', 'b'] } });
    expect(updateVideo).toEqual({
      title: 'After',
      description: '',
      tags: ['a', 'b'],
      metadata: [{ key: 'year', value: '1957' }],
    });
    expect(await owner.code(update, { id, input: { title: ' ' } })).toBe('INVALID_INPUT');
    expect(await other.code(update, { id, input: { title: 'Mine' } })).toBe('VIDEO_NOT_FOUND');
  });

  it('are quoted, report missing credits, and are processed once those are there', async () => {
    const id = await paperVideo(service, owner.accountId, { durationMs: 90_000 });
    const { createQuote: quote } = await owner.data(QUOTE, { id, quality: 'P2160' });
    expect(quote).toMatchObject({
      videoId: videoIdOf(id),
      quality: 'P720',
      total: '2.25',
      missing: '2.25',
      durationSeconds: 90,
      lines: [{ item: 'PROCESSING', quality: 'P720', ratePerMinute: '1.5', amount: '2.25' }],
    });
    expect(await owner.code(QUOTE, { id, quality: 'P480', branding: true })).toBe('BRAND_MISSING');
    const refused = await owner.ask(PROCESS, { id: quote.id });
    expect(refused.status).toBe(200);
    expect(refused.errors[0]!.extensions).toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      status: 402,
      details: { missing: '2.25' },
      requestId: 'test-request',
    });

    await credits(service, owner.accountId, { creativeMicros: 10_000_000n });
    const { processVideo } = await owner.data(PROCESS, { id: quote.id });
    expect(processVideo).toEqual({
      status: 'QUEUED',
      quality: 'P720',
      processing: { attempt: 1, state: 'QUEUED', price: '2.25', percent: 0 },
    });
    expect(await owner.data('{ wallet { creative escrow } }')).toEqual({
      wallet: { creative: '7.75', escrow: '2.25' },
    });
    expect(await other.code(PROCESS, { id: quote.id })).toBe('NOT_FOUND');
    expect(await owner.code(PROCESS, { id: 'no-uuid' })).toBe('NOT_FOUND');
    expect(await other.code(QUOTE, { id, quality: 'P480' })).toBe('VIDEO_NOT_FOUND');
    expect(await owner.code('mutation ($id: ID!) { retryVideo(id: $id) { id } }', { id })).toBe('INVALID_STATE');
    expect(await other.code('mutation ($id: ID!) { retryVideo(id: $id) { id } }', { id })).toBe('VIDEO_NOT_FOUND');
  });

  it('release their escrow when deleted in the queue', async () => {
    const deleter = await service.signedIn('deleter@example.com');
    await credits(service, deleter.accountId, { creativeMicros: 5_000_000n });
    const id = await paperVideo(service, deleter.accountId);
    const { createQuote } = await deleter.data(QUOTE, { id, quality: 'P480' });
    await deleter.data(PROCESS, { id: createQuote.id });

    const remove = 'mutation ($id: ID!) { deleteVideo(id: $id) }';
    expect(await other.code(remove, { id })).toBe('VIDEO_NOT_FOUND');
    expect(await deleter.data(remove, { id })).toEqual({ deleteVideo: videoIdOf(id) });
    expect(await deleter.data('{ wallet { creative escrow } }')).toEqual({ wallet: { creative: '5', escrow: '0' } });
    expect(await deleter.code(remove, { id })).toBe('VIDEO_NOT_FOUND');
  });

  it('have tags that are counted and changed together, unless one would have too many', async () => {
    const tagger = await service.signedIn('tagger@example.com');
    const [one, two, full] = [
      await paperVideo(service, tagger.accountId),
      await paperVideo(service, tagger.accountId),
      await paperVideo(service, tagger.accountId),
    ];
    const set = 'mutation ($id: ID!, $tags: [String!]) { updateVideo(id: $id, input: { tags: $tags }) { id } }';
    await tagger.data(set, { id: one, tags: ['river', 'old'] });
    await tagger.data(set, { id: full, tags: Array.from({ length: 20 }, (_, n) => `tag ${n}`) });

    const change = `mutation ($ids: [ID!]!, $add: [String!]!, $remove: [String!]!) {
      changeVideoTags(ids: $ids, add: $add, remove: $remove)
    }`;
    const tags = { add: [' river ', 'sea'], remove: ['old'] };
    const { changeVideoTags } = await tagger.data(change, { ids: [one, two, full], ...tags });
    expect(changeVideoTags.toSorted()).toEqual([one, two].map(videoIdOf).toSorted());
    expect((await tagger.data('query ($id: ID!) { video(id: $id) { tags } }', { id: one })).video.tags).toEqual([
      'river',
      'sea',
    ]);
    const { videoTags } = await tagger.data('{ videoTags { tag videos } }');
    expect(videoTags.slice(0, 2)).toEqual([
      { tag: 'river', videos: 2 },
      { tag: 'sea', videos: 2 },
    ]);
    expect(videoTags).toHaveLength(22);

    expect(await other.data(change, { ids: [one], ...tags })).toEqual({ changeVideoTags: [] });
    expect(await other.data('{ videoTags { tag } }')).toEqual({ videoTags: [] });
    const ids = Array.from({ length: 101 }, () => newId());
    expect(await tagger.code(change, { ids, ...tags })).toBe('INVALID_INPUT');
    expect(await tagger.code(change, { ids: [], ...tags })).toBe('INVALID_INPUT');
  });

  it('are deleted in batches, own ones only', async () => {
    const deleter = await service.signedIn('batches@example.com');
    const ids = [await paperVideo(service, deleter.accountId), await paperVideo(service, deleter.accountId)];
    const foreign = await paperVideo(service, owner.accountId);
    const remove = 'mutation ($ids: [ID!]!) { deleteVideos(ids: $ids) }';
    expect(await deleter.data(remove, { ids: [...ids, foreign, newId()] })).toEqual({
      deleteVideos: ids.map(videoIdOf),
    });
    expect(await deleter.data('{ videos { totalCount } }')).toEqual({ videos: { totalCount: 0 } });
    expect(await owner.data('query ($id: ID!) { video(id: $id) { id } }', { id: foreign })).toEqual({
      video: { id: videoIdOf(foreign) },
    });
    expect(await deleter.code(remove, { ids: Array.from({ length: 101 }, () => newId()) })).toBe('INVALID_INPUT');
  });

  it('are found by their id in either spelling, if the other filters let them through', async () => {
    const finder = await service.signedIn('finder@example.com');
    const [uuid] = [await readyVideo(service, finder.accountId), await readyVideo(service, finder.accountId)];
    const search = `query ($q: String!, $status: VideoStatus, $tag: String, $sort: VideoSort, $after: String) {
      videos(q: $q, status: $status, tag: $tag, sort: $sort, after: $after) {
        edges { cursor node { uuid } } pageInfo { hasNextPage } totalCount
      }
    }`;
    const found = async (variables: Record<string, unknown>, client = finder) =>
      (await client.data(search, variables)).videos.edges.map((edge: { node: { uuid: string } }) => edge.node.uuid);
    for (const q of [uuid, uuid.toUpperCase(), ` ${videoIdOf(uuid)} `]) expect(await found({ q })).toEqual([uuid]);
    for (const sort of ['TITLE', 'OLDEST']) expect(await found({ q: uuid, sort })).toEqual([uuid]);
    expect(await found({ q: uuid, status: 'READY' })).toEqual([uuid]);
    expect(await found({ q: uuid, status: 'FAILED' })).toEqual([]);
    expect(await found({ q: uuid, tag: 'none' })).toEqual([]);
    expect(await found({ q: newId() })).toEqual([]);
    expect(await found({ q: uuid }, other)).toEqual([]);
    const { cursor } = (await finder.data(search, { q: uuid })).videos.edges[0];
    expect(await found({ q: uuid, after: cursor })).toEqual([]);
    await finder.data('mutation ($id: ID!) { deleteVideo(id: $id) }', { id: uuid });
    expect(await found({ q: uuid })).toEqual([]);
  });

  it('go to the bin, are listed there, and come back or are deleted for good', async () => {
    const keeper = await service.signedIn('keeper@example.com');
    const [back, gone, left] = [
      await readyVideo(service, keeper.accountId),
      await readyVideo(service, keeper.accountId),
      await readyVideo(service, keeper.accountId),
    ];
    const bin = '{ bin { totalCount storedBytes edges { node { id title status storedBytes deletedAt purgeAt } } } }';
    const ids = [back, gone, left].map(videoIdOf);
    await keeper.data('mutation ($ids: [ID!]!) { deleteVideos(ids: $ids) }', { ids });
    const { bin: full } = await keeper.data(bin);
    expect(full.totalCount).toBe(3);
    expect(full.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(ids.toReversed());
    const { deletedAt, purgeAt } = full.edges[0].node;
    expect(Date.parse(purgeAt) - Date.parse(deletedAt)).toBe(7 * 86_400_000);
    expect(await keeper.data('{ videos { totalCount } }')).toEqual({ videos: { totalCount: 0 } });
    expect((await other.data(bin)).bin).toMatchObject({ totalCount: 0, storedBytes: 0, edges: [] });

    const restore = 'mutation ($id: ID!) { restoreVideo(id: $id) { id status playableRungs } }';
    const end = 'mutation ($id: ID!) { deleteVideoForever(id: $id) }';
    expect(await other.code(restore, { id: back })).toBe('VIDEO_NOT_FOUND');
    expect((await keeper.data(restore, { id: back })).restoreVideo).toMatchObject({ id: ids[0], status: 'READY' });
    expect(await keeper.data(end, { id: gone })).toEqual({ deleteVideoForever: ids[1] });
    expect(await keeper.code(restore, { id: gone })).toBe('VIDEO_NOT_FOUND');
    expect(await keeper.code(end, { id: back })).toBe('VIDEO_NOT_FOUND');
    const empty = 'mutation ($until: DateTime) { emptyBin(until: $until) { deleted remaining until } }';
    expect((await keeper.data(empty)).emptyBin).toMatchObject({ deleted: 1, remaining: 0 });
    expect((await keeper.data(bin)).bin.totalCount).toBe(0);
    expect(await keeper.code('{ bin(first: 101) { totalCount } }')).toBe('INVALID_INPUT');
  });

  it('have preview tokens if they are playable, for their owner only', async () => {
    const preview = 'mutation ($id: ID!) { createPreviewToken(videoId: $id) { token expiresAt manifestUrl } }';
    const id = await readyVideo(service, owner.accountId);
    const { createPreviewToken } = await owner.data(preview, { id });
    expect(createPreviewToken.manifestUrl).toBe(`/v1/video/playback/manifest/${createPreviewToken.token}`);
    const unready = await paperVideo(service, owner.accountId);
    expect(await owner.code(preview, { id: unready })).toBe('VIDEO_NOT_READY');
    expect(await other.code(preview, { id })).toBe('VIDEO_NOT_FOUND');
    expect(await owner.code(preview, { id: newId() })).toBe('VIDEO_NOT_FOUND');
  });
});

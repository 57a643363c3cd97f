import { afterAll, beforeAll, expect, it } from 'vitest';

import { BinService } from '../../../src/domain/media/library/bin.service.js';
import { VideoService } from '../../../src/domain/media/library/video.service.js';
import { call } from '../../support/contract/client.js';
import { addVideo, openCustomer, type RestService, startRestService } from '../../support/contract/service.js';

let service: RestService;
let bin: BinService;

beforeAll(async () => {
  service = await startRestService();
  const { db } = service;
  const queue = { cancelProcessVideo: async () => undefined };
  const uploads = { begin: () => Promise.reject(new Error('nothing is uploaded')) };
  const videos = new VideoService({ db, queue: queue as never, uploads });
  bin = new BinService({ db, queue, videos });
});
afterAll(() => service.stop());

it('answers for a video in the bin as for a deleted one, and as before once it is restored', async () => {
  const { accountId, key } = await openCustomer(service);
  const videoId = await addVideo(service.db, accountId, { title: 'kept' });
  const mint = () => call(service, `/v1/video/${videoId}/playback-token`, { key, method: 'POST' });
  const all = async () => {
    const list = await call(service, '/v1/video', { key });
    const one = await call(service, `/v1/video/${videoId}`, { key });
    return { list, one, etag: list.headers.get('etag') };
  };
  const before = await all();
  const minted = await mint();
  expect([before.list.body.pagination.total, before.one.status, minted.status]).toEqual([1, 200, 200]);
  const manifest = () => call(service, `/v1/video/playback/manifest/${minted.body.data.token}`);
  expect((await manifest()).status).toBe(200);

  await bin.put(accountId, videoId);
  const during = await all();
  expect(during.list.body).toMatchObject({ data: [], pagination: { total: 0 } });
  expect(during.etag).not.toBe(before.etag);
  expect([during.one.status, during.one.body.error.code]).toEqual([404, 'VIDEO_NOT_FOUND']);
  const refused = await mint();
  expect([refused.status, refused.body.error.code]).toEqual([404, 'VIDEO_NOT_FOUND']);
  expect(refused.headers.get('x-ratelimit-remaining')).toBe(minted.headers.get('x-ratelimit-remaining'));
  expect((await manifest()).body.error.code).toBe('VIDEO_NOT_FOUND');

  await bin.restore(accountId, videoId);
  const after = await all();
  expect(after.etag).not.toBe(during.etag);
  expect(after.list.body.data[0]).toEqual({ ...before.list.body.data[0], updatedAt: expect.any(String) });
  expect([(await mint()).status, (await manifest()).status]).toEqual([200, 200]);

  await bin.put(accountId, videoId);
  await bin.deleteForever(accountId, videoId);
  expect((await all()).one.status).toBe(404);
});

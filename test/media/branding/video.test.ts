import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { expect, test } from 'vitest';

import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import { BrandService } from '../../../src/domain/media/branding/brand.service.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { createTestDatabase } from '../../support/database.js';
import { mediaFolder } from '../../support/media.js';
import { Pipeline, pipelineFolder } from '../../support/worker/pipeline.js';
import { still } from '../../support/branding/logos.js';
import { frameOf, plainVideo } from '../../support/branding/pixels.js';

test('a video keeps the logo it was bought with, even if another one is set before it is made', async () => {
  const database = await createTestDatabase();
  await using dir = await pipelineFolder();
  await using folder = await mediaFolder();
  const shared = { databaseUrl: database.runtimeUrl, dir: dir.path };
  const office = await Pipeline.start({ ...shared, works: false });
  const tools = new FfmpegLogoTools({ searchPath: process.env['PATH']!, mustConfine: false });
  const { db, store } = office;
  const brands = new BrandService({ db, store, tools, media: new PublishedMedia(db.sql) });

  const accountId = await office.account(10n);
  const source = await plainVideo(folder.path, { seconds: 2 });
  const videoId = await office.measured(accountId, source);
  await brands.setLogo(accountId, await still('color=white:s=40x20'));
  await brands.place(accountId, { position: 'center', widthPercent: 50, marginPercent: 0, opacityPercent: 100 });
  const choice = { quality: '480p', branding: true, encryption: false, normalizeLoudness: false } as const;
  const quote = await office.processing.quote(accountId, videoId, choice);
  await office.processing.process(accountId, quote.id);
  await brands.setLogo(accountId, await still('color=black:s=40x20'));

  const works = await Pipeline.start({ ...shared, works: true });
  try {
    await office.until(accountId, videoId, ({ status }) => status === 'ready');
    const keys = (await office.keys(`videos/${accountId}/${videoId}/`)).filter((key) => key.includes('/480p/'));
    const parts = [
      ...keys.filter((key) => key.endsWith('init.mp4')),
      ...keys.filter((key) => key.endsWith('.m4s')).toSorted(),
    ];
    const bytes = await Promise.all(parts.map(async (key) => buffer((await store.get(key))!.body)));
    const video = join(folder.path, 'video.mp4');
    await writeFile(video, Buffer.concat(bytes));
    const frame = await frameOf(folder.path, video, { width: 640, height: 360 }, { atSeconds: 1 });
    expect(Math.min(...frame.at(320, 180))).toBeGreaterThan(240);
    expect(Math.max(...frame.at(20, 20))).toBeLessThan(50);
    expect(await office.books(accountId)).toMatchObject({ escrow: 0n, revenue: quote.totalMicros, faults: 0 });
  } finally {
    await works.stop();
    await office.stop();
    await database.drop();
  }
});

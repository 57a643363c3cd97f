import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import { BrandService } from '../../../src/domain/media/branding/brand.service.js';
import { FIRST_PLACEMENT } from '../../../src/domain/media/branding/placement.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { ladderOf } from '../processing/paperLadder.js';
import { openScene, type PipelineScene } from '../../support/worker/pipeline.js';
import { still } from '../../support/branding/logos.js';

const CREDIT = 1_000_000n;
const GAVE_UP = { code: 'PROCESSING_FAILED', message: 'It broke.' };
const branded = { quality: '720p', branding: true, encryption: false, normalizeLoudness: false } as const;

let scene: PipelineScene;
let brands: BrandService;
let red: Buffer;
let blue: Buffer;

beforeAll(async () => {
  scene = await openScene();
  const { db, store } = scene.pipeline;
  const tools = new FfmpegLogoTools({ searchPath: process.env['PATH']!, mustConfine: false });
  brands = new BrandService({ db, store, tools, media: new PublishedMedia(db.sql) });
  [red, blue] = [await still('color=red:s=40x20'), await still('color=blue:s=20x40')];
});
afterAll(() => scene.close());

async function ownerWithLogo(credits = 100n): Promise<string> {
  const accountId = await scene.pipeline.account(credits);
  await brands.setLogo(accountId, red);
  return accountId;
}

async function bought(accountId: string): Promise<{ videoId: string; attempt: number }> {
  const { pipeline } = scene;
  const videoId = await pipeline.paperVideo(accountId);
  const quote = await pipeline.processing.quote(accountId, videoId, branded);
  return pipeline.processing.process(accountId, quote.id);
}

async function shownBy(job: { accountId: string; videoId: string; attempt: number }): Promise<unknown> {
  const claim = await scene.pipeline.attempts.claim(job);
  const { width, height } = claim!.brand!.logo;
  return { logo: width > height ? 'red' : 'blue', position: claim!.brand!.position };
}

async function kept(accountId: string): Promise<{ versions: number[]; logos: number }> {
  const { db } = scene.pipeline;
  const versions = await db.sql.query<{ version: number }>(
    { name: 'test-versions', text: 'select version from brand_version where account_id = $1 order by version' },
    [accountId],
  );
  const logos = await db.sql.query({ name: 'test-logos', text: 'select from brand_logo where account_id = $1' }, [
    accountId,
  ]);
  return { versions: versions.map(({ version }) => version), logos: logos.length };
}

describe('the logo of a purchase', () => {
  test('is the one at the time of purchase, even after later changes and repeated runs', async () => {
    const accountId = await ownerWithLogo();
    const purchase = { accountId, ...(await bought(accountId)) };
    await brands.setLogo(accountId, blue);
    await brands.place(accountId, { ...FIRST_PLACEMENT, position: 'center' });
    expect(await shownBy(purchase)).toEqual({ logo: 'red', position: 'top_right' });

    await brands.remove(accountId);
    // The run was lost, and the next one takes over.
    expect(await shownBy(purchase)).toEqual({ logo: 'red', position: 'top_right' });
  });

  test('is the one current at the purchase, not at the quote', async () => {
    const accountId = await ownerWithLogo();
    const { pipeline } = scene;
    const videoId = await pipeline.paperVideo(accountId);
    const quote = await pipeline.processing.quote(accountId, videoId, branded);
    await brands.setLogo(accountId, blue);
    const { attempt } = await pipeline.processing.process(accountId, quote.id);
    // Processing the same quote again is the same purchase.
    await brands.setLogo(accountId, red);
    expect(await pipeline.processing.process(accountId, quote.id)).toEqual({ videoId, attempt });
    expect(await shownBy({ accountId, videoId, attempt })).toMatchObject({ logo: 'blue' });
    expect((await pipeline.processingOf(accountId, videoId)).brandVersion).toBe(2);
  });

  test('is the same when a failed video is retried, even after the logo was removed', async () => {
    const accountId = await ownerWithLogo();
    const { attempts, processing } = scene.pipeline;
    const { videoId, attempt } = await bought(accountId);
    await attempts.fail((await attempts.claim({ accountId, videoId, attempt }))!, GAVE_UP);
    await brands.setLogo(accountId, blue);
    await brands.remove(accountId);

    const again = await processing.retry(accountId, videoId);
    expect(again.attempt).toBe(2);
    expect(await shownBy({ accountId, ...again })).toMatchObject({ logo: 'red' });
  });

  test('is the new one when a failed video is bought again with a new quote', async () => {
    const accountId = await ownerWithLogo();
    const { attempts, processing } = scene.pipeline;
    const { videoId, attempt } = await bought(accountId);
    await attempts.fail((await attempts.claim({ accountId, videoId, attempt }))!, GAVE_UP);
    await brands.setLogo(accountId, blue);
    const quote = await processing.quote(accountId, videoId, branded);
    const again = await processing.process(accountId, quote.id);
    expect(await shownBy({ accountId, ...again })).toMatchObject({ logo: 'blue' });
  });

  test('is absent without branding, even if the account has a logo', async () => {
    const accountId = await ownerWithLogo();
    const { pipeline } = scene;
    const videoId = await pipeline.paperVideo(accountId);
    const attempt = await pipeline.buy(accountId, videoId, '720p');
    expect((await pipeline.attempts.claim({ accountId, videoId, attempt }))?.brand).toBeNull();
  });

  test('is never pruned while a purchase of it is being made', async () => {
    const accountId = await ownerWithLogo(1000n);
    const { pipeline } = scene;
    for (let round = 0; round < 15; round += 1) {
      const videoId = await pipeline.paperVideo(accountId);
      const quote = await pipeline.processing.quote(accountId, videoId, branded);
      const [purchase] = await Promise.all([
        pipeline.processing.process(accountId, quote.id),
        brands.place(accountId, { ...FIRST_PLACEMENT, widthPercent: 10 + round }),
        brands.place(accountId, { ...FIRST_PLACEMENT, widthPercent: 30 + round }),
        brands.prune(),
      ]);
      expect(await shownBy({ accountId, ...purchase })).toMatchObject({ logo: 'red' });
    }
  });
});

describe('the price of branding', () => {
  test('is half a credit per minute, exactly, on its own line of the quote', async () => {
    const accountId = await ownerWithLogo();
    const { pipeline } = scene;
    const videoId = await pipeline.paperVideo(accountId, { durationMs: 61_001 });
    const quote = await pipeline.processing.quote(accountId, videoId, branded);
    // 61,001 ms × 1.5 and × 0.5 credits a minute; the total is floored once.
    expect(quote.lines.map(({ item, amountMicros }) => [item, amountMicros])).toEqual([
      ['processing', '1525025'],
      ['branding', '508341'],
    ]);
    expect(quote.totalMicros).toBe((61_001n * 2n * CREDIT) / 60_000n);
    await pipeline.processing.process(accountId, quote.id);
    expect((await pipeline.books(accountId)).escrow).toBe(2_033_366n);
  });

  test.each([
    ['is charged even if only a smaller picture was made', '480p', 1_500_000n],
    ['is not charged if only sound was made', 'audio', 250_000n],
  ] as const)('%s', async (_, made, charged) => {
    const accountId = await ownerWithLogo();
    const { pipeline } = scene;
    const { attempts } = pipeline;
    const claim = (await attempts.claim({ accountId, ...(await bought(accountId)) }))!;
    await attempts.publishRenditions(claim, ladderOf([made], { pictures: false }));
    await attempts.fail(claim, GAVE_UP);
    expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, revenue: charged });
  });

  test.each([
    ['without a logo', 'BRAND_MISSING', false, '720p'],
    ['for sound alone', 'INVALID_INPUT', true, 'audio'],
  ] as const)('is not quoted %s', async (_, code, hasLogo, quality) => {
    const accountId = hasLogo ? await ownerWithLogo() : await scene.pipeline.account(10n);
    const { processing, db } = scene.pipeline;
    const videoId = await scene.pipeline.paperVideo(accountId);
    await db.sql.query(
      {
        name: 'test-give-sound',
        text: `update video set source_probe = source_probe || '{"audio": {"streamIndex": 1, "codec": "aac", "channels": 2,
          "channelLayout": "stereo", "sampleRate": 48000, "bitrateBps": null, "startsAfterMs": 0}}' where id = $1
          and account_id = $2`,
      },
      [videoId, accountId],
    );
    await expect(processing.quote(accountId, videoId, { ...branded, quality })).rejects.toMatchObject({ code });
  });

  test('is not charged if the logo was removed after the quote: nothing is locked or queued', async () => {
    const accountId = await ownerWithLogo();
    const { pipeline } = scene;
    const videoId = await pipeline.paperVideo(accountId);
    const quote = await pipeline.processing.quote(accountId, videoId, branded);
    await brands.remove(accountId);
    await expect(pipeline.processing.process(accountId, quote.id)).rejects.toMatchObject({ code: 'BRAND_MISSING' });
    expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, creative: 100n * CREDIT, faults: 0 });
    expect((await pipeline.videos.get(accountId, videoId)).status).toBe('uploaded');
  });
});

describe('stored logos and placements', () => {
  test('are the current version and those that were bought, each once', async () => {
    const accountId = await ownerWithLogo();
    for (const widthPercent of [10, 11, 12]) await brands.place(accountId, { ...FIRST_PLACEMENT, widthPercent });
    expect(await kept(accountId)).toEqual({ versions: [4], logos: 1 });

    const { videoId } = await bought(accountId);
    await brands.setLogo(accountId, blue);
    expect(await kept(accountId)).toEqual({ versions: [4, 5], logos: 2 });
    // A new logo keeps the placement of the one before it.
    expect(await brands.current(accountId)).toMatchObject({ version: 5, widthPercent: 12 });

    await brands.remove(accountId);
    expect(await kept(accountId)).toEqual({ versions: [4], logos: 1 });
    expect(await brands.current(accountId)).toBeNull();

    await scene.pipeline.videos.delete(accountId, videoId);
    expect(await brands.prune()).toBe(2);
    expect(await kept(accountId)).toEqual({ versions: [], logos: 0 });
    expect(await brands.setLogo(accountId, red)).toMatchObject({ version: 6, widthPercent: 15 });
  });

  test('store the same logo once, and do not change when a bad one is refused', async () => {
    const accountId = await ownerWithLogo();
    const [before, sha256] = [await brands.current(accountId), (await brands.current(accountId))!.sha256];
    await expect(brands.setLogo(accountId, Buffer.from('no picture'))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(brands.setLogo(accountId, Buffer.alloc(1_000_001))).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(await brands.current(accountId)).toEqual(before);
    expect(await brands.setLogo(accountId, red)).toMatchObject({ sha256, version: 2 });
    expect(await brands.logoPng(accountId, sha256)).not.toBeNull();
    expect(await brands.logoPng(await scene.pipeline.account(0n), sha256)).toBeNull();
  });

  test.each([
    { widthPercent: 1 },
    { widthPercent: 51 },
    { widthPercent: 10.5 },
    { widthPercent: Number.NaN },
    { marginPercent: -1 },
    { marginPercent: 21 },
    { opacityPercent: 4 },
    { opacityPercent: 101 },
    { position: 'middle' as 'center' },
  ])('refuse the placement %j', async (wrong) => {
    const accountId = await ownerWithLogo();
    await expect(brands.place(accountId, { ...FIRST_PLACEMENT, ...wrong })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  test('refuse a placement without a logo', async () => {
    const accountId = await scene.pipeline.account(0n);
    await expect(brands.place(accountId, FIRST_PLACEMENT)).rejects.toMatchObject({ code: 'BRAND_MISSING' });
    await expect(brands.preview(accountId, FIRST_PLACEMENT, null)).rejects.toMatchObject({ code: 'BRAND_MISSING' });
    await brands.remove(accountId);
  });
});

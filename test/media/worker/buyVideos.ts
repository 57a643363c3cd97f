import { makeClip } from '../../support/media.js';
import type { PipelineScene } from '../../support/worker/pipeline.js';

/** One picture and its sound, so that each video is one encode. */
const CLIP = { durationSeconds: 2, width: 160, height: 120 };

/** The same video several times, all bought by one account. */
export async function buyVideos(
  { pipeline, dir }: PipelineScene,
  count: number,
): Promise<{ accountId: string; videoIds: readonly string[]; priceMicros: bigint }> {
  const accountId = await pipeline.account(100n);
  const clip = await makeClip(dir, CLIP);
  const videoIds: string[] = [];
  for (let video = 0; video < count; video += 1) videoIds.push(await pipeline.measured(accountId, clip));
  for (const videoId of videoIds) await pipeline.buy(accountId, videoId, '480p');
  const { escrow } = await pipeline.books(accountId);
  return { accountId, videoIds, priceMicros: escrow };
}

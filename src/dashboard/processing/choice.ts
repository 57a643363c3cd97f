import { words } from '#words/videos.js';
import type { PriceListQuery, Quality, VideoRowFragment } from '../generated/graphql.js';
import { microsOf, toCredits } from '../lib/credits.js';
import type { Batch } from './batch.js';
import { chooseForOne } from './batch.js';
import { QUALITIES, showQuality } from '../lib/videoStates.js';

/** The processing options of a video: all that its price depends on, and loudness normalization. */
export interface Choice {
  readonly quality: Quality;
  readonly branding: boolean;
  readonly encryption: boolean;
  readonly normalizeLoudness: boolean;
}

export type PriceList = PriceListQuery['priceList'];

const USUAL: Quality = 'P1080';

/** Removes branding from audio-only, which has no picture for a logo. */
export function feasible<Wanted extends Choice>(choice: Wanted): Wanted {
  return { ...choice, branding: choice.branding && choice.quality !== 'AUDIO' };
}

/** "1080p · encryption" */
export function showChoice({ quality, branding, encryption, normalizeLoudness }: Choice): string {
  return [
    showQuality(quality),
    branding ? words.choice.branding : '',
    encryption ? words.choice.encryption : '',
    normalizeLoudness ? words.choice.loudness : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The price per minute by the price list. The service gives the binding price once it knows the length. */
export function ratePerMinute(choice: Choice, prices: PriceList): string {
  const { quality, branding, encryption } = feasible(choice);
  const rates = [
    ...prices.processing.filter((rate) => rate.quality === quality),
    ...prices.addons.filter(({ addon }) => (addon === 'BRANDING' ? branding : encryption)),
  ];
  return toCredits(rates.reduce((sum, { creditsPerMinute }) => sum + microsOf(creditsPerMinute), 0n));
}

/** The qualities that a video's file supports, lowest first. */
export function offeredQualities({ sourceQuality }: VideoRowFragment): readonly Quality[] {
  return sourceQuality ? QUALITIES.slice(0, QUALITIES.indexOf(sourceQuality) + 1) : QUALITIES;
}

/** Limits the options to what this video supports: at most the quality of its file. */
export function within(video: VideoRowFragment, choice: Choice): Choice {
  const offered = offeredQualities(video);
  const quality = offered.includes(choice.quality) ? choice.quality : offered.at(-1)!;
  return feasible({ ...choice, quality });
}

/** The options chosen when the video was uploaded, or last bought. */
export function wishedFor({ quality, addons, normalizeLoudness }: VideoRowFragment): Choice {
  const { branding, encryption } = addons;
  return { quality: quality ?? USUAL, branding, encryption, normalizeLoudness };
}

/** The most common options become the shared ones; videos with other options keep their own. */
export function batchOf(videos: readonly VideoRowFragment[]): Batch<string, Choice> {
  const votes = new Map<string, number>();
  for (const video of videos) {
    const wish = JSON.stringify(wishedFor(video));
    votes.set(wish, (votes.get(wish) ?? 0) + 1);
  }
  const [most] = [...votes].toSorted(([, a], [, b]) => b - a);
  const shared = most ? (JSON.parse(most[0]) as Choice) : { ...NOTHING_MORE, quality: USUAL };
  let batch: Batch<string, Choice> = { shared, own: new Map() };
  for (const video of videos) {
    const wish = within(video, wishedFor(video));
    // A file that supports less than the others does not get own options because of that.
    const follows = wish.quality === within(video, shared).quality;
    batch = chooseForOne(batch, video.id, follows ? { ...wish, quality: shared.quality } : wish);
  }
  return batch;
}

const NOTHING_MORE = { branding: false, encryption: false, normalizeLoudness: false } as const;

import { RENDITION_QUALITIES, type EncodedLadder, type RenditionQuality } from '../../../ports/transcoder.js';

/** What is measured of a rendition. */
export interface MeasuredRendition {
  readonly quality: RenditionQuality;
  readonly averageBandwidthBps: number;
}

/** A picture that costs more than this share of the next larger one is not worth a place. */
const MAX_SHARE = 0.8;

/**
 * Renditions without those that are dominated: pictures that cost about as much as a larger one, or more. A viewer with
 * the bandwidth for them sees more in the larger one. Text that was drawn pixel by pixel is like that: scaled down, it has more to
 * encode.
 *
 * The smallest picture stays as long as it costs less than the others at all: it is what the slowest connections have.
 */
export function withoutDominated<Rendition extends MeasuredRendition>(
  renditions: readonly Rendition[],
  others: readonly MeasuredRendition[] = [],
): Rendition[] {
  const pictures = [...renditions, ...others].filter(({ quality }) => quality !== 'audio').toSorted(largestFirst);
  const dominated = new Set<MeasuredRendition>();
  let leastBps = Number.POSITIVE_INFINITY;
  for (const picture of pictures) {
    const share = picture === pictures.at(-1) ? 1 : MAX_SHARE;
    if (picture.averageBandwidthBps >= leastBps * share) dominated.add(picture);
    else leastBps = picture.averageBandwidthBps;
  }
  return renditions.filter((rendition) => !dominated.has(rendition));
}

/** What of a ladder that was just made is worth being stored, beside what the same run has made before. */
export function withoutDominatedRenditions(ladder: EncodedLadder, made: readonly MeasuredRendition[]): EncodedLadder {
  const renditions = withoutDominated(ladder.renditions, made);
  const sizeOf = (some: EncodedLadder['renditions']): number => some.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { ...ladder, renditions, sizeBytes: ladder.sizeBytes - sizeOf(ladder.renditions) + sizeOf(renditions) };
}

function largestFirst(one: MeasuredRendition, other: MeasuredRendition): number {
  return RENDITION_QUALITIES.indexOf(other.quality) - RENDITION_QUALITIES.indexOf(one.quality);
}

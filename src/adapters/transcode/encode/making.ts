import type { Similarity, Rendition, RenditionMaking, RenditionRecipe } from '../../../ports/transcoder.js';
import { meanSimilarity } from './similarity.js';
import { profileOf, SAME } from '../probe/profiles.js';

export interface Encoder {
  preset: string;
  ffmpegVersion: string;
}

/** The settings and encoder version of a rendition. */
export function recipeOf(rendition: Rendition, { preset, ffmpegVersion }: Encoder): RenditionRecipe {
  return { profile: profileOf(rendition, preset), ffmpegVersion };
}

/**
 * Adds to finished renditions, or to those of a chunk, how each was made.
 * @param found what x264 reported for each encoded picture, in the order of the renditions
 */
export function withMaking<Made>(
  encoded: readonly Made[],
  renditions: readonly Rendition[],
  found: readonly Similarity[],
  encoder: Encoder,
): (Made & { making: RenditionMaking })[] {
  const pictures = renditions.filter(isEncodedPicture);
  // If an encoder reported nothing, it is unknown which ones did.
  const similarityOf = (rendition: Rendition): Similarity | null =>
    found.length === pictures.length ? (found[pictures.indexOf(rendition)] ?? null) : null;
  return encoded.map((made, index) => {
    const rendition = renditions[index]!;
    const similarity = isPassthroughPicture(rendition) ? SAME : similarityOf(rendition);
    return { ...made, making: { ...recipeOf(rendition, encoder), similarity } };
  });
}

/** Sound is never compared, whether passed through or not. */
function isPassthroughPicture({ quality, passthrough }: Rendition): boolean {
  return quality !== 'audio' && passthrough === true;
}

function isEncodedPicture({ quality, passthrough }: Rendition): boolean {
  return quality !== 'audio' && passthrough !== true;
}

/** How a rendition was made, given its chunks, which may come from several machines. */
export function joinedMaking(chunks: readonly RenditionMaking[]): RenditionMaking {
  const namesOf = (key: 'profile' | 'ffmpegVersion'): string =>
    [...new Set(chunks.map((chunk) => chunk[key]))].join(', ');
  return {
    profile: namesOf('profile'),
    ffmpegVersion: namesOf('ffmpegVersion'),
    similarity: meanSimilarity(chunks.flatMap(({ similarity }) => similarity ?? [])),
  };
}

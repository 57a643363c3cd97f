import type { Similarity, Rendition, RenditionMaking, RenditionRecipe } from '../../../ports/transcoder.js';
import { meanSimilarity } from './similarity.js';
import { profileOf, SAME } from '../probe/profiles.js';

export interface Encoder {
  preset: string;
  ffmpegVersion: string;
}

/** What a rendition is made with by this encoder. */
export function recipeOf(rendition: Rendition, { preset, ffmpegVersion }: Encoder): RenditionRecipe {
  return { profile: profileOf(rendition, preset), ffmpegVersion };
}

/**
 * Finished renditions, or those of a chunk, with how each was made.
 * @param found what was told of each picture that was encoded, in the order of the renditions
 */
export function withMaking<Made>(
  encoded: readonly Made[],
  renditions: readonly Rendition[],
  found: readonly Similarity[],
  encoder: Encoder,
): (Made & { making: RenditionMaking })[] {
  const pictures = renditions.filter(isEncodedPicture);
  // An encoder that says nothing leaves open which of them spoke.
  const similarityOf = (rendition: Rendition): Similarity | null =>
    found.length === pictures.length ? (found[pictures.indexOf(rendition)] ?? null) : null;
  return encoded.map((made, index) => {
    const rendition = renditions[index]!;
    const similarity = isPassthroughPicture(rendition) ? SAME : similarityOf(rendition);
    return { ...made, making: { ...recipeOf(rendition, encoder), similarity } };
  });
}

/** Sound is compared with nothing, copied or not. */
function isPassthroughPicture({ quality, copy }: Rendition): boolean {
  return quality !== 'audio' && copy === true;
}

function isEncodedPicture({ quality, copy }: Rendition): boolean {
  return quality !== 'audio' && copy !== true;
}

/** How a rendition was made whose chunks were made like this, perhaps on several machines. */
export function joinedMaking(chunks: readonly RenditionMaking[]): RenditionMaking {
  const namesOf = (key: 'profile' | 'ffmpegVersion'): string =>
    [...new Set(chunks.map((chunk) => chunk[key]))].join(', ');
  return {
    profile: namesOf('profile'),
    ffmpegVersion: namesOf('ffmpegVersion'),
    similarity: meanSimilarity(chunks.flatMap(({ similarity }) => similarity ?? [])),
  };
}

import type { Likeness, Rung, RungMaking, RungRecipe } from '../../ports/transcoder.js';
import { meanLikeness } from './likeness.js';
import { profileOf, SAME } from './profiles.js';

export interface Encoder {
  preset: string;
  ffmpegVersion: string;
}

/** What a rung is made with by this encoder. */
export function recipeOf(rung: Rung, { preset, ffmpegVersion }: Encoder): RungRecipe {
  return { profile: profileOf(rung, preset), ffmpegVersion };
}

/**
 * Finished rungs, or those of a part, with how each was made.
 * @param found what was told of each picture that was encoded, in the order of the rungs
 */
export function withMaking<Made>(
  encoded: readonly Made[],
  rungs: readonly Rung[],
  found: readonly Likeness[],
  encoder: Encoder,
): (Made & { making: RungMaking })[] {
  const pictures = rungs.filter(isEncodedPicture);
  // An encoder that says nothing leaves open which of them spoke.
  const likenessOf = (rung: Rung): Likeness | null =>
    found.length === pictures.length ? (found[pictures.indexOf(rung)] ?? null) : null;
  return encoded.map((made, index) => {
    const rung = rungs[index]!;
    const likeness = isCopiedPicture(rung) ? SAME : likenessOf(rung);
    return { ...made, making: { ...recipeOf(rung, encoder), likeness } };
  });
}

/** Sound is compared with nothing, copied or not. */
function isCopiedPicture({ quality, copy }: Rung): boolean {
  return quality !== 'audio' && copy === true;
}

function isEncodedPicture({ quality, copy }: Rung): boolean {
  return quality !== 'audio' && copy !== true;
}

/** How a rung was made whose parts were made like this, perhaps on several machines. */
export function joinedMaking(parts: readonly RungMaking[]): RungMaking {
  const namesOf = (key: 'profile' | 'ffmpegVersion'): string => [...new Set(parts.map((part) => part[key]))].join(', ');
  return {
    profile: namesOf('profile'),
    ffmpegVersion: namesOf('ffmpegVersion'),
    likeness: meanLikeness(parts.flatMap(({ likeness }) => likeness ?? [])),
  };
}

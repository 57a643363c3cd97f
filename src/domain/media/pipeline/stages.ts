import type { Published } from './attempt.service.js';
import type { Rendition, SourceProbe } from '../../../ports/transcoder.js';

/** For shorter videos, a second decode costs more than early play is worth. */
export const EARLY_PLAY_FROM_SECONDS = 60;

/** What one pass over the source makes, and what is published together. */
export interface Stage {
  readonly renditions: readonly Rendition[];
  /** Whether it also makes poster, storyboard and preview. */
  readonly pictures: boolean;
}

export interface StagePlan {
  /** The whole ladder, best first. */
  readonly renditions: readonly Rendition[];
  readonly probe: Pick<SourceProbe, 'durationMs' | 'video'>;
  /** What earlier runs published. It is not made again. */
  readonly published: Published;
  readonly earlyPlayFromSeconds?: number;
}

/**
 * Plans what is missing of a ladder, in the order that serves viewers best. A passthrough takes seconds, so it comes
 * first. Then comes the smallest picture, long before the others, which share one decode. All sound comes with the
 * first stage, so that no picture is mute.
 */
export function planStages({ renditions, probe, published, earlyPlayFromSeconds }: StagePlan): Stage[] {
  const missing = renditions.filter(({ quality }) => !published.renditions.includes(quality));
  const pictures = missing.filter(isPicture);
  const passed = pictures.filter(({ passthrough }) => passthrough);
  const encoded = pictures.filter(({ passthrough }) => !passthrough);
  const isEarly = probe.durationMs >= 1000 * (earlyPlayFromSeconds ?? EARLY_PLAY_FROM_SECONDS);
  // If the smallest picture already plays, or is the only one to encode, one decode is enough.
  const first = isEarly && encoded.at(-1) === renditions.findLast(isPicture) ? encoded.slice(-1) : [];
  const rest = encoded.slice(0, encoded.length - first.length);
  const [early = [], ...later] = [passed, first, rest].filter((some) => some.length > 0);
  const sound = missing.filter((rendition) => !isPicture(rendition));
  const groups = [[...early, ...sound], ...later].filter((some) => some.length > 0);
  return withPictures(groups, published);
}

/** Pictures come with the first decode. A video that is only passed through is decoded just for them. */
function withPictures(groups: readonly (readonly Rendition[])[], published: Published): Stage[] {
  const decoded = groups.findIndex((group) =>
    group.some((rendition) => isPicture(rendition) && !rendition.passthrough),
  );
  const chosen = decoded === -1 ? groups.findLastIndex((group) => group.some(isPicture)) : decoded;
  return groups.map((renditions, index) => ({ renditions, pictures: index === chosen && !published.pictures }));
}

/** The cost of encoding sound, in pixels per frame. */
const SOUND_WORK = 20_000;
/** Relative to encoding a pixel. */
const DECODE_WORK = 0.3;
const PASSTHROUGH_WORK = 0.01;
/** A separate picture stage decodes only keyframes. */
const KEY_FRAMES_WORK = 0.03;

/** The relative duration of a stage among those of the same video, in encoded pixels per frame. */
export function workOf({ renditions, pictures }: Stage, { video }: Pick<SourceProbe, 'video'>): number {
  const decodes = renditions.some((rendition) => isPicture(rendition) && !rendition.passthrough);
  const perPixel = decodes ? DECODE_WORK : pictures ? KEY_FRAMES_WORK : 0;
  const decode = video ? video.width * video.height * perPixel : 0;
  return renditions.reduce((sum, rendition) => {
    const work = isPicture(rendition) ? rendition.width * rendition.height : SOUND_WORK;
    return sum + work * (rendition.passthrough ? PASSTHROUGH_WORK : 1);
  }, decode);
}

function isPicture(rendition: Rendition): rendition is Exclude<Rendition, { quality: 'audio' }> {
  return rendition.quality !== 'audio';
}

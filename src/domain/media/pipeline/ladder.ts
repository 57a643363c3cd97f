import type {
  AudioRendition,
  LoudnessTarget,
  Quality,
  RenditionQuality,
  Rendition,
  SourceProbe,
  SourceVideo,
  VideoQuality,
  VideoRendition,
} from '../../../ports/transcoder.js';
import { LIGHT_QUALITIES, QUALITIES, soundsOf } from '../../../ports/transcoder.js';
import { constantFrameRate, withinLightRate } from './frameRate.js';
import { h264Level } from './h264Level.js';

type Shape = Pick<SourceVideo, 'displayWidth' | 'displayHeight'>;
type Source = Pick<SourceProbe, 'video' | 'audio' | 'audios'>;

const SHORT_SIDE: Record<VideoQuality, number> = {
  '360p': 360,
  '432p': 432,
  '480p': 480,
  '720p': 720,
  '1080p': 1080,
  '1440p': 1440,
  '2160p': 2160,
};

/**
 * Peak bitrates follow the H.264 rows of Apple's HLS authoring ladder up to 1080p. Above, where Apple lists only HEVC,
 * they grow with the pixels. The buffer of 1.5 s of peak rate keeps a 4-second segment below 1.4 times the cap. From
 * 480p on, CRF rises with size, because flaws shrink with the pixels. Those of 432p and 360p make an easy picture cost about
 * half of the next larger one.
 */
const RATE_CONTROL: Record<VideoQuality, { crf: number; maxBitrateBps: number }> = {
  '360p': { crf: 25, maxBitrateBps: 365_000 },
  '432p': { crf: 21, maxBitrateBps: 730_000 },
  '480p': { crf: 21, maxBitrateBps: 1_600_000 },
  '720p': { crf: 21, maxBitrateBps: 4_000_000 },
  '1080p': { crf: 22, maxBitrateBps: 7_000_000 },
  '1440p': { crf: 22, maxBitrateBps: 12_000_000 },
  '2160p': { crf: 23, maxBitrateBps: 20_000_000 },
};
const BUFFER_SECONDS = 1.5;

/** Those up to here have at most 30 frames a second: sixty take bits that small pictures do not have. */
const LIGHT_RATE_UP_TO = 480;

const AUDIO_RENDITION: AudioRendition = { quality: 'audio', bitrateBps: 128_000, sampleRate: 48_000 };

/**
 * -16 LUFS is customary for phones and laptops (AES TD1008, Apple's podcasts); broadcast's -23 (EBU R 128) assumes a
 * living-room amplifier. Players that resample or mix need the headroom of 1.5 dB.
 */
export const LOUDNESS_TARGET: LoudnessTarget = { integratedLufs: -16, truePeakDbtp: -1.5 };

/**
 * The best quality that a source supports: the largest whose long or short side it reaches, after rotation and pixel
 * aspect. Smaller pictures count as 480p; without a picture it is audio.
 */
export function sourceQuality(source: Pick<SourceProbe, 'video'>): Quality {
  if (source.video === null) {
    return 'audio';
  }
  const { long, short } = sides(source.video);
  const reached = QUALITIES.filter((quality) => quality !== 'audio').filter(
    (quality) => long * 9 >= SHORT_SIDE[quality] * 16 || short >= SHORT_SIDE[quality],
  );
  return reached.at(-1) ?? '480p';
}

/** The lower of two qualities: nobody pays for more than the source holds. */
export function capQuality(bought: Quality, source: Quality): Quality {
  return QUALITIES.indexOf(bought) <= QUALITIES.indexOf(source) ? bought : source;
}

/** The bought quality, capped at the source's, and all lower ones, best first. Light renditions come with every picture. */
export function ladderQualities(bought: Quality, source: Quality): RenditionQuality[] {
  const [sound, ...pictures] = QUALITIES.slice(0, QUALITIES.indexOf(capQuality(bought, source)) + 1);
  return [sound!, ...(pictures.length === 0 ? [] : LIGHT_QUALITIES), ...pictures].toReversed();
}

/**
 * The renditions to encode for a purchase, best first, with audio last: one for each sound track, the default first.
 *
 * A source without sound has no audio rendition. So `audio` bought for a silent video gives an empty list, which a
 * quote must refuse.
 */
export function renditionsFor(
  bought: Quality,
  source: Source,
  wishes: { normalizeLoudness?: boolean } = {},
): Rendition[] {
  const { video } = source;
  const renditions: Rendition[] = [];
  for (const quality of ladderQualities(bought, sourceQuality(source))) {
    if (quality === 'audio') {
      const loudness = wishes.normalizeLoudness ? { loudness: LOUDNESS_TARGET } : {};
      renditions.push(...soundsOf(source).map((_, index) => ({ ...AUDIO_RENDITION, track: index + 1, ...loudness })));
    } else if (video !== null && !isSameAsBelow(quality, video)) {
      renditions.push(videoRendition(quality, video));
    }
  }
  return renditions;
}

/** Of a source that is no larger than the smallest picture, a second light rendition would be that picture again. */
function isSameAsBelow(quality: RenditionQuality, video: SourceVideo): boolean {
  if (quality !== '432p') return false;
  const [size, below] = [renditionSize(quality, video), renditionSize('360p', video)];
  return size.width === below.width && size.height === below.height;
}

function videoRendition(quality: VideoQuality, video: SourceVideo): VideoRendition {
  const { width, height } = renditionSize(quality, video);
  const full = constantFrameRate(video);
  const frameRate = SHORT_SIDE[quality] <= LIGHT_RATE_UP_TO ? withinLightRate(full) : full;
  const { crf, maxBitrateBps } = RATE_CONTROL[quality];
  return {
    quality,
    width,
    height,
    frameRate,
    crf,
    maxBitrateBps,
    bufferBits: maxBitrateBps * BUFFER_SECONDS,
    level: h264Level({ width, height, frameRate, maxBitrateBps }),
  };
}

/**
 * Fits the picture into the 16:9 box of a quality, upright for portrait. Keeps the aspect ratio, never enlarges, and
 * returns even numbers, as 4:2:0 needs.
 */
export function renditionSize(quality: VideoQuality, shape: Shape): { width: number; height: number } {
  const { long, short } = sides(shape);
  const boxShort = SHORT_SIDE[quality];
  const scale = Math.min(1, (boxShort * 16) / 9 / long, boxShort / short);
  return {
    width: evenSide(shape.displayWidth, scale),
    height: evenSide(shape.displayHeight, scale),
  };
}

function evenSide(side: number, scale: number): number {
  const largest = Math.floor(side / 2) * 2;
  return Math.max(2, Math.min(largest, Math.round((side * scale) / 2) * 2));
}

function sides({ displayWidth, displayHeight }: Shape): { long: number; short: number } {
  return {
    long: Math.max(displayWidth, displayHeight),
    short: Math.min(displayWidth, displayHeight),
  };
}

/** Pixels per frame; 0 for sound. */
export function pixelsOf(rendition: Rendition): number {
  return rendition.quality === 'audio' ? 0 : rendition.width * rendition.height;
}

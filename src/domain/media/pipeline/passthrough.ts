import { MAX_SEGMENT_SECONDS } from '../../../ports/packets.js';
import { LEAST_LAST_SECONDS } from '../../../ports/timeline.js';
import type { PassthroughCut, PacketScan, PicturePackets, SoundPackets } from '../../../ports/packets.js';
import { framesPerSecond, isHdr } from '../../../ports/transcoder.js';
import type {
  AudioRendition,
  FrameRate,
  Rendition,
  SourceProbe,
  SourceVideo,
  VideoRendition,
} from '../../../ports/transcoder.js';

/** Longest first. Short ones help if keyframes are far apart, because then hardly any can be skipped. */
const SEGMENT_SECONDS = [4, 3, 2, 1] as const;
/** The times are one argument of ffmpeg, which the kernel limits to 128 KiB, and one database row. */
const MAX_BOUNDARIES = 12_000;
/** One or two frames at low rates, which a muxer adds if the sound has a lead-in. Lip sync tolerates more. */
const MAX_START_MS = 25;
/** Up to here all renditions have the same frames. */
const MAX_SHARED_FRAMES_PER_SECOND = 30;
const MAX_SOUND_BPS = 160_000;
/** As for an encode: a file that ends early is not the video that was paid for. */
const MISSING_MS = 1_000;
const MISSING_SHARE = 0.05;
/**
 * If sound ends earlier than this before the picture, players cannot bridge the gap, so it is encoded with silence at
 * its end.
 */
const MAX_SILENT_END_MS = 50;

const PROFILES: ReadonlySet<string | null> = new Set(['Constrained Baseline', 'Baseline', 'Main', 'High']);
const CONTAINERS: ReadonlySet<string> = new Set(['mp4', 'matroska', 'mpegts']);

/** A ladder of which a part is passed through. */
export interface PassthroughPlan {
  /** The whole ladder, in order; renditions with `passthrough` are passed through. */
  readonly renditions: readonly Rendition[];
  readonly packets: PassthroughCut;
}

/** The rendition of the source's own size, if the probe alone does not rule out passthrough. */
export function passthroughCandidate(
  renditions: readonly Rendition[],
  { container, video }: SourceProbe,
): VideoRendition | null {
  if (video === null || !CONTAINERS.has(container) || !isPlain(video)) return null;
  const rendition = renditions
    .filter(({ quality }) => quality !== 'audio')
    .find((some) => 'width' in some && some.width === video.width && some.height === video.height);
  if (rendition === undefined || rendition.quality === 'audio') return null;
  const isSameRate = Math.abs(framesPerSecond(video.frameRate) / framesPerSecond(rendition.frameRate) - 1) < 0.001;
  return isSameRate && (video.bitrateBps ?? 0) <= rendition.maxBitrateBps ? rendition : null;
}

/**
 * Plans the passthrough of a ladder, given its packets.
 * @returns the reason, for a log, if nothing is passed through
 */
export function planPassthrough(
  renditions: readonly Rendition[],
  candidate: VideoRendition,
  { picture, sound }: PacketScan,
  probe: SourceProbe,
): PassthroughPlan | string {
  const reason = reasonAgainst(picture, candidate, probe);
  if (reason !== null) return reason;
  const perSecond = framesPerSecond(candidate.frameRate);
  // A rendition of half the rate may have no frame in less.
  const leastFrames = perSecond > MAX_SHARED_FRAMES_PER_SECOND ? 2 : 1;
  const chosen = SEGMENT_SECONDS.map((seconds) => cut(picture, candidate.frameRate, seconds)).find(
    ({ count, longestFrames, lastFrames }) =>
      count <= MAX_BOUNDARIES &&
      lastFrames >= leastFrames &&
      longestFrames <= Math.ceil(MAX_SEGMENT_SECONDS * perSecond),
  );
  if (chosen === undefined) return 'keyframes are too far apart, or too many';
  const pictureMs = (picture.frames / perSecond) * 1_000;
  const keepsSound = (rendition: AudioRendition): boolean =>
    (rendition.track ?? 1) === 1 && rendition.loudness === undefined && fitsSound(sound, probe, pictureMs);
  return {
    renditions: renditions.map((rendition) =>
      rendition === candidate || (rendition.quality === 'audio' && keepsSound(rendition))
        ? { ...rendition, passthrough: true as const }
        : rendition,
    ),
    packets: {
      segmentSeconds: chosen.seconds,
      meanSegmentSeconds: picture.frames / perSecond / chosen.count,
      reorderFrames: picture.reorderFrames,
      frames: picture.frames,
    },
  };
}

/**
 * Whether a source can be cut into chunks, known from its packets: then they need not be read once more. What is passed
 * through has steady frames, to its end, and keyframes a few seconds apart. In a transport stream, the clock of the sound
 * matters, too.
 */
export function isCuttableAsKept(
  kept: PassthroughPlan | null | undefined,
  { container }: Pick<SourceProbe, 'container'>,
): boolean {
  return Boolean(kept) && container !== 'mpegts';
}

/**
 * Frames that begin a segment: for each n, the first keyframe at or after n times `seconds`. ffmpeg places segments in
 * the same way if it cannot choose keyframes. A last segment that would be too short is joined to the one before.
 */
function cut(
  { keyframes, frames }: PicturePackets,
  { numerator, denominator }: FrameRate,
  seconds: number,
): { seconds: number; count: number; longestFrames: number; lastFrames: number } {
  const leastLastFrames = (LEAST_LAST_SECONDS * numerator) / denominator;
  let count = 1;
  let longestFrames = 0;
  let begin = 0;
  for (const keyframe of keyframes?.slice(1) ?? []) {
    if (keyframe * denominator < seconds * count * numerator || frames - keyframe < leastLastFrames) continue;
    longestFrames = Math.max(longestFrames, keyframe - begin);
    begin = keyframe;
    count += 1;
  }
  const lastFrames = frames - begin;
  return { seconds, count, longestFrames: Math.max(longestFrames, lastFrames), lastFrames };
}

function isPlain(video: SourceVideo): boolean {
  return (
    video.codec === 'h264' &&
    video.pixelFormat === 'yuv420p' &&
    !video.interlaced &&
    !video.variableFrameRate &&
    video.rotation === 0 &&
    video.displayWidth === video.width &&
    video.displayHeight === video.height &&
    video.startsAfterMs <= MAX_START_MS &&
    // The last frame has to be shown for longer than its packet says.
    (video.endsBeforeMs ?? 0) === 0 &&
    !isHdr(video)
  );
}

function reasonAgainst(picture: PicturePackets, rendition: VideoRendition, { durationMs }: SourceProbe): string | null {
  const { maxBitrateBps, level, frameRate } = rendition;
  if (!PROFILES.has(picture.profile)) return `profile ${picture.profile}`;
  if (picture.level === null || picture.level > Math.round(Number(level) * 10)) return `level ${picture.level}`;
  if (!picture.isSteady) return 'frames come unsteadily';
  if (!picture.isClosed) return 'frames depend on what comes before a keyframe';
  if (picture.keyframes === null) return 'too many keyframes';
  if (picture.averageBitrateBps > maxBitrateBps) return `${picture.averageBitrateBps} bit/s on average`;
  if (picture.peakBitrateBps > maxBitrateBps) return `${picture.peakBitrateBps} bit/s at its peak`;
  const missingMs = durationMs - (picture.frames / framesPerSecond(frameRate)) * 1_000;
  if (missingMs > Math.max(MISSING_MS, durationMs * MISSING_SHARE)) return 'the picture ends early';
  return null;
}

function fitsSound(sound: SoundPackets | null, { audio }: SourceProbe, pictureMs: number): boolean {
  return (
    sound !== null &&
    audio !== null &&
    audio.codec === 'aac' &&
    sound.profile === 'LC' &&
    audio.channels === 2 &&
    [44_100, 48_000].includes(audio.sampleRate) &&
    audio.startsAfterMs <= MAX_START_MS &&
    sound.isSteady &&
    sound.averageBitrateBps <= MAX_SOUND_BPS &&
    pictureMs - audio.startsAfterMs - sound.durationMs <= MAX_SILENT_END_MS
  );
}

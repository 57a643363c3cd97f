import { exceedsLightRate, framesPerSecond, type FrameRate, type SourceVideo } from '../../../ports/transcoder.js';

/** The limit of Apple's authoring rules and of phones. */
const MAX_FRAMES_PER_SECOND = 60;

const STANDARD_RATES: readonly FrameRate[] = [
  { numerator: 10, denominator: 1 },
  { numerator: 12, denominator: 1 },
  { numerator: 15, denominator: 1 },
  { numerator: 24_000, denominator: 1001 },
  { numerator: 24, denominator: 1 },
  { numerator: 25, denominator: 1 },
  { numerator: 30_000, denominator: 1001 },
  { numerator: 30, denominator: 1 },
  { numerator: 48, denominator: 1 },
  { numerator: 50, denominator: 1 },
  { numerator: 60_000, denominator: 1001 },
  { numerator: 60, denominator: 1 },
];
const DEFAULT_RATE: FrameRate = { numerator: 30, denominator: 1 };
/** Half the distance between 24 and 24000/1001, so a rate matches at most one standard rate. */
const SNAP_TOLERANCE = 0.0005;

/**
 * The constant rate at which a source is encoded.
 *
 * A constant rate up to 60 is kept exactly, so a lost or late frame does not shift the others. A higher one is divided
 * by the smallest whole number that brings it to 60 or less, so that frames are dropped evenly (120 → 60, 144 → 48). A
 * rate below 1 is multiplied, so that a segment boundary can fall anywhere. A variable rate becomes the finest rate
 * that its timestamps need, if that is at most 60, and otherwise the first standard rate that shows the average. So a
 * screen recording that is mostly still loses nothing.
 */
export function constantFrameRate(video: Pick<SourceVideo, 'frameRate' | 'tickRate' | 'variableFrameRate'>): FrameRate {
  const ticks = framesPerSecond(video.tickRate);
  const average = framesPerSecond(video.frameRate);
  if (!video.variableFrameRate) {
    const { numerator, denominator } = video.tickRate;
    const ticksPerFrame = Math.max(1, Math.round(ticks / average));
    return withinBounds(standard(video.frameRate) ?? snap({ numerator, denominator: denominator * ticksPerFrame }));
  }
  if (ticks >= average && ticks <= MAX_FRAMES_PER_SECOND + 0.5) {
    return withinBounds(snap(video.tickRate));
  }
  return (
    STANDARD_RATES.find((rate) => framesPerSecond(rate) >= average * (1 - SNAP_TOLERANCE)) ??
    withinBounds(snap(video.frameRate))
  );
}

/** A constant rate, or half of it where that is above 30: so that all renditions have a frame where segments begin. */
export function withinLightRate(rate: FrameRate): FrameRate {
  const { numerator, denominator } = rate;
  if (!exceedsLightRate(rate)) return rate;
  return numerator % 2 === 0 ? { numerator: numerator / 2, denominator } : { numerator, denominator: denominator * 2 };
}

function withinBounds(rate: FrameRate): FrameRate {
  const perSecond = framesPerSecond(rate);
  if (!Number.isFinite(perSecond) || perSecond <= 0) {
    return DEFAULT_RATE;
  }
  const { numerator, denominator } = rate;
  if (perSecond > MAX_FRAMES_PER_SECOND) {
    // Allow one per cent: a camera's 60.2 becomes 60, not 30.1.
    const divisor = Math.ceil(perSecond / MAX_FRAMES_PER_SECOND - 0.01);
    const divided = snap({ numerator, denominator: denominator * divisor });
    return framesPerSecond(divided) > MAX_FRAMES_PER_SECOND
      ? { numerator: MAX_FRAMES_PER_SECOND, denominator: 1 }
      : divided;
  }
  if (perSecond < 1) {
    return { numerator: numerator * Math.ceil(1 / perSecond), denominator };
  }
  return rate;
}

/** Containers with millisecond clocks spell 29.97 in many ways; players and playlists want one. */
function snap(rate: FrameRate): FrameRate {
  return standard(rate) ?? rate;
}

function standard(rate: FrameRate): FrameRate | undefined {
  const perSecond = framesPerSecond(rate);
  return STANDARD_RATES.find((candidate) => Math.abs(framesPerSecond(candidate) / perSecond - 1) < SNAP_TOLERANCE);
}

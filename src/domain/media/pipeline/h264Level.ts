import { framesPerSecond, type FrameRate } from '../../../ports/transcoder.js';

interface LevelLimits {
  level: string;
  /** Macroblocks of 16 × 16 samples. */
  macroblocksPerSecond: number;
  macroblocksPerFrame: number;
  /** For the High profile, which may use 1.25 times the rate of Main. */
  maxBitrateBps: number;
}

/** ITU-T H.264 table A-1, from the lowest level that every HLS player accepts. */
const LEVELS: readonly LevelLimits[] = [
  limits('3.0', 40_500, 1_620, 12_500_000),
  limits('3.1', 108_000, 3_600, 17_500_000),
  limits('3.2', 216_000, 5_120, 25_000_000),
  limits('4.0', 245_760, 8_192, 25_000_000),
  limits('4.2', 522_240, 8_704, 62_500_000),
  limits('5.0', 589_824, 22_080, 168_750_000),
  limits('5.1', 983_040, 36_864, 300_000_000),
  limits('5.2', 2_073_600, 36_864, 300_000_000),
];
const HIGHEST_LEVEL = '6.2';

/** The lowest H.264 level that fits the stream, as x264 spells it. */
export function h264Level(stream: {
  width: number;
  height: number;
  frameRate: FrameRate;
  maxBitrateBps: number;
}): string {
  const columns = Math.ceil(stream.width / 16);
  const rows = Math.ceil(stream.height / 16);
  const perFrame = columns * rows;
  const perSecond = perFrame * framesPerSecond(stream.frameRate);
  const longSide = Math.max(columns, rows);
  const fitting = LEVELS.find(
    (limit) =>
      perFrame <= limit.macroblocksPerFrame &&
      perSecond <= limit.macroblocksPerSecond &&
      stream.maxBitrateBps <= limit.maxBitrateBps &&
      // The standard also limits how elongated a frame may be.
      longSide * longSide <= 8 * limit.macroblocksPerFrame,
  );
  return fitting?.level ?? HIGHEST_LEVEL;
}

function limits(
  level: string,
  macroblocksPerSecond: number,
  macroblocksPerFrame: number,
  maxBitrateBps: number,
): LevelLimits {
  return { level, macroblocksPerSecond, macroblocksPerFrame, maxBitrateBps };
}

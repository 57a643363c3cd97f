import type { LoudnessTarget } from '../../../ports/transcoder.js';

/** Higher gains would amplify room noise; a whispered track stays quiet. */
const MAX_GAIN_DB = 24;
/** A limiter that takes more than this from a peak is heard as pumping; such a track stays quieter than its target. */
const MAX_LIMITING_DB = 12;
/** Peaks further than this below their limit stay below it, whatever AAC adds to them. */
const SAFE_HEADROOM_DB = 3;
/** About what AAC adds to a limited peak, and how much louder each decibel of drive makes a track; trials show the truth. */
const USUAL_RIPPLE_DB = 1;
const USUAL_SLOPE = 0.7;
const MIN_SLOPE = 0.2;
/** A trial this near to the target is what viewers hear. */
const CLOSE_LU = 0.3;
/** The next trial may add a little more to its peaks than the last one. */
const RIPPLE_MARGIN_DB = 0.2;
const MAX_TRIALS = 3;
/** Limiting at this multiple of the sample rate also catches the peaks between samples. */
const OVERSAMPLING = 4;

/** EBU R 128: the integrated loudness of a whole track, and its true peak. */
export interface Loudness {
  readonly integratedLufs: number;
  readonly truePeakDbtp: number;
}

/** What brings a track to its target: one gain, so that its dynamics stay, and a limit for its peaks. */
export interface Leveling {
  readonly gainDb: number;
  /** Null if no peak comes near the limit. */
  readonly limitDbtp: number | null;
}

export function levelingFilters({ gainDb, limitDbtp }: Leveling, sampleRate: number): string[] {
  const limiter = [
    `aresample=${OVERSAMPLING * sampleRate}`,
    `alimiter=limit=${10 ** ((limitDbtp ?? 0) / 20)}:attack=5:release=50:level=0:latency=1`,
    `aresample=${sampleRate}`,
  ];
  return [
    `volume=${gainDb.toFixed(2)}dB:precision=double`,
    ...(limitDbtp === null ? [] : limiter),
    'aformat=channel_layouts=stereo',
  ];
}

/**
 * Finds the leveling of a track. A limiter takes loudness together with peaks, and AAC adds to peaks; how much of either
 * depends on the sound. So a track whose peaks need a limiter is encoded as a trial, measured, and corrected.
 *
 * Gain and limit together only make everything louder. What changes the sound is how far the gain exceeds the limit: the
 * drive. So loudness above the limit, and what AAC adds to it, are learned as functions of the drive.
 *
 * The limit for peaks comes before the loudness: a track whose peaks would have to lose too much stays quieter.
 */
export class Leveler {
  /** How far the loudness is above the limit, for each drive; first where the limiter begins. */
  private readonly points: { driveDb: number; lu: number }[];
  private readonly wantedLufs: number;
  private readonly maxDriveDb: number;
  private rippleDb = USUAL_RIPPLE_DB;
  private trials = 0;
  private isSettled: boolean;
  private current: Leveling;

  constructor(
    private readonly target: LoudnessTarget,
    { integratedLufs, truePeakDbtp }: Loudness,
  ) {
    this.wantedLufs = Math.min(target.integratedLufs, integratedLufs + MAX_GAIN_DB);
    this.points = [{ driveDb: -truePeakDbtp, lu: integratedLufs - truePeakDbtp }];
    this.maxDriveDb = MAX_LIMITING_DB - truePeakDbtp;
    const gainDb = this.wantedLufs - integratedLufs;
    this.isSettled = truePeakDbtp + gainDb <= target.truePeakDbtp - SAFE_HEADROOM_DB;
    this.current = this.isSettled ? { gainDb, limitDbtp: null } : this.aim();
  }

  get leveling(): Leveling {
    return this.current;
  }

  get needsTrial(): boolean {
    return !this.isSettled && this.trials < MAX_TRIALS;
  }

  /** @param heard the track as it is with `leveling`, encoded; null if it is silent */
  correct(heard: Loudness | null): void {
    this.trials += 1;
    const { gainDb, limitDbtp } = this.current;
    if (heard === null || limitDbtp === null) {
      this.isSettled = true;
      return;
    }
    const driveDb = gainDb - limitDbtp;
    const missingLu = this.wantedLufs - heard.integratedLufs;
    const isLoud = Math.abs(missingLu) <= CLOSE_LU || (missingLu > 0 && driveDb >= this.maxDriveDb);
    this.isSettled = isLoud && heard.truePeakDbtp <= this.target.truePeakDbtp;
    if (this.isSettled) return;
    this.points.push({ driveDb, lu: heard.integratedLufs - limitDbtp });
    // A track that does not reach its limit shows nothing of it.
    this.rippleDb = RIPPLE_MARGIN_DB + Math.max(0, heard.truePeakDbtp - limitDbtp);
    this.current = this.aim();
  }

  private aim(): Leveling {
    const limitDbtp = this.target.truePeakDbtp - this.rippleDb;
    const [before, last] = [this.points.at(-2), this.points.at(-1)!];
    const missingLu = this.wantedLufs - limitDbtp - last.lu;
    const usual = missingLu > 0 ? USUAL_SLOPE : 1;
    const gainedDb = before === undefined ? 0 : last.driveDb - before.driveDb;
    const slope = before === undefined || gainedDb === 0 ? usual : (last.lu - before.lu) / gainedDb;
    const driveDb = last.driveDb + missingLu / Math.min(1, Math.max(MIN_SLOPE, slope));
    return { gainDb: Math.min(this.maxDriveDb, driveDb) + limitDbtp, limitDbtp };
  }
}

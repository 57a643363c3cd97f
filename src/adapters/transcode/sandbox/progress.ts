import type { EncodeProgress } from '../../../ports/transcoder.js';
import { Lines } from './lines.js';

/**
 * How long a pace is watched before it tells anything. The first pictures take as long as ffmpeg's start, and by their
 * speed, a job of seconds would take minutes.
 */
const PACE_KNOWN_AFTER_MS = 1_500;

/** Measuring follows the encode, so it stays below 100. */
const MAX_ENCODING_PERCENT = 99;

/**
 * Reads ffmpeg's `-progress` lines and reports each complete block.
 *
 * ffmpeg prints a block per `-stats_period`, which limits how often `report` is called.
 */
export class ProgressReader {
  private readonly lines = new Lines((line) => this.addLine(line));
  private outSeconds = 0;
  private speed: number | null = null;
  /** The first output. */
  private first: { readonly atMs: number; readonly outSeconds: number } | null = null;
  private percent = 0;

  constructor(
    private readonly durationMs: number,
    private readonly report: (progress: EncodeProgress) => void,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Media seconds written so far, for a watchdog. */
  get writtenSeconds(): number {
    return this.outSeconds;
  }

  add(text: string): void {
    this.lines.add(text);
  }

  private addLine(line: string): void {
    const [key, value = ''] = line.split('=', 2);
    this.take(key ?? '', value.trim());
  }

  private take(key: string, value: string): void {
    const number = Number.parseFloat(value);
    if (key === 'out_time_us' && number > 0) {
      // N/A and the large negative number before the first packet both fail the test.
      this.outSeconds = Math.max(this.outSeconds, number / 1_000_000);
    } else if (key === 'speed') {
      this.speed = number > 0 ? number : null;
    } else if (key === 'progress') {
      this.emit();
    }
  }

  private emit(): void {
    const durationSeconds = this.durationMs / 1_000;
    const share = (this.outSeconds / durationSeconds) * 100;
    this.percent = Math.max(this.percent, Math.min(MAX_ENCODING_PERCENT, Math.round(share * 10) / 10));
    const left = Math.max(0, durationSeconds - this.outSeconds);
    const pace = this.pace();
    this.report({
      step: 'encoding',
      percent: this.percent,
      speed: pace ?? this.speed,
      etaSeconds: pace === null ? null : Math.ceil(left / pace),
    });
  }

  /** Seconds of media per second since the first output; `null` until it is known. */
  private pace(): number | null {
    if (this.outSeconds === 0) return null;
    const atMs = this.nowMs();
    this.first ??= { atMs, outSeconds: this.outSeconds };
    const elapsedMs = atMs - this.first.atMs;
    const written = this.outSeconds - this.first.outSeconds;
    return elapsedMs < PACE_KNOWN_AFTER_MS || written === 0 ? null : written / (elapsedMs / 1_000);
  }
}

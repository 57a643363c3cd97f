import type { EncodeProgress } from '../../ports/transcoder.js';

/** Until everything is measured too, it is not done. */
const MAX_ENCODING_PERCENT = 99;
const MAX_LINE_CHARS = 1_000;

/**
 * Reads ffmpeg's `-progress` lines and reports each complete block.
 *
 * ffmpeg prints a block per `-stats_period`, which is what bounds how often `report` is called.
 */
export class ProgressReader {
  private rest = '';
  private outSeconds = 0;
  private speed: number | null = null;
  private percent = 0;

  constructor(
    private readonly durationMs: number,
    private readonly report: (progress: EncodeProgress) => void,
  ) {}

  /** Media seconds written so far; what a watchdog looks at. */
  get writtenSeconds(): number {
    return this.outSeconds;
  }

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    // A line that does not end is none of ours.
    this.rest = (lines.pop() ?? '').slice(-MAX_LINE_CHARS);
    for (const line of lines) {
      const [key, value = ''] = line.split('=', 2);
      this.take(key ?? '', value.trim());
    }
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
    this.report({
      step: 'encoding',
      percent: this.percent,
      speed: this.speed,
      etaSeconds: this.speed === null ? null : Math.ceil(left / this.speed),
    });
  }
}

import { Lines } from '../sandbox/lines.js';

/**
 * Measures how long a file plays from its packets, for containers that do not say it.
 *
 * Fed with ffprobe's `compact` lines of `pts_time|dts_time|duration_time` in any chunks; keeps two
 * numbers, however long the file is.
 */
export class PacketDuration {
  private readonly lines = new Lines((line) => this.addLine(line));
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  add(text: string): void {
    this.lines.add(text);
  }

  /** From the first packet's start to the last one's end; null when there was no packet. */
  seconds(): number | null {
    this.lines.end();
    return this.last > this.first ? this.last - this.first : null;
  }

  private addLine(line: string): void {
    const [pts, dts, duration] = line.split('|').map(Number);
    const start = pts !== undefined && Number.isFinite(pts) ? pts : dts;
    if (line === '' || start === undefined || !Number.isFinite(start)) {
      return;
    }
    const length = duration !== undefined && duration > 0 ? duration : 0;
    this.first = Math.min(this.first, start);
    this.last = Math.max(this.last, start + length);
  }
}

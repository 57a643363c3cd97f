import { Lines } from '../sandbox/lines.js';

/**
 * Measures a file's duration from its packets, for containers that do not declare it.
 *
 * Takes ffprobe's `compact` lines of `pts_time|dts_time|duration_time`, in pieces of any size. Keeps two numbers,
 * however long the file is.
 */
export class PacketDuration {
  private readonly lines = new Lines((line) => this.addLine(line));
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  add(text: string): void {
    this.lines.add(text);
  }

  /** From the first packet's start to the last one's end; null without packets. */
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

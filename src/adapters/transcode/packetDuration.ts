const MAX_LINE_CHARS = 1_000;

/**
 * Measures how long a file plays from its packets, for containers that do not say it.
 *
 * Fed with ffprobe's `compact` lines of `pts_time|dts_time|duration_time` in any chunks; keeps two
 * numbers, however long the file is.
 */
export class PacketDuration {
  private rest = '';
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    // A line that does not end is none of ours.
    this.rest = (lines.pop() ?? '').slice(-MAX_LINE_CHARS);
    for (const line of lines) {
      this.addLine(line);
    }
  }

  /** From the first packet's start to the last one's end; null when there was no packet. */
  seconds(): number | null {
    this.addLine(this.rest);
    this.rest = '';
    return this.last > this.first ? this.last - this.first : null;
  }

  private addLine(line: string): void {
    const [pts, dts, duration] = line.trim().split('|').map(Number);
    const start = pts !== undefined && Number.isFinite(pts) ? pts : dts;
    if (line.trim() === '' || start === undefined || !Number.isFinite(start)) {
      return;
    }
    const length = duration !== undefined && duration > 0 ? duration : 0;
    this.first = Math.min(this.first, start);
    this.last = Math.max(this.last, start + length);
  }
}

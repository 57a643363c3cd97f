import { readFile } from 'node:fs/promises';

import { Inspector } from '../../support/inspector.js';

const MB = 1024 ** 2;

/** Samples of a process's memory, and how fast it grows. */
export class MemoryCurve {
  private readonly samples: { hours: number; megabytes: number }[] = [];

  private constructor(
    readonly name: string,
    private readonly measureBytes: () => Promise<number>,
  ) {}

  /** What a process occupies, garbage included. */
  static resident(name: string, pid: number): MemoryCurve {
    return new MemoryCurve(name, async () => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    });
  }

  /** What a process still refers to. It collects its garbage for each sample. */
  static async inUse(name: string, inspectorPort: number): Promise<MemoryCurve> {
    const inspector = await Inspector.open(inspectorPort);
    return new MemoryCurve(name, () => inspector.bytesInUse());
  }

  async sample(): Promise<void> {
    const bytes = await this.measureBytes();
    this.samples.push({ hours: performance.now() / 3_600_000, megabytes: bytes / MB });
  }

  /** The slope of the straight line through the second half of the samples, and its standard error, in MB per hour. */
  slope(): { perHour: number; error: number } {
    const half = this.samples.slice(this.samples.length >> 1);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const [hours, megabytes] = [mean(half.map((one) => one.hours)), mean(half.map((one) => one.megabytes))];
    const spread = half.reduce((sum, one) => sum + (one.hours - hours) ** 2, 0);
    const perHour = half.reduce((sum, one) => sum + (one.hours - hours) * (one.megabytes - megabytes), 0) / spread;
    const rest = half.map((one) => one.megabytes - megabytes - perHour * (one.hours - hours));
    const error = Math.sqrt(rest.reduce((sum, value) => sum + value ** 2, 0) / (half.length - 2) / spread);
    return { perHour, error };
  }

  get last(): number {
    return this.samples.at(-1)!.megabytes;
  }
}

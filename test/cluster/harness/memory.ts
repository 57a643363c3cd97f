import { readFile } from 'node:fs/promises';

import { Inspector } from '../../support/inspector.js';
import { type Sample, trendOf } from './trend.js';

const MB = 1024 ** 2;

/** Samples of a process's memory, and how fast it grows. */
export class MemoryCurve {
  private readonly samples: Sample[] = [];

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
    this.samples.push({ hours: performance.now() / 3_600_000, value: bytes / MB });
  }

  /** How fast the second half of the samples grows, and the standard error, in MB per hour. */
  slope(): { perHour: number; error: number } {
    return trendOf(this.samples.slice(this.samples.length >> 1));
  }

  get last(): number {
    return this.samples.at(-1)!.value;
  }
}

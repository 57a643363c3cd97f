import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import { stdout } from 'node:process';

import type { ViewLine, ViewLines } from '../../ports/viewLines.js';

/** About a minute of a busy service. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/** Writes newline-delimited JSON to a file, to which it appends, or to standard output. */
export class NdjsonViewLines implements ViewLines {
  private lost = 0;
  private failed = false;

  private constructor(
    private readonly out: Writable,
    private readonly isOurs: boolean,
    onError: (error: unknown) => void,
  ) {
    out.on('error', (error) => {
      this.failed = true;
      onError(error);
    });
  }

  /**
   * @param target a path, or `stdout`
   * @param onError called if the file cannot be written; lines are dropped from then on
   */
  static open(target: string, onError: (error: unknown) => void): NdjsonViewLines {
    const out = target === 'stdout' ? stdout : createWriteStream(target, { flags: 'a', mode: 0o640 });
    return new NdjsonViewLines(out, target !== 'stdout', onError);
  }

  get dropped(): number {
    return this.lost;
  }

  write(lines: readonly ViewLine[]): void {
    if (lines.length === 0) return;
    if (this.failed || this.out.writableLength > MAX_BUFFERED_BYTES) {
      this.lost += lines.length;
      return;
    }
    this.out.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }

  async close(): Promise<void> {
    if (!this.isOurs || this.failed) return;
    this.out.end();
    // An error was reported already.
    await finished(this.out).catch(() => undefined);
  }
}

import { createReadStream } from 'node:fs';
import { access, appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Scratch } from '../../ports/accountArchive.js';

const NEWLINE = '\n';

/** One file per name, in a folder of its own that is removed at the end. */
export class ScratchFiles implements Scratch, AsyncDisposable {
  private constructor(private readonly folder: string) {}

  /** @param parent in which the folder is made */
  static async open(parent: string): Promise<ScratchFiles> {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    return new ScratchFiles(await mkdtemp(join(parent, 'move-')));
  }

  async append(name: string, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    await appendFile(join(this.folder, name), lines.map((line) => line + NEWLINE).join(''), { mode: 0o600 });
  }

  /** Splits at newlines only: `node:readline` also splits at characters that JSON leaves as they are. */
  async *lines(name: string): AsyncGenerator<string> {
    const path = join(this.folder, name);
    if (!(await exists(path))) return;
    let rest = '';
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + (chunk as string)).split(NEWLINE);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

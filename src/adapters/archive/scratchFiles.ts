import { createReadStream } from 'node:fs';
import { access, appendFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import type { Scratch } from '../../ports/accountArchive.js';

const NEWLINE = '\n';
/** The folder may be shared with other machines. */
const HOST = hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');

/** One file per name, in its own folder that is removed at the end. */
export class ScratchFiles implements Scratch, AsyncDisposable {
  private constructor(private readonly folder: string) {}

  /** @param parent in which the folder is made; folders of processes of this machine that have ended are removed */
  static async open(parent: string): Promise<ScratchFiles> {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    await removeAbandoned(parent);
    return new ScratchFiles(await mkdtemp(join(parent, `${HOST}.${process.pid}.`)));
  }

  /** In a folder that somebody else makes and removes. */
  static in(folder: string): ScratchFiles {
    return new ScratchFiles(folder);
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

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [host, pid] = name.split('.');
    if (host === HOST && !isRunning(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

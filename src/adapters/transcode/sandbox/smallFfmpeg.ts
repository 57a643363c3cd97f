import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isConfined, TranscoderUnavailableError } from '../../../ports/transcoder.js';
import type { ChildResult } from './childProcess.js';
import { detectSandbox, findPrograms, NO_SANDBOX, type Programs } from './detectSandbox.js';
import { SMALL_OUTPUT } from './outputCap.js';
import { runConfined } from './runConfined.js';
import { sandboxKind, type Sandbox } from './sandbox.js';

export interface SmallFfmpegOptions {
  /** Absolute path or name; by default, `ffmpeg` on the search path. */
  readonly ffmpegPath?: string | undefined;
  /** Folders to search for programs, separated as in PATH. */
  readonly searchPath: string;
  /** Whether to refuse to work if ffmpeg cannot be confined. */
  readonly mustConfine: boolean;
}

/** One picture takes a moment; a file that needs more was crafted to. */
const TIMEOUT_SECONDS = 5;
const MAX_FILE_BYTES = 16 * 1024 ** 2;
/** Mostly for libraries; the picture itself needs little. */
const MAX_MEMORY_BYTES = 3 * 1024 ** 3;
const AT_ONCE = 2;

/**
 * Runs ffmpeg for a single picture, in the same sandbox as for videos. The sandbox is detected at the first use, so a
 * process that never uses it needs no ffmpeg. Only a few run at once and the others wait; callers must limit how many
 * wait.
 */
export class SmallFfmpeg {
  private found: Promise<{ programs: Programs; sandbox: Sandbox }> | null = null;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly options: SmallFfmpegOptions) {}

  /** Lends an empty folder and removes it afterwards. */
  async inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
    if (this.running === AT_ONCE) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running += 1;
    }
    try {
      const folder = await mkdtemp(join(tmpdir(), 'dhara-picture-'));
      try {
        return await use(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }

  async run(
    paths: { inputPath: string; outputDir: string },
    toArguments: (inside: { inputPath: string; outputDir: string }) => string[],
  ): Promise<ChildResult> {
    const { programs, sandbox } = await this.machine();
    return runConfined(sandbox, {
      ...paths,
      program: programs.ffmpeg,
      toArguments,
      onStdout: () => undefined,
      timeoutSeconds: TIMEOUT_SECONDS,
      limits: { addressSpaceBytes: MAX_MEMORY_BYTES, cpuSeconds: TIMEOUT_SECONDS, fileSizeBytes: MAX_FILE_BYTES },
      output: SMALL_OUTPUT,
    });
  }

  /** Retries after a failure, because somebody may have installed ffmpeg since. */
  private async machine(): Promise<{ programs: Programs; sandbox: Sandbox }> {
    this.found ??= this.find();
    try {
      return await this.found;
    } catch (error) {
      this.found = null;
      throw error;
    }
  }

  private async find(): Promise<{ programs: Programs; sandbox: Sandbox }> {
    const { ffmpegPath, searchPath, mustConfine } = this.options;
    const programs = await findPrograms(ffmpegPath, searchPath);
    const { sandbox } = await detectSandbox(programs, { searchPath, asRoot: process.getuid?.() === 0, useBwrap: true });
    if (mustConfine && !isConfined(sandboxKind(sandbox))) {
      throw new TranscoderUnavailableError(NO_SANDBOX);
    }
    return { programs, sandbox };
  }
}

const SIGKILL = 128 + 9;
const SIGXCPU = 128 + 24;

/**
 * Whether a limit ended it: wall clock, processor time or memory. Which of the first two fires first is chance, and if
 * a processor limit's soft and hard values are equal, Linux may send SIGKILL at once.
 */
export function reachedLimit({ killedFor, exitCode }: ChildResult): boolean {
  return killedFor !== null || exitCode === SIGXCPU || exitCode === SIGKILL;
}

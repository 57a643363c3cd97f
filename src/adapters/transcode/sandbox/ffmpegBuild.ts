import { type ChildResult, runChild } from './childProcess.js';

const TIMEOUT_SECONDS = 20;

/** What the program says of itself when it is asked for its filters. */
export interface FfmpegBuild {
  /** The encoder version in receipts, such as '5.1.9-0+deb12u1'. */
  ffmpegVersion: string;
  /** Whether it has all filters for tone mapping (toneMap.ts). */
  toneMaps: boolean;
}

/** The start of ffmpeg that answers this also shows whether ffmpeg starts in a sandbox: each loads hundreds of libraries. */
export const BUILD_QUESTION = '-filters';

/** @param answer to {@link BUILD_QUESTION}, and what ffmpeg prints before it, beginning with its version */
export function readBuild({ answer, banner }: { answer: string; banner: string }): FfmpegBuild {
  return {
    ffmpegVersion: /^ffmpeg version (\S{1,100})/.exec(banner)?.[1] ?? 'unknown',
    toneMaps: ['zscale', 'tonemap'].every((filter) => answer.includes(` ${filter} `)),
  };
}

/** Whether it encodes WebP. Only previews need to know. */
export async function encodesWebp(ffmpeg: string): Promise<boolean> {
  const { stdout } = await ask({ argv: [ffmpeg, '-encoders'], env: { LC_ALL: 'C' } });
  return stdout.includes(' libwebp ');
}

/** Runs a program for what it prints. */
export async function ask(
  run: Pick<Parameters<typeof runChild>[0], 'argv' | 'env' | 'descriptor3'>,
): Promise<ChildResult & { stdout: string }> {
  let stdout = '';
  const result = await runChild({
    ...run,
    onStdout: (some) => void (stdout += some),
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  return { ...result, stdout };
}

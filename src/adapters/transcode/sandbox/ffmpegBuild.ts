import { TranscoderUnavailableError } from '../../../ports/transcoder.js';
import { runForOutput } from './childProcess.js';

/** What the program says of itself when it is asked for its filters. */
export interface FfmpegBuild {
  /** The encoder version in receipts, such as '5.1.9-0+deb12u1'. */
  ffmpegVersion: string;
  /** Whether it has all filters for tone mapping (toneMap.ts). */
  toneMaps: boolean;
}

/** Asked by the trial of a sandbox, because each start of ffmpeg loads hundreds of libraries. */
export const BUILD_QUESTION = '-filters';

/** @param answer to {@link BUILD_QUESTION}, and what was printed before it: ffmpeg's version, after whatever its sandbox says */
export function readBuild({ answer, banner }: { answer: string; banner: string }): FfmpegBuild {
  return {
    ffmpegVersion: /^ffmpeg version (\S{1,100})/m.exec(banner)?.[1] ?? 'unknown',
    toneMaps: ['zscale', 'tonemap'].every((filter) => answer.includes(` ${filter} `)),
  };
}

/**
 * Whether it encodes WebP. Only previews need to know.
 * @throws TranscoderUnavailableError if ffmpeg does not start or does not say, for example because the machine is too busy
 */
export async function encodesWebp(ffmpeg: string): Promise<boolean> {
  const unanswered = (cause?: unknown): Error =>
    new TranscoderUnavailableError(`${ffmpeg} does not list its encoders.`, { cause });
  const asked = runForOutput({ argv: [ffmpeg, '-encoders'], env: { LC_ALL: 'C' } });
  const { exitCode, stdout } = await asked.catch((error: unknown) => {
    throw unanswered(error);
  });
  if (exitCode !== 0) throw unanswered();
  return stdout.includes(' libwebp ');
}

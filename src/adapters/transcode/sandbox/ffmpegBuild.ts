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

/** @param answer to {@link BUILD_QUESTION}, and what ffmpeg prints before it, beginning with its version */
export function readBuild({ answer, banner }: { answer: string; banner: string }): FfmpegBuild {
  return {
    ffmpegVersion: /^ffmpeg version (\S{1,100})/.exec(banner)?.[1] ?? 'unknown',
    toneMaps: ['zscale', 'tonemap'].every((filter) => answer.includes(` ${filter} `)),
  };
}

/**
 * Whether it encodes WebP. Only previews need to know.
 * @throws TranscoderUnavailableError if ffmpeg does not say, for example because the machine is too busy
 */
export async function encodesWebp(ffmpeg: string): Promise<boolean> {
  const { exitCode, stdout } = await runForOutput({ argv: [ffmpeg, '-encoders'], env: { LC_ALL: 'C' } });
  if (exitCode !== 0) throw new TranscoderUnavailableError(`${ffmpeg} does not list its encoders.`);
  return stdout.includes(' libwebp ');
}

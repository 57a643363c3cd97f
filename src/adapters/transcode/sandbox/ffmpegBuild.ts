import { runChild } from './childProcess.js';

const TIMEOUT_SECONDS = 20;

export interface FfmpegBuild {
  /** The encoder version in receipts, such as '5.1.9-0+deb12u1'. */
  ffmpegVersion: string;
  /** Whether it has all filters for tone mapping (toneMap.ts). */
  toneMaps: boolean;
  /** Whether it encodes WebP. */
  previews: boolean;
}

/** Asks twice only, because each start of ffmpeg loads hundreds of libraries. */
export async function readBuild(ffmpeg: string): Promise<FfmpegBuild> {
  const [{ banner, text: filters }, { text: encoders }] = await Promise.all([
    answerOf(ffmpeg, '-filters'),
    answerOf(ffmpeg, '-encoders'),
  ]);
  return {
    ffmpegVersion: /^ffmpeg version (\S{1,100})/.exec(banner)?.[1] ?? 'unknown',
    toneMaps: ['zscale', 'tonemap'].every((filter) => filters.includes(` ${filter} `)),
    previews: encoders.includes(' libwebp '),
  };
}

/** @returns `text`, and the `banner` that ffmpeg prints before it, beginning with its version */
async function answerOf(ffmpeg: string, question: string): Promise<{ banner: string; text: string }> {
  let text = '';
  const { stderrTail } = await runChild({
    argv: [ffmpeg, question],
    env: { LC_ALL: 'C' },
    onStdout: (some) => void (text += some),
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  return { banner: stderrTail, text };
}

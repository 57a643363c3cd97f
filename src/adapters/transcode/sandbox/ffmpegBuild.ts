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

export async function readBuild(ffmpeg: string): Promise<FfmpegBuild> {
  const [version, filters, encoders] = await Promise.all([
    answerOf(ffmpeg, '-version'),
    answerOf(ffmpeg, '-filters'),
    answerOf(ffmpeg, '-encoders'),
  ]);
  return {
    ffmpegVersion: /^ffmpeg version (\S{1,100})/.exec(version)?.[1] ?? 'unknown',
    toneMaps: ['zscale', 'tonemap'].every((filter) => filters.includes(` ${filter} `)),
    previews: encoders.includes(' libwebp '),
  };
}

async function answerOf(ffmpeg: string, question: string): Promise<string> {
  let text = '';
  await runChild({
    argv: [ffmpeg, '-hide_banner', question],
    env: { LC_ALL: 'C' },
    onStdout: (some) => void (text += some),
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  return text;
}

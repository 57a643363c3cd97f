import { runChild } from './childProcess.js';

const TIMEOUT_SECONDS = 20;

/** What a receipt says of the encoder: '5.1.9-0+deb12u1'. */
export async function readFfmpegVersion(ffmpeg: string): Promise<string> {
  let text = '';
  await runChild({
    argv: [ffmpeg, '-hide_banner', '-version'],
    env: { LC_ALL: 'C' },
    onStdout: (some) => void (text += some),
    timeoutSeconds: TIMEOUT_SECONDS,
  });
  return /^ffmpeg version (\S{1,100})/.exec(text)?.[1] ?? 'unknown';
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

async function said(...args: string[]): Promise<string> {
  const { stdout, stderr } = await execute(
    'ffmpeg',
    ['-hide_banner', '-nostdin', '-nostats', ...args, '-f', 'null', '-'],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return stdout + stderr;
}

/**
 * ffmpeg prints six digits of a time, which is too coarse for a long video. So pictures are reported in ticks of a
 * clock...
 */
const TICKS_PER_SECOND = 90_000;
/** ...and sound, which has none, in times of a clock that restarts after this long. */
const LAP_SECONDS = 500;

/** When a video turns white, in seconds of its own clock. */
async function flashes(path: string, firstFrameSeconds: number | null): Promise<number[]> {
  const filters = [
    'scale=64:36,format=gray,signalstats',
    `settb=1/${TICKS_PER_SECOND}`,
    'metadata=print:key=lavfi.signalstats.YAVG:file=-',
  ].join(',');
  const text = await said('-copyts', '-i', path, '-map', '0:v:0', '-vf', filters);
  const frames = [...text.matchAll(/pts:([\d-]+)\s+pts_time:\S+\s+lavfi\.signalstats\.YAVG=([\d.]+)/g)];
  const times = frames.map(([, ticks]) => Number(ticks) / TICKS_PER_SECOND);
  const lateSeconds = firstFrameSeconds === null ? 0 : times[0]! - firstFrameSeconds;
  const isWhite = frames.map(([, , luma]) => Number(luma) > 200);
  return times.filter((_, index) => isWhite[index] && !isWhite[index - 1]).map((time) => time - lateSeconds);
}

/** When a video's sound begins after silence, in seconds of the restarting clock. */
async function beeps(path: string): Promise<number[]> {
  // The last filter keeps times from going back in the output.
  const filters = `asetpts='mod(T,${LAP_SECONDS})/TB',silencedetect=noise=-30dB:d=0.5,asetpts=N`;
  const text = await said('-copyts', '-i', path, '-map', '0:a:0', '-af', filters);
  return [...text.matchAll(/silence_end: ([\d.-]+)/g)].map(([, at]) => Number(at));
}

/**
 * By how much each beep comes after its flash.
 *
 * @param firstFrameSeconds when the first frame is shown, if ffmpeg's own time must not be used: in fragments, it
 * reports frames slightly late if some are shown earlier than decoded
 * @throws if their numbers differ
 */
export async function delays(
  picturePath: string,
  soundPath: string,
  firstFrameSeconds: number | null = null,
): Promise<number[]> {
  const [seen, heard] = await Promise.all([flashes(picturePath, firstFrameSeconds), beeps(soundPath)]);
  // The last silence may end with the video.
  const count = Math.min(seen.length, heard.length);
  if (count === 0 || Math.abs(seen.length - heard.length) > 1) {
    throw new Error(`flashes at ${seen.join(', ')} and beeps at ${heard.join(', ')}`);
  }
  return seen.slice(0, count).map((at, index) => {
    const delay = heard[index]! - at;
    return delay - LAP_SECONDS * Math.round(delay / LAP_SECONDS);
  });
}

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

/** When a film turns white, in seconds on its own clock. */
export async function flashes(path: string): Promise<number[]> {
  const filters = 'scale=64:36,format=gray,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-';
  const text = await said('-copyts', '-i', path, '-map', '0:v:0', '-vf', filters);
  const frames = [...text.matchAll(/pts_time:([\d.-]+)\s+lavfi\.signalstats\.YAVG=([\d.]+)/g)];
  const isWhite = frames.map(([, , luma]) => Number(luma) > 200);
  return frames.filter((_, index) => isWhite[index] && !isWhite[index - 1]).map(([, at]) => Number(at));
}

/** When a film's sound begins after silence, in seconds on its own clock. */
export async function beeps(path: string): Promise<number[]> {
  const text = await said('-copyts', '-i', path, '-map', '0:a:0', '-af', 'silencedetect=noise=-30dB:d=0.5');
  return [...text.matchAll(/silence_end: ([\d.-]+)/g)].map(([, at]) => Number(at));
}

/** By how much each beep comes after its flash. @throws where they are not the same number */
export async function delays(picturePath: string, soundPath: string): Promise<number[]> {
  const [seen, heard] = await Promise.all([flashes(picturePath), beeps(soundPath)]);
  // The last silence may end with the film.
  const count = Math.min(seen.length, heard.length);
  if (count === 0 || Math.abs(seen.length - heard.length) > 1) {
    throw new Error(`flashes at ${seen.join(', ')} and beeps at ${heard.join(', ')}`);
  }
  return seen.slice(0, count).map((at, index) => heard[index]! - at);
}

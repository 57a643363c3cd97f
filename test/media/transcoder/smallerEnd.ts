import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ffmpeg } from '../../support/media.js';

export const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'];
export const FIELDS = ['-c:v', 'mpeg2video', '-flags', '+ildct+ilme', '-b:v', '800k'];

/** Like a call whose connection gets worse: appends the same video in VP8, at half the size. */
export async function withSmallerEnd(folder: string, clip: string): Promise<string> {
  const [end, both] = [join(folder, 'end.mkv'), join(folder, 'both.mkv')];
  await ffmpeg('-i', clip, '-vf', 'scale=80:46', ...VP8, '-c:a', 'copy', end);
  await oneAfterTheOther(folder, [clip, end], both);
  return both;
}

/** @param output options, and the path of the result */
export async function oneAfterTheOther(folder: string, clips: readonly string[], ...output: string[]): Promise<void> {
  const list = join(folder, 'list.txt');
  await writeFile(list, clips.map((path) => `file ${path}\n`).join(''));
  await ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', ...output);
}

/** Like a broadcast that continues with another programme: appends fields at half the size, in a transport stream. */
export async function withSmallerFields(folder: string, clip: string, fromSeconds: number): Promise<string> {
  const [end, both] = [join(folder, 'end.ts'), join(folder, 'both.ts')];
  await ffmpeg('-i', clip, '-vf', 'scale=80:48', ...FIELDS, '-c:a', 'copy', '-output_ts_offset', `${fromSeconds}`, end);
  await writeFile(both, Buffer.concat([await readFile(clip), await readFile(end)]));
  return both;
}

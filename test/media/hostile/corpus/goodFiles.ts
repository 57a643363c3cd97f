import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ffmpeg, makeClip } from '../../../support/media.js';

/** Small, short and valid files from which the corpus is made. */
export interface GoodFiles {
  /** With its index at the end, so that it can grow. */
  mp4: Buffer;
  /** With its index first. */
  faststart: Buffer;
  ts: Buffer;
  mkv: Buffer;
  /** MJPEG: each frame is a picture. */
  avi: Buffer;
  wav: Buffer;
  mp4Path: string;
}

const TINY = { durationSeconds: 1, width: 160, height: 90, frameRate: '10', audio: 'mono' };

export async function makeGoodFiles(folder: string): Promise<GoodFiles> {
  const mp4Path = await makeClip(folder, { ...TINY, name: 'good.mp4' });
  const remux = async (name: string, ...args: string[]): Promise<Buffer> => {
    await ffmpeg('-i', mp4Path, ...args, join(folder, name));
    return readFile(join(folder, name));
  };
  return {
    mp4Path,
    mp4: await readFile(mp4Path),
    faststart: await remux('faststart.mp4', '-c', 'copy', '-movflags', '+faststart'),
    ts: await remux('good.ts', '-c', 'copy'),
    mkv: await remux('good.mkv', '-c', 'copy'),
    avi: await remux('good.avi', '-c:v', 'mjpeg', '-an'),
    wav: await remux('good.wav', '-vn'),
  };
}

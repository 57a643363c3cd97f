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
  flv: Buffer;
  vob: Buffer;
  mxf: Buffer;
  dv: Buffer;
  wmv: Buffer;
  gif: Buffer;
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
    flv: await remux('good.flv', '-c', 'copy'),
    vob: await remux('good.vob', '-r', '25', '-c:v', 'mpeg2video', '-c:a', 'mp2'),
    mxf: await remux('good.mxf', '-r', '25', '-c:v', 'mpeg2video', '-c:a', 'pcm_s16le', '-ar', '48000'),
    dv: await remux('good.dv', '-r', '25', '-s', '720x576', '-pix_fmt', 'yuv420p', '-ac', '2', '-ar', '48000'),
    wmv: await remux('good.wmv', '-c:v', 'wmv2', '-c:a', 'wmav2'),
    gif: await remux('good.gif', '-an'),
  };
}

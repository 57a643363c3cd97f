import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs `ffmpeg` without a sandbox, since tests make their own sources. */
export async function ffmpeg(...args: string[]): Promise<void> {
  await execute('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args]);
}

/** Runs `ffmpeg` and returns its log, for example of its meters. */
export async function ffmpegLog(...args: string[]): Promise<string> {
  const { stderr } = await execute('ffmpeg', ['-v', 'info', '-nostats', '-hide_banner', '-nostdin', '-y', ...args]);
  return stderr;
}

/** The output of ffprobe for a file that we made. */
export async function ffprobe(...args: string[]): Promise<string> {
  const { stdout } = await execute('ffprobe', ['-v', 'error', ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** A hash of each decoded frame of a track, in presentation order. */
export async function frameHashes(path: string, track: 'v' | 'a' = 'v'): Promise<string[]> {
  const toHashes = ['-map', `0:${track}:0`, '-fps_mode', 'passthrough', '-f', 'framemd5', '-'];
  const { stdout } = await execute('ffmpeg', ['-v', 'error', '-nostdin', '-i', path, ...toHashes], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(line.lastIndexOf(',') + 1).trim());
}

/** A folder for the test, removed by `await using`. */
export async function mediaFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'dhara-media-'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

export interface ClipOptions {
  /** Its extension chooses the container. */
  name?: string;
  durationSeconds?: number;
  width?: number;
  height?: number;
  /** As ffmpeg reads it: '25', '30000/1001'. */
  frameRate?: string;
  /** ffmpeg's channel layout: 'mono', 'stereo', '5.1'; null for no audio track. */
  audio?: string | null;
  /** How many degrees clockwise a player must turn the picture; MP4 and MOV only. */
  rotation?: 0 | 90 | 180 | 270;
  /** '64/45' makes the pixels wide. */
  sampleAspect?: string;
  /** Keeps only some frames, unevenly, with their timestamps. */
  variableFrameRate?: boolean;
  /** How much later than the audio the picture starts. */
  videoDelaySeconds?: number;
  videoCodec?: string[];
  audioCodec?: string[];
}

/** Makes a clip of moving test bars and a tone with these options. */
export async function makeClip(folder: string, options: ClipOptions = {}): Promise<string> {
  const durationSeconds = options.durationSeconds ?? 2;
  const path = join(folder, options.name ?? 'clip.mp4');
  const size = `${options.width ?? 320}x${options.height ?? 180}`;
  const picture = `testsrc2=size=${size}:rate=${options.frameRate ?? '25'}:duration=${durationSeconds}`;
  const filters = [
    ...(options.variableFrameRate === true ? ["select='not(mod(n,3))+gt(mod(n,40),20)'"] : []),
    `setsar=${options.sampleAspect ?? '1'}`,
    'format=yuv420p',
  ];
  const layout = options.audio === undefined ? 'stereo' : options.audio;
  await ffmpeg(
    ...(options.videoDelaySeconds === undefined ? [] : ['-itsoffset', String(options.videoDelaySeconds)]),
    '-f',
    'lavfi',
    '-i',
    picture,
    ...(layout === null ? [] : tone(layout, durationSeconds)),
    '-vf',
    filters.join(','),
    ...(options.variableFrameRate === true ? ['-fps_mode', 'vfr'] : []),
    ...(options.videoCodec ?? ['-c:v', 'libx264', '-preset', 'ultrafast']),
    ...(options.audioCodec ?? []),
    path,
  );
  if (options.rotation !== undefined) {
    await rotate(path, options.rotation);
  }
  return path;
}

export interface SoundOptions {
  /** Its extension chooses the container: 'tone.mp3'. */
  name: string;
  durationSeconds?: number;
  audio?: string;
}

/** Makes a file with audio only. */
export async function makeSound(folder: string, options: SoundOptions): Promise<string> {
  const path = join(folder, options.name);
  await ffmpeg(...tone(options.audio ?? 'stereo', options.durationSeconds ?? 2), path);
  return path;
}

/** Makes hours of silence in a second. */
export async function makeSilence(
  folder: string,
  { name, durationSeconds }: { name: string; durationSeconds: number },
): Promise<string> {
  const path = join(folder, name);
  const source = 'anullsrc=sample_rate=8000:channel_layout=mono';
  await ffmpeg('-f', 'lavfi', '-i', source, '-t', String(durationSeconds), path);
  return path;
}

function tone(layout: string, durationSeconds: number): string[] {
  const sound = `sine=frequency=440:sample_rate=48000:duration=${durationSeconds},aformat=channel_layouts=${layout}`;
  return ['-f', 'lavfi', '-i', sound];
}

async function rotate(path: string, rotation: number): Promise<void> {
  const turned = path.replace(/(\.\w+)$/, '.turned$1');
  await ffmpeg('-i', path, '-c', 'copy', '-metadata:s:v:0', `rotate=${rotation}`, turned);
  await rename(turned, path);
}

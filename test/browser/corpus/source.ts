import { ffmpeg } from '../../support/media.js';

/**
 * A kind of file that people upload. All of them flash white and beep at the same time, every two seconds from second 2
 * on; the short ones of real-world sizes every second from second 1 on.
 */
export interface Source {
  readonly name: string;
  /** Frames per second of its ladder; null without a picture. */
  readonly framesPerSecond: number | null;
  /** The duration of the longest track. Default 8. */
  readonly durationSeconds?: number;
  /** Renditions that are passed through. */
  readonly copied?: readonly string[];
  /** Whether a part of it is made in chunks. */
  readonly inChunks?: true;
  readonly make: (path: string) => Promise<void>;
}

const SECONDS = 8;
const BEAT_SECONDS = 2;
export const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
/** With B-frames, like the output of cameras and editors. */
export const MEDIUM = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-pix_fmt', 'yuv420p'];
export const AAC = ['-c:a', 'aac'];

export interface Picture {
  size?: string;
  rate?: string;
  seconds?: number;
  /** From one flash to the next. */
  beatSeconds?: number;
  filters?: string[];
}

/** Moving test bars with a white flash at each beat. */
export function picture(shown: Picture = {}): string[] {
  const { size = '160x90', rate = '25', seconds = SECONDS, beatSeconds = BEAT_SECONDS, filters = [] } = shown;
  const flash = `drawbox=color=white:t=fill:enable='${flashing(beatSeconds)}'`;
  const graph = [`testsrc2=size=${size}:rate=${rate}:duration=${seconds}`, flash, ...filters].join(',');
  return ['-f', 'lavfi', '-i', graph];
}

/** A beep at each beat. */
export function sound({
  layout = 'stereo',
  rate = 48_000,
  seconds = SECONDS,
  beatSeconds = BEAT_SECONDS,
} = {}): string[] {
  const beep = `sin(2*PI*1000*t)*${flashing(beatSeconds)}`;
  const graph = `aevalsrc=exprs='${beep}':sample_rate=${rate}:duration=${seconds},aformat=channel_layouts=${layout}`;
  return ['-f', 'lavfi', '-i', graph];
}

/** True for a tenth of a second at each beat, except at the beginning. */
function flashing(beatSeconds: number): string {
  return `lt(mod(t,${beatSeconds}),0.1)*gt(t,${beatSeconds / 2})`;
}

/** A source made from picture and sound with these encoders. */
export function made(name: string, framesPerSecond: number | null, ...args: string[]): Source {
  return { name, framesPerSecond, make: (path) => ffmpeg(...args, path) };
}

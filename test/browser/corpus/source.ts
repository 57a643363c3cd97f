import { ffmpeg } from '../../support/media.js';

/**
 * A kind of file that people upload. All of them flash white and beep at once, every two seconds from second 2 on; those
 * of real sizes, which are short, every second from second 1 on.
 */
export interface Source {
  readonly name: string;
  /** Frames per second of the ladder that is made of it; null without a picture. */
  readonly framesPerSecond: number | null;
  /** Of what is shown and heard, at its longest. 8 where left out. */
  readonly durationSeconds?: number;
  /** Which of its renditions keep the packets that are there. */
  readonly copied?: readonly string[];
  /** Whether some of it is made in chunks. */
  readonly inChunks?: true;
  readonly make: (path: string) => Promise<void>;
}

const SECONDS = 8;
const BEAT_SECONDS = 2;
export const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
/** With frames out of their order, like what cameras and editors write. */
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

/** Moving test bars under a white flash at each beat. */
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

/** For a tenth of a second at each beat but the one at the beginning. */
function flashing(beatSeconds: number): string {
  return `lt(mod(t,${beatSeconds}),0.1)*gt(t,${beatSeconds / 2})`;
}

/** From pictures and sound with these encoders. */
export function made(name: string, framesPerSecond: number | null, ...args: string[]): Source {
  return { name, framesPerSecond, make: (path) => ffmpeg(...args, path) };
}

import type { Container, SourceProbe } from '../../../ports/transcoder.js';
import { inputArguments } from '../probe/ffmpegInput.js';
import { Lines } from '../sandbox/lines.js';

/** Containers that can be searched by time and store presentation times. */
const CONTAINERS: ReadonlySet<Container> = new Set(['mp4', 'matroska', 'mpegts']);
/** Every chunk would decode this much for nothing. */
const MAX_KEYFRAME_GAP_SECONDS = 30;
/** When ffmpeg reads a stream without an index in one go, it takes a longer pause for a clock jump. */
const MAX_PAUSE_SECONDS = 9;

/** The picture must not end early: a chunk after the last frame would have nothing to show. */
export function hasFindableMoments({ container, video }: SourceProbe): boolean {
  return video !== null && CONTAINERS.has(container) && (video.endsBeforeMs ?? 0) === 0;
}

/** Prints all packets; in a transport stream those of the sound as well, because its clock moves the picture's. */
export function packetArguments({ container, video }: SourceProbe, inputPath: string): string[] {
  return [
    ['-v', 'error', '-hide_banner', '-of', 'compact=nokey=1:print_section=0'],
    ['-show_entries', 'packet=stream_index,pts_time,dts_time,flags'],
    ...(container === 'mpegts' ? [] : [['-select_streams', `${video?.streamIndex ?? 0}`]]),
    inputArguments(container, inputPath),
  ].flat();
}

/**
 * Reads ffprobe's lines for `packetArguments`, in pieces of any size, and finds reasons against cutting. Uses little
 * memory.
 */
export class CutCheck {
  private readonly lines = new Lines((line) => this.addLine(line));
  private readonly clocks = new Map<number, number>();
  private lastKeyframe: number | null = null;
  private latest: number | null = null;
  private isFit = true;

  constructor(private readonly probe: SourceProbe) {}

  add(text: string): void {
    this.lines.add(text);
  }

  get isCuttable(): boolean {
    return this.isFit && this.gapSeconds(this.latest ?? 0) <= MAX_KEYFRAME_GAP_SECONDS;
  }

  private addLine(line: string): void {
    const [index, pts, dts, flags] = line.split('|');
    // ffprobe prints an empty line after a packet with side data.
    if (flags === undefined) {
      return;
    }
    const stream = Number(index);
    const time = Number.parseFloat(pts ?? '');
    const clock = Number.parseFloat(dts ?? '');
    if (this.probe.container === 'mpegts' && !this.runsOn(stream, clock)) {
      this.isFit = false;
    }
    if (stream !== this.probe.video?.streamIndex || !Number.isFinite(time)) {
      return;
    }
    this.latest = Math.max(this.latest ?? time, time);
    if (flags.startsWith('K')) {
      if (this.lastKeyframe !== null && this.gapSeconds(time) > MAX_KEYFRAME_GAP_SECONDS) {
        this.isFit = false;
      }
      this.lastKeyframe = time;
    }
  }

  private gapSeconds(time: number): number {
    return this.lastKeyframe === null ? Number.POSITIVE_INFINITY : time - this.lastKeyframe;
  }

  private runsOn(stream: number, clock: number): boolean {
    const before = this.clocks.get(stream);
    if (!Number.isFinite(clock)) {
      return false;
    }
    this.clocks.set(stream, clock);
    return before === undefined || (clock >= before && clock - before <= MAX_PAUSE_SECONDS);
  }
}

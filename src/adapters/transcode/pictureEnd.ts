import type { Container, SourceVideo } from '../../ports/transcoder.js';
import { inputArguments } from './ffmpegInput.js';
import type { RunTool } from './prober.js';

/** From so long before the end on: no track's packets are further apart, and a keyframe is found before it. */
const LOOK_SECONDS = 10;
const TIMEOUT_SECONDS = 60;
/** How far from its announced end a whole file's last packet may be. */
const WHOLE_SECONDS = 1;
/** Besides a frame: encoders of sound go on for a packet or two, and players do not mind. */
const SLACK_SECONDS = 0.05;
const MAX_LINE_CHARS = 1_000;

/** A file with a picture and sound, by what its container says. */
interface Film {
  readonly container: Container;
  readonly video: SourceVideo;
  /** On the container's own clock. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Where the container says that the picture ends; null where it does not. */
  readonly toldEndSeconds: number | null;
}

/**
 * How long before the film's end its picture ends; 0 where it does not, or nobody can tell. What a container says is
 * believed where it is good news; otherwise the last packets are looked at. They must reach the end: in a file that was
 * cut off, what is missing of the picture is missing of the film.
 */
export async function pictureGapMs(film: Film, ffprobe: RunTool): Promise<number> {
  const { container, video, endSeconds, toldEndSeconds } = film;
  const frameSeconds = video.frameRate.denominator / video.frameRate.numerator;
  const isGap = (pictureEnd: number): boolean => endSeconds - pictureEnd > frameSeconds + SLACK_SECONDS;
  if (toldEndSeconds !== null && !isGap(toldEndSeconds)) return 0;
  const last = new LastPackets(video.streamIndex, frameSeconds);
  try {
    const { exitCode } = await ffprobe(
      ({ inputPath }) =>
        [
          ['-v', 'error', '-hide_banner', '-of', 'compact=nokey=1:print_section=0'],
          ['-read_intervals', `${Math.max(film.startSeconds, endSeconds - LOOK_SECONDS).toFixed(3)}%`],
          ['-show_entries', 'packet=stream_index,pts_time,duration_time'],
          ...inputArguments(container, inputPath),
        ].flat(),
      { timeoutSeconds: TIMEOUT_SECONDS, onStdout: (text) => last.add(text) },
    );
    const { filmEnd, pictureEnd } = last;
    const isWhole = exitCode === 0 && filmEnd > endSeconds - WHOLE_SECONDS;
    return isWhole && pictureEnd > 0 && isGap(pictureEnd) ? Math.round((endSeconds - pictureEnd) * 1_000) : 0;
  } catch {
    return 0;
  }
}

/** Reads ffprobe's lines in any chunks; keeps two numbers. */
class LastPackets {
  filmEnd = Number.NEGATIVE_INFINITY;
  pictureEnd = Number.NEGATIVE_INFINITY;
  private rest = '';

  constructor(
    private readonly pictureIndex: number,
    private readonly frameSeconds: number,
  ) {}

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = (lines.pop() ?? '').slice(-MAX_LINE_CHARS);
    for (const line of lines) this.addLine(line);
  }

  private addLine(line: string): void {
    const [index, pts, duration] = line.trim().split('|').map(Number);
    if (pts === undefined || !Number.isFinite(pts)) return;
    const isPicture = index === this.pictureIndex;
    const end = pts + (duration !== undefined && duration > 0 ? duration : isPicture ? this.frameSeconds : 0);
    this.filmEnd = Math.max(this.filmEnd, end);
    if (isPicture) this.pictureEnd = Math.max(this.pictureEnd, end);
  }
}

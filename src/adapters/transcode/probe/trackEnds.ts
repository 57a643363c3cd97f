import type { Container } from '../../../ports/transcoder.js';
import { inputArguments } from './ffmpegInput.js';
import { Lines } from '../sandbox/lines.js';
import type { RunTool } from './runTool.js';

/** From so long before the end on: no track's packets are further apart, and a keyframe is found before it. */
const LOOK_SECONDS = 10;
const TIMEOUT_SECONDS = 60;
/** How far from its announced end a whole file's last packet may be. */
const WHOLE_SECONDS = 1;
/** Besides a frame: encoders of sound go on for a packet or two, and players do not mind. */
const SLACK_SECONDS = 0.05;

/** A file with a picture and sound, by what its container says. */
export interface Video {
  readonly container: Container;
  /** On the container's own clock. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly tracks: readonly Track[];
}

export interface Track {
  readonly streamIndex: number;
  /** Where the container says that it ends; null where it does not. */
  readonly toldEndSeconds: number | null;
  /** Before which it does not end, by what the container says; null where it does not. */
  readonly leastEndSeconds: number | null;
  /** How long its packets last where they do not say. */
  readonly packetSeconds: number;
}

/**
 * How long before the video's end each of its tracks ends, by their streams; 0 where one does not, or nobody can tell.
 * What a container says is believed where it is good news; otherwise the last packets are looked at. They must reach the
 * end: in a file that was cut off, what is missing of a track is missing of the video.
 */
export async function gapsMs(video: Video, ffprobe: RunTool): Promise<ReadonlyMap<number, number>> {
  const { endSeconds, tracks } = video;
  const isGap = (end: number, { packetSeconds }: Track): boolean => endSeconds - end > packetSeconds + SLACK_SECONDS;
  const doubtful = tracks.filter((track) =>
    [track.toldEndSeconds, track.leastEndSeconds].every((end) => end === null || isGap(end, track)),
  );
  const gaps = new Map<number, number>();
  if (doubtful.length === 0) return gaps;
  const last = await packetsFrom(video, endSeconds - LOOK_SECONDS, ffprobe);
  if (last === null || last.videoEnd <= endSeconds - WHOLE_SECONDS) return gaps;
  for (const track of doubtful) {
    // One that has no packet there ended earlier: when, only the container may know.
    const end = last.ends.get(track.streamIndex) ?? track.toldEndSeconds ?? endSeconds - LOOK_SECONDS;
    if (isGap(end, track)) gaps.set(track.streamIndex, Math.round((endSeconds - end) * 1_000));
  }
  return gaps;
}

/**
 * How long a video with other tracks is, by what is seen and heard of it: text and chapters may go on for longer. Believed
 * of the container where the packets say the same; a file that was cut off is as long as it was.
 */
export async function shownMs(video: Video, announcedMs: number, ffprobe: RunTool): Promise<number> {
  const { startSeconds, endSeconds, tracks } = video;
  const told = tracks.map(({ toldEndSeconds, leastEndSeconds }) => toldEndSeconds ?? leastEndSeconds ?? endSeconds);
  const toldEnd = Math.max(...told);
  if (toldEnd > endSeconds - WHOLE_SECONDS) return announcedMs;
  const last = await packetsFrom(video, toldEnd - LOOK_SECONDS, ffprobe);
  const end = Math.max(...(last?.ends.values() ?? []));
  const isWhole = end >= toldEnd - WHOLE_SECONDS && end < endSeconds;
  return isWhole ? Math.max(1, Math.round((end - startSeconds) * 1_000)) : announcedMs;
}

/** Null where they cannot be read: that shows when the video is made. */
async function packetsFrom(
  { container, startSeconds, tracks }: Video,
  fromSeconds: number,
  ffprobe: RunTool,
): Promise<LastPackets | null> {
  const last = new LastPackets(tracks);
  const lines = new Lines((line) => last.add(line));
  try {
    const { exitCode } = await ffprobe(
      ({ inputPath }) =>
        [
          ['-v', 'error', '-hide_banner', '-of', 'compact=nokey=1:print_section=0'],
          ['-read_intervals', `${Math.max(startSeconds, fromSeconds).toFixed(3)}%`],
          ['-show_entries', 'packet=stream_index,pts_time,duration_time'],
          ...inputArguments(container, inputPath),
        ].flat(),
      { timeoutSeconds: TIMEOUT_SECONDS, onStdout: (text) => lines.add(text) },
    );
    return exitCode === 0 ? last : null;
  } catch {
    return null;
  }
}

/** Reads ffprobe's lines; keeps a number for each track. */
class LastPackets {
  readonly ends = new Map<number, number>();
  videoEnd = Number.NEGATIVE_INFINITY;
  private readonly packetSeconds: ReadonlyMap<number, number>;

  constructor(tracks: readonly Track[]) {
    this.packetSeconds = new Map(tracks.map(({ streamIndex, packetSeconds }) => [streamIndex, packetSeconds]));
  }

  add(line: string): void {
    const [index = -1, pts, duration] = line.split('|').map(Number);
    if (pts === undefined || !Number.isFinite(pts)) return;
    const packetSeconds = this.packetSeconds.get(index);
    const end = pts + (duration !== undefined && duration > 0 ? duration : (packetSeconds ?? 0));
    this.videoEnd = Math.max(this.videoEnd, end);
    if (packetSeconds !== undefined) this.ends.set(index, Math.max(this.ends.get(index) ?? end, end));
  }
}

import type { Container } from '../../../ports/transcoder.js';
import { inputArguments } from './ffmpegInput.js';
import { Lines } from '../sandbox/lines.js';
import type { PacketDuration } from './packetDuration.js';
import type { RunTool } from './runTool.js';

/** Reads the last ten seconds: packets of a track are closer together, and a keyframe comes before them. */
const LOOK_SECONDS = 10;
const TIMEOUT_SECONDS = 60;
/** How far a complete file's last packet may be from the announced end. */
const WHOLE_SECONDS = 1;
/** Besides one frame: audio encoders add a packet or two, and players tolerate it. */
const SLACK_SECONDS = 0.05;

/** A file with a picture and sound, as its container describes it. */
export interface Video {
  readonly container: Container;
  /** In the container's own time. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly tracks: readonly Track[];
}

export interface Track {
  readonly streamIndex: number;
  /** The end that the container declares; null if it declares none. */
  readonly toldEndSeconds: number | null;
  /** The earliest end that the container declares; null if it declares none. */
  readonly leastEndSeconds: number | null;
  /** The duration of packets that declare none. */
  readonly packetSeconds: number;
}

/**
 * By stream: how long before the end of the video each track ends; 0 if it does not, or if it is unknown. A container's
 * declaration is trusted if it reports no gap; otherwise the last packets are read. They must reach the end: if a file
 * was cut off, the video itself is shorter.
 * @param measured the packets, if all of them were read: then nothing else is believed
 */
export async function gapsMs(
  video: Video,
  ffprobe: RunTool,
  measured: PacketDuration | null = null,
): Promise<ReadonlyMap<number, number>> {
  const { endSeconds, tracks } = video;
  const isGap = (end: number, { packetSeconds }: Track): boolean => endSeconds - end > packetSeconds + SLACK_SECONDS;
  const gaps = new Map<number, number>();
  if (measured !== null) {
    for (const track of tracks) {
      const seconds = measured.secondsBeforeEnd(track.streamIndex);
      if (isGap(endSeconds - seconds, track)) gaps.set(track.streamIndex, Math.round(seconds * 1_000));
    }
    return gaps;
  }
  const doubtful = tracks.filter((track) =>
    [track.toldEndSeconds, track.leastEndSeconds].every((end) => end === null || isGap(end, track)),
  );
  if (doubtful.length === 0) return gaps;
  const last = await packetsFrom(video, endSeconds - LOOK_SECONDS, ffprobe);
  if (last === null || last.videoEnd <= endSeconds - WHOLE_SECONDS) return gaps;
  for (const track of doubtful) {
    // A track without a packet there ended earlier; only the container may know when.
    const end = last.ends.get(track.streamIndex) ?? track.toldEndSeconds ?? endSeconds - LOOK_SECONDS;
    if (isGap(end, track)) gaps.set(track.streamIndex, Math.round((endSeconds - end) * 1_000));
  }
  return gaps;
}

/**
 * The length of a video with other tracks, counting only picture and sound: subtitles and chapters may last longer. The
 * container's declaration is shortened only if the packets agree; a file that was cut off keeps its announced length.
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

/** Null if they cannot be read; the encode will show why. */
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

/** Reads ffprobe's lines and keeps one number per track. */
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

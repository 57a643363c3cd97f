import { Lines } from '../sandbox/lines.js';

/** When the clock of a track goes further back, or further ahead, it has jumped. ffmpeg's own limits. */
const JUMP_BACK_SECONDS = 0.1;
const JUMP_AHEAD_SECONDS = 10;

interface Options {
  /** The only ones that count. `packetSeconds` is the duration of packets that declare none. */
  readonly tracks: readonly { readonly streamIndex: number; readonly packetSeconds: number }[];
  /**
   * Whether time continues where the clock jumps, as ffmpeg counts it when it encodes. Discs and joined recordings start
   * a new clock in each part.
   */
  readonly bridgesJumps: boolean;
}

/**
 * Measures a file's duration from its packets, for containers that do not declare it.
 *
 * Takes ffprobe's `compact` lines of `stream_index|pts_time|dts_time|duration_time`, in pieces of any size. Keeps a few
 * numbers for each track, however long the file is.
 */
export class PacketDuration {
  packets = 0;
  private readonly lines = new Lines((line) => this.addLine(line));
  private readonly packetSeconds: ReadonlyMap<number, number>;
  private readonly ends = new Map<number, number>();
  /** By stream: when the next packet is to be decoded. */
  private readonly expected = new Map<number, number>();
  private readonly bridgesJumps: boolean;
  private bridgedSeconds = 0;
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  constructor({ tracks, bridgesJumps }: Options) {
    this.packetSeconds = new Map(tracks.map(({ streamIndex, packetSeconds }) => [streamIndex, packetSeconds]));
    this.bridgesJumps = bridgesJumps;
  }

  add(text: string): void {
    this.lines.add(text);
  }

  /** From the first packet's start to the last one's end; null without packets. */
  seconds(): number | null {
    this.lines.end();
    return this.last > this.first ? this.last - this.first : null;
  }

  /** How long before the last end a track ends; 0 for one without packets. */
  secondsBeforeEnd(streamIndex: number): number {
    return this.last - (this.ends.get(streamIndex) ?? this.last);
  }

  private addLine(line: string): void {
    const [index = -1, pts, dts, duration] = line.split('|').map(Number);
    const packetSeconds = this.packetSeconds.get(index);
    const shown = finite(pts) ?? finite(dts);
    if (packetSeconds === undefined || shown === null) return;
    const lasts = duration !== undefined && duration > 0 ? duration : packetSeconds;
    if (this.bridgesJumps) this.bridge(index, finite(dts) ?? shown, lasts);
    const start = shown + this.bridgedSeconds;
    const end = start + lasts;
    this.packets += 1;
    this.first = Math.min(this.first, start);
    this.last = Math.max(this.last, end);
    this.ends.set(index, Math.max(this.ends.get(index) ?? end, end));
  }

  private bridge(index: number, decoded: number, lasts: number): void {
    const expected = this.expected.get(index);
    const ahead = expected === undefined ? 0 : decoded + this.bridgedSeconds - expected;
    if (ahead < -JUMP_BACK_SECONDS || ahead > JUMP_AHEAD_SECONDS) this.bridgedSeconds -= ahead;
    this.expected.set(index, decoded + this.bridgedSeconds + lasts);
  }
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

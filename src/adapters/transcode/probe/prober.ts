import type { Container, SourceProbe } from '../../../ports/transcoder.js';
import { UnusableSourceError } from '../../../ports/transcoder.js';
import type { ChildResult } from '../sandbox/childProcess.js';
import { refusedDecoders, refusedDecodersMessage } from '../sandbox/decoders.js';
import { ANY_PIXELS, inputArguments, READ_BYTES_PER_SECOND } from './ffmpegInput.js';
import { noVideo, notAccepted } from './notAccepted.js';
import { PacketDuration } from './packetDuration.js';
import { readCaptions, TEXT_ENTRIES, type TextReport } from './probeCaptions.js';
import type { ProbeReport } from './probeReport.js';
import { readReport, refuseAbsurdSize, REPORT_ENTRIES, tooManyStreams, wholeMilliseconds } from './probeReport.js';
import type { RunTool } from './runTool.js';
import { sniffContainer } from './sniff.js';
import { mayBeTheDisk, systemFailure } from '../sandbox/systemFailure.js';
import { gapsMs, shownMs, type Track, type Video } from './trackEnds.js';

const PROBE_TIMEOUT_SECONDS = 60;
/** Time limit for counting packets, besides reading: a day of sound takes seconds. */
const COUNT_BASE_SECONDS = 120;
/** Report without tags: more than any accepted file needs. */
const MAX_REPORT_CHARS = 4 * 1024 * 1024;
const MAX_TEXT_CHARS = 1024 * 1024;

/**
 * Probes a source: its signature, ffprobe's report, and its packets if the report has no duration.
 * @throws UnusableSourceError, TranscoderUnavailableError
 */
export async function probeSource(
  sourcePath: string,
  ffprobe: RunTool,
  maxDurationSeconds: number,
): Promise<SourceProbe> {
  const { container, sizeBytes, head } = await sniffContainer(sourcePath);
  if (container === null) throw await notAccepted(head, ffprobe);
  // ffprobe does not tell the size of a GIF that is too large for it.
  if (container === 'gif' && head.length >= 10) refuseAbsurdSize([head.readUInt16LE(6), head.readUInt16LE(8)]);
  const { told, captions: toRead } = await report(container, ffprobe);
  const { startSeconds, tracks, hasOthers, ...found } = readReport(told, container, sizeBytes);
  const packets = found.durationMs === null ? await countPackets(container, sizeBytes, tracks, ffprobe) : null;
  if (container === 'gif' && packets?.packets === 1) throw noVideo('a GIF with a single picture');
  const videoOf = (ms: number): Video => ({ container, startSeconds, endSeconds: startSeconds + ms / 1_000, tracks });
  const announced = found.durationMs;
  const durationMs =
    announced === null
      ? measuredMs(packets)
      : hasOthers
        ? await shownMs(videoOf(announced), announced, ffprobe)
        : announced;
  if (durationMs === null) {
    throw new UnusableSourceError('NO_DURATION', 'The file has no length: there is nothing in it.');
  }
  if (durationMs > maxDurationSeconds * 1_000) {
    throw new UnusableSourceError(
      'TOO_LONG',
      `The file is longer than ${(maxDurationSeconds / 3_600).toFixed(1)} hours, the most that is accepted.`,
    );
  }
  const { sounds, ...captions } = readCaptions(toRead);
  const { video } = found;
  const hasBoth = video !== null && found.audios.length > 0;
  const gaps = hasBoth ? await gapsMs(videoOf(durationMs), ffprobe, packets) : new Map<number, number>();
  const withEnd = <Track extends { streamIndex: number }>(track: Track) => ({
    ...track,
    endsBeforeMs: gaps.get(track.streamIndex) ?? 0,
  });
  const audios = found.audios.map((audio) => withEnd({ ...audio, ...sounds.get(audio.streamIndex) }));
  return { ...found, video: video && withEnd(video), audio: audios[0] ?? null, audios, durationMs, ...captions };
}

/**
 * Requests everything in one run, because starting a program costs more than its output. Captions must not cause a
 * refusal: if their tags are too large, runs again without them.
 */
async function report(container: Container, ffprobe: RunTool): Promise<{ told: ProbeReport; captions: TextReport }> {
  const all = { entries: `${REPORT_ENTRIES}:${TEXT_ENTRIES}`, maxChars: MAX_REPORT_CHARS + MAX_TEXT_CHARS };
  const whole = await ask(container, ffprobe, all);
  if (whole.result.killedFor !== 'output') {
    const told = read(whole);
    return { told, captions: told };
  }
  return {
    told: read(await ask(container, ffprobe, { entries: REPORT_ENTRIES, maxChars: MAX_REPORT_CHARS })),
    captions: {},
  };
}

interface ProbeRun {
  readonly result: ChildResult;
  readonly output: string;
}

function read({ result, output }: ProbeRun): ProbeReport & TextReport {
  if (result.exitCode !== 0 || result.killedFor !== null) throw refusal(result);
  return JSON.parse(output) as ProbeReport & TextReport;
}

async function ask(
  container: Container,
  ffprobe: RunTool,
  { entries, maxChars }: { entries: string; maxChars: number },
): Promise<ProbeRun> {
  let output = '';
  const result = await ffprobe(
    ({ inputPath }) =>
      [
        ['-v', 'error', '-hide_banner', '-of', 'json', '-show_entries', entries],
        // Allow any size here, so that an error message can name the size of a picture that is too large.
        ...inputArguments(container, inputPath, { maxPixels: ANY_PIXELS }),
      ].flat(),
    { timeoutSeconds: PROBE_TIMEOUT_SECONDS, maxStdoutChars: maxChars, onStdout: (text) => (output += text) },
  );
  return { result, output };
}

/** Reads the whole file, without decoding it. */
async function countPackets(
  container: Container,
  sizeBytes: number,
  tracks: readonly Track[],
  ffprobe: RunTool,
): Promise<PacketDuration> {
  const packets = new PacketDuration({ tracks, bridgesJumps: container === 'mpegps' });
  const result = await ffprobe(
    ({ inputPath }) =>
      [
        ['-v', 'error', '-hide_banner', '-of', 'compact=nokey=1:print_section=0'],
        ['-show_entries', 'packet=stream_index,pts_time,dts_time,duration_time'],
        ...inputArguments(container, inputPath),
      ].flat(),
    {
      timeoutSeconds: COUNT_BASE_SECONDS + sizeBytes / READ_BYTES_PER_SECOND,
      onStdout: (text) => packets.add(text),
    },
  );
  if (result.exitCode !== 0) {
    throw refusal(result);
  }
  return packets;
}

function measuredMs(packets: PacketDuration | null): number | null {
  const seconds = packets?.seconds() ?? null;
  return seconds === null ? null : wholeMilliseconds(seconds);
}

/** ffprobe has a single exit code, so its messages decide. */
function refusal(result: ChildResult): Error {
  const ours = systemFailure(result);
  if (ours) return ours;
  const { stderrTail, killedFor } = result;
  const inDoubt = mayBeTheDisk(result);
  if (stderrTail.includes('moov atom not found')) {
    return new UnusableSourceError(
      'TRUNCATED',
      'The file is incomplete: its table of contents is missing. The recording or the upload was cut off.',
      stderrTail,
      inDoubt,
    );
  }
  const refused = refusedDecoders(stderrTail);
  if (refused.length > 0) {
    return new UnusableSourceError('UNSUPPORTED_CODEC', refusedDecodersMessage(refused), stderrTail);
  }
  if (stderrTail.includes('max_streams')) {
    return tooManyStreams();
  }
  return new UnusableSourceError(
    'UNREADABLE',
    'The file looks like a video or audio file, but its content could not be read.',
    killedFor === null ? stderrTail : `${killedFor}\n${stderrTail}`,
    inDoubt,
  );
}

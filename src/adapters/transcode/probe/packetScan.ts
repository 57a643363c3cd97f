import type { PacketScan, PacketScanRequest } from '../../../ports/packets.js';
import { PassthroughUnfitError } from '../../../ports/packets.js';
import { inputArguments, READ_BYTES_PER_SECOND } from './ffmpegInput.js';
import { Lines } from '../sandbox/lines.js';
import { PictureTally, SoundTally, type Packet } from './packetTally.js';
import type { RunTool } from './runTool.js';

const BASE_TIMEOUT_SECONDS = 120;
const MAX_LINE_CHARS = 10_000;

/**
 * Reads every packet of a source with a picture, without decoding.
 * @throws PassthroughUnfitError if it cannot be read to its end
 */
export async function scanPackets(
  { probe, frameRate }: Pick<PacketScanRequest, 'probe' | 'frameRate'>,
  ffprobe: RunTool,
): Promise<PacketScan> {
  const { video, audio } = probe;
  if (video === null) {
    throw new PassthroughUnfitError('there is no picture');
  }
  const picture = new PictureTally(frameRate);
  const sound = audio && new SoundTally(audio.sampleRate);
  const codecs = new Map<number, { profile: string | null; level: number | null }>();
  const lines = new Lines((line) => {
    const stream = /(?:^|\|)stream\|(\d+)\|([^|]*)\|?(-?\d+)?/.exec(line);
    if (stream) {
      codecs.set(Number(stream[1]), { profile: stream[2] || null, level: stream[3] ? Number(stream[3]) : null });
      return;
    }
    const [section, index, pts, size, flags = ''] = line.split('|');
    if (section !== 'packet') return;
    const packet: Packet = {
      ptsSeconds: Number.parseFloat(pts ?? ''),
      sizeBytes: Number(size),
      isKeyframe: flags.includes('K'),
      isLost: /[DC]/.test(flags),
    };
    if (Number(index) === video.streamIndex) picture.add(packet);
    else if (Number(index) === audio?.streamIndex) sound?.add(packet);
  }, MAX_LINE_CHARS);
  const { exitCode, stderrTail } = await ffprobe(
    ({ inputPath }) =>
      [
        ['-v', 'error', '-hide_banner', '-of', 'compact=nokey=1'],
        ['-show_entries', 'packet=stream_index,pts_time,size,flags:stream=index,profile,level'],
        ...inputArguments(probe.container, inputPath),
      ].flat(),
    {
      onStdout: (text) => lines.add(text),
      timeoutSeconds: BASE_TIMEOUT_SECONDS + probe.sizeBytes / READ_BYTES_PER_SECOND,
    },
  );
  if (exitCode !== 0 || stderrTail.trim() !== '') {
    throw new PassthroughUnfitError(`the packets could not be read without a complaint: ${stderrTail.trim()}`);
  }
  lines.end();
  const unknown = { profile: null, level: null };
  const soundProfile = audio && (codecs.get(audio.streamIndex) ?? unknown).profile;
  return {
    picture: { ...(codecs.get(video.streamIndex) ?? unknown), ...picture.facts() },
    sound: sound && { profile: soundProfile, ...sound.facts() },
  };
}

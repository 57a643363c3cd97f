import { UnusableSourceError } from '../../../ports/transcoder.js';
import type { RunTool } from './runTool.js';

const TIMEOUT_SECONDS = 20;
/** ffprobe rates what it recognizes from 0 to 100. Below this, it guesses. */
const MIN_SCORE = 50;

/** Files that people upload by mistake, by their first bytes. ffprobe does not know most of them. */
const MARKS: readonly [mark: string | RegExp, name: string][] = [
  ['%PDF-', 'a PDF'],
  [/^PK.{28}(\[Content_Types\]|_rels\/|docProps\/|word\/|xl\/|ppt\/)/s, 'an Office document'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['Rar!', 'a RAR archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['\x1f\x8b', 'a gzip archive'],
  [/^(MZ|\x7fELF)/, 'a program'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['\x89PNG', 'a PNG picture'],
  [/^RIFF.{4}WEBP/s, 'a WebP picture'],
  [/^BM.{4}\0{4}/s, 'a BMP picture'],
  [/^(II\*\0|MM\0\*)/, 'a TIFF or raw picture'],
  [/^.{4}ftyp(heic|heix|mif1)/s, 'a HEIC picture'],
  [/^.{4}ftypavif/s, 'an AVIF picture'],
  [/^(<\?xml[^>]*\?>\s*)?<svg/i, 'an SVG picture'],
  [/^<(!doctype html|html)/i, 'a web page'],
];

const PLAYLIST = /^(#EXTM3U|ffconcat|<\?xml[^>]*\?>\s*<MPD|<MPD|v=0\r?\n|\[playlist\]|\[Reference\]|<asx)/i;
const PLAYLIST_FORMATS = new Set(['hls', 'dash', 'concat', 'sdp', 'imf']);

/** Formats that ffprobe recognizes and that are not accepted, by its own names. */
const FORMATS: Readonly<Record<string, string>> = {
  ac3: 'an AC-3 file',
  aiff: 'an AIFF file',
  amr: 'an AMR recording',
  ape: 'a Monkey’s Audio file',
  au: 'an AU sound file',
  caf: 'a CAF file',
  dts: 'a DTS file',
  eac3: 'an E-AC-3 file',
  h264: 'an H.264 stream without a container',
  hevc: 'an H.265 stream without a container',
  ivf: 'an IVF file',
  m4v: 'an MPEG-4 stream without a container',
  mpc: 'a Musepack file',
  mpc8: 'a Musepack file',
  mpegvideo: 'an MPEG video stream without a container',
  nut: 'a NUT file',
  rm: 'a RealMedia file',
  swf: 'a Flash animation (SWF)',
  tta: 'a TTA file',
  w64: 'a Wave64 file',
  wtv: 'a Windows TV recording (WTV)',
  wv: 'a WavPack file',
  yuv4mpegpipe: 'uncompressed video (Y4M)',
};

const SUBTITLES: Readonly<Record<string, string>> = { ass: 'ASS', srt: 'SRT', webvtt: 'WebVTT' };

/** A file of a format that is not accepted. The refusal names the format if ffprobe or the first bytes tell it. */
export async function notAccepted(head: Buffer, ffprobe: RunTool): Promise<UnusableSourceError> {
  const text = head.toString('latin1');
  const trimmed = text.trimStart();
  if (PLAYLIST.test(trimmed)) return playlist();
  const marked = MARKS.find(([mark]) => (typeof mark === 'string' ? text.startsWith(mark) : mark.test(trimmed)));
  if (marked) return noVideo(marked[1]);
  const format = await recognizedFormat(ffprobe);
  if (format === null) {
    return new UnusableSourceError(
      'NOT_MEDIA',
      'This is not a video or audio file that can be read here. MP4, MOV, MKV, WebM, MPEG-TS, MPEG-PS, AVI, FLV, WMV, MXF, DV, animated GIF, MP3, AAC, WAV, FLAC and Ogg can be.',
    );
  }
  if (PLAYLIST_FORMATS.has(format)) return playlist();
  if (format.endsWith('_pipe')) return noVideo('a picture');
  const subtitles = SUBTITLES[format];
  if (subtitles !== undefined) return noVideo(`a subtitle file (${subtitles})`);
  const name = FORMATS[format] ?? `a file in the format “${format}”`;
  return new UnusableSourceError(
    'NOT_MEDIA',
    `This is ${name}, which is not accepted. Convert it to MP4, and upload it again.`,
  );
}

/** @param name what the file is, with its article */
export function noVideo(name: string): UnusableSourceError {
  return new UnusableSourceError('NOT_MEDIA', `This is ${name}, not a video. Upload a video or audio file.`);
}

function playlist(): UnusableSourceError {
  return new UnusableSourceError(
    'PLAYLIST',
    'This is a playlist, not a video: it only points at other files. Upload the video itself.',
  );
}

/**
 * The name of the demuxer that ffprobe would choose. No demuxer is on its list, so it recognizes the format by the
 * first bytes and then stops: nothing parses the file, and nothing it refers to is opened.
 */
async function recognizedFormat(ffprobe: RunTool): Promise<string | null> {
  const { stderrTail } = await ffprobe(
    ({ inputPath }) =>
      [
        ['-v', 'debug', '-hide_banner', '-protocol_whitelist', 'file,pipe', '-format_whitelist', 'none'],
        ['-i', `file:${inputPath}`],
      ].flat(),
    { timeoutSeconds: TIMEOUT_SECONDS, onStdout: () => undefined },
  );
  const [, name, score] = /Format ([\w.-]{1,40})\S{0,100} probed with size=\d+ and score=(\d+)/.exec(stderrTail) ?? [];
  return name !== undefined && Number(score) >= MIN_SCORE ? name : null;
}

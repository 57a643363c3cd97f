import type { Container } from '../../../ports/transcoder.js';

/*
 * The decoders that ffmpeg and ffprobe may open. ffmpeg has some five hundred, most of them unmaintained ones for games
 * and discs of the nineties, and the file chooses among them. This list covers what cameras, phones, editors,
 * broadcasters and common converters have written into the accepted containers.
 *
 * The names are ffmpeg's decoder names, not formats: a format can have several decoders, and each build has some of
 * them. Hardware decoders are left out, because the sandbox has no graphics card.
 */

const PICTURES = [
  ['h264', 'hevc', 'vvc', 'libdav1d', 'libaom-av1', 'av1', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'theora'],
  ['mpeg1video', 'mpeg2video', 'mpegvideo', 'mpeg4', 'h263', 'h263p', 'msmpeg4v1', 'msmpeg4v2', 'msmpeg4'],
  ['wmv1', 'wmv2', 'wmv3', 'vc1'],
  ['prores', 'dnxhd', 'cfhd', 'dvvideo', 'mjpeg', 'qtrle', 'ffv1', 'utvideo', 'rawvideo', 'v210'],
].flat();

/** Codecs of screen and game recorders, capture cards and their editors. */
const CAPTURES = [
  ['camtasia', 'tscc2', 'camstudio', 'zmbv', 'fraps', 'dxtory', 'vmnc', 'screenpresso'],
  ['msrle', 'msvideo1', 'mss1', 'mss2'],
  ['huffyuv', 'ffvhuff', 'lagarith', 'magicyuv', 'hq_hqa', 'hqx', 'cllc'],
  ['r210', 'v308', 'v408', 'v410'],
].flat();

const SOUNDS = [
  ['aac', 'aac_latm', 'mp1float', 'mp1', 'mp2float', 'mp2', 'mp3float', 'mp3', 'opus', 'libopus'],
  ['vorbis', 'libvorbis', 'speex', 'libspeex', 'flac', 'alac', 'wavpack'],
  ['ac3', 'eac3', 'dca', 'truehd', 'mlp', 's302m', 'wmav1', 'wmav2', 'wmapro'],
  ['amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb', 'adpcm_ima_qt', 'adpcm_ima_wav', 'adpcm_ms'],
  ['pcm_alaw', 'pcm_mulaw', 'pcm_bluray', 'pcm_dvd', 'pcm_s8', 'pcm_u8'],
  ['pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ['pcm_f32le', 'pcm_f32be', 'pcm_f64le', 'pcm_f64be'],
].flat();

/**
 * ffprobe opens a decoder for each track and fails if it may not. A track that is never shown must not fail a good
 * video.
 */
const SUBTITLES = [
  ['ass', 'ssa', 'srt', 'subrip', 'mov_text', 'text', 'webvtt'],
  ['cc_dec', 'dvbsub', 'dvdsub', 'pgssub', 'xsub', 'libzvbi_teletextdec', 'libaribb24', 'libaribcaption'],
].flat();
const COVERS = ['bmp', 'gif', 'png', 'tiff', 'webp'];

/** Codecs that come in Flash videos only. */
const FLASH = ['flv', 'vp6f', 'vp6a', 'nellymoser', 'adpcm_swf'];

/** For uploads: pictures, sound, and other tracks. */
export const VIDEO_DECODERS: readonly string[] = [...PICTURES, ...CAPTURES, ...SOUNDS, ...SUBTITLES, ...COVERS];

/** For uploads in a container. */
export function decodersFor(container: Container): readonly string[] {
  return container === 'flv' ? [...VIDEO_DECODERS, ...FLASH] : VIDEO_DECODERS;
}

/** For pictures that were encoded here. */
export const OWN_PICTURE_DECODERS: readonly string[] = ['h264'];

/** @returns decoders that were refused, according to a log */
export function refusedDecoders(log: string): string[] {
  return [...new Set([...log.matchAll(/Codec \(([\w.-]{1,40})\) not on whitelist/g)].map(([, name = '']) => name))];
}

/** What the owner of a file that needs them is told. */
export function refusedDecodersMessage(names: readonly string[]): string {
  return `The file has a track in a format that is not accepted: ${names.join(', ')}. Convert it to H.264 with AAC, and upload it again.`;
}

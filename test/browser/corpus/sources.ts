import { rename } from 'node:fs/promises';
import { join } from 'node:path';

import { ffmpeg } from '../../support/media.js';
import { IS_FULL } from '../../support/effort.js';
import { REAL_SIZES } from './realSizes.js';
import { AAC, made, MEDIUM, picture, sound, X264, type Picture, type Source } from './source.js';

function video(name: string, encoders: string[], shown: Picture = {}, framesPerSecond = 25): Source {
  return made(name, framesPerSecond, ...picture(shown), ...sound(), ...encoders);
}

function heard(name: string, encoders: string[], layout = 'stereo', rate = 48_000): Source {
  return made(name, 25, ...picture(), ...sound({ layout, rate }), ...X264, ...encoders);
}

/** A video that is made in two passes: the second processes the finished file. */
function again(name: string, framesPerSecond: number, first: string[], second: string[]): Source {
  return {
    name,
    framesPerSecond,
    make: async (path) => {
      const before = `${path}.before${path.slice(path.lastIndexOf('.'))}`;
      await ffmpeg(...first, before);
      await ffmpeg('-i', before, ...second, path);
    },
  };
}

const rate = (name: string, ticks: string, framesPerSecond: number): Source =>
  video(name, [...X264, ...AAC], { rate: ticks }, framesPerSecond);
const turned = (degrees: number): Source =>
  again(
    `turned by ${degrees}.mp4`,
    25,
    [...picture(), ...sound(), ...X264, ...AAC],
    ['-c', 'copy', '-metadata:s:v:0', `rotate=${degrees}`],
  );

const HOURS_SECONDS = 7200;
/** Without sound: two hours of sound alone take a minute or two to encode. */
const SMALL_HOURS: Picture = { size: '64x36', rate: '1', seconds: HOURS_SECONDS };

/**
 * The frame rate of cinema, at which no second begins with a frame, so that drift shows at the end. A flat picture, to
 * save time.
 */
function longVideo(name: string, seconds: number, pixels = 'yuv420p'): Source {
  const shown = picture({ size: '1280x48', rate: '24000/1001', seconds });
  const encoders = [...X264, '-pix_fmt', pixels, '-crf', '35', '-g', '48', ...AAC];
  const source = made(name, 24_000 / 1001, ...shown, ...sound({ seconds }), ...encoders);
  return { ...source, durationSeconds: seconds, inChunks: true };
}

const UNEVEN = ["select='not(mod(n,3))+gt(mod(n,40),20)'"];

export const SOURCES: readonly Source[] = [
  // Codecs, each in its usual containers.
  video('h264.mp4', [...X264, ...AAC]),
  video('h264.mov', [...X264, '-c:a', 'pcm_s16le']),
  video('h264.mkv', [...X264, '-c:a', 'libvorbis']),
  video('h264.ts', [...X264, ...AAC]),
  video('h264.avi', [...X264, '-bf', '0', '-c:a', 'libmp3lame']),
  video('hevc.mp4', [
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-x265-params',
    'log-level=none',
    '-tag:v',
    'hvc1',
    ...AAC,
  ]),
  video('hevc.mkv', ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-c:a', 'ac3']),
  video('hevc.ts', ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', ...AAC]),
  video('vp9.webm', ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus']),
  video('vp8.webm', ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libvorbis']),
  video('av1.mp4', ['-c:v', 'libsvtav1', '-preset', '12', ...AAC]),
  video('av1.webm', ['-c:v', 'libsvtav1', '-preset', '12', '-c:a', 'libopus']),
  video('mpeg2.ts', ['-c:v', 'mpeg2video', '-b:v', '2M', '-c:a', 'mp2']),
  video('mpeg2.mkv', ['-c:v', 'mpeg2video', '-b:v', '2M', '-c:a', 'ac3']),
  video('mpeg4.avi', ['-c:v', 'mpeg4', '-b:v', '2M', '-c:a', 'libmp3lame']),
  video('prores.mov', ['-c:v', 'prores_ks', '-profile:v', '0', '-c:a', 'pcm_s24le']),
  video('mjpeg.mov', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le']),
  video('mjpeg.avi', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj422p', '-c:a', 'pcm_s16le']),

  ...REAL_SIZES,

  // Frame rates, constant and variable, and interlacing.
  rate('23.976.mp4', '24000/1001', 24_000 / 1001),
  rate('24.mkv', '24', 24),
  rate('29.97.mov', '30000/1001', 30_000 / 1001),
  rate('50.mp4', '50', 50),
  rate('59.94.ts', '60000/1001', 60_000 / 1001),
  rate('60.mkv', '60', 60),
  rate('120, halved.mp4', '120', 60),
  rate('10.mp4', '10', 10),
  video('variable.mp4', ['-fps_mode', 'vfr', ...X264, ...AAC], { rate: '30', filters: UNEVEN }, 30),
  video('variable.mkv', ['-fps_mode', 'vfr', ...X264, ...AAC], { rate: '30', filters: UNEVEN }, 30),
  video('interlaced.mp4', [...X264, '-flags', '+ilme+ildct', ...AAC], {
    size: '160x96',
    rate: '50',
    filters: ['interlace'],
  }),
  video('interlaced.ts', ['-c:v', 'mpeg2video', '-b:v', '2M', '-flags', '+ilme+ildct', '-c:a', 'mp2'], {
    rate: '50',
    filters: ['interlace'],
  }),

  // Shapes and colors.
  turned(90),
  turned(180),
  turned(270),
  video('portrait.mp4', [...X264, ...AAC], { size: '90x160' }),
  video('anamorphic.mp4', [...X264, ...AAC], { size: '288x216', filters: ['setsar=64/45'] }),
  video('odd sizes.mkv', ['-c:v', 'ffv1', '-pix_fmt', 'yuv444p', ...AAC], { size: '161x91' }),
  video('4 to 3, tiny.mp4', [...X264, ...AAC], { size: '64x48' }),
  video('a full ladder.mp4', [...X264, ...AAC], { size: '1280x720' }),
  {
    ...video('a keyframe every two seconds.mp4', [...MEDIUM, '-g', '50', '-sc_threshold', '0', ...AAC], {
      size: '1280x720',
    }),
    copied: ['720p', 'audio'],
  },
  video('10 bit.mkv', ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', ...AAC]),
  video('4 2 2.mov', ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv422p', ...AAC]),
  video('hdr10.mp4', [
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p10le',
    '-tag:v',
    'hvc1',
    '-x265-params',
    'log-level=none:hdr-opt=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400',
    ...AAC,
  ]),

  // Sound.
  heard('mono.mp4', AAC, 'mono'),
  heard('44.1 kHz.mp4', AAC, 'stereo', 44_100),
  heard('8 kHz mono.mov', ['-c:a', 'pcm_mulaw'], 'mono', 8_000),
  heard('5.1.mkv', ['-c:a', 'ac3'], '5.1'),
  heard('5.1.mp4', AAC, '5.1'),
  heard('7.1.mkv', ['-c:a', 'flac'], '7.1'),
  made('silent video.mp4', 25, ...picture(), ...X264),
  made('sound.mp3', null, ...sound()),
  made('sound.flac', null, ...sound()),
  made('sound.wav', null, ...sound({ layout: '5.1' })),
  made('sound.ogg', null, ...sound(), '-c:a', 'libopus'),
  made('sound.m4a', null, ...sound(), ...AAC),

  // Tracks, start times, and container variants.
  made(
    'several tracks.mkv',
    25,
    ...picture(),
    ...sound(),
    ...sound({ layout: 'mono' }),
    ...picture({ size: '64x36' }),
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '2',
    '-map',
    '3',
    ...X264,
    ...AAC,
    '-metadata:s:a:0',
    'language=eng',
    '-metadata:s:a:1',
    'language=hin',
  ),
  again(
    'starts at an hour.ts',
    25,
    [...picture(), ...sound(), ...X264, ...AAC],
    ['-c', 'copy', '-output_ts_offset', '3600'],
  ),
  again(
    'starts at five seconds.mkv',
    25,
    [...picture(), ...sound(), ...X264, ...AAC],
    ['-c', 'copy', '-output_ts_offset', '5'],
  ),
  {
    ...made('picture late.mp4', 25, '-itsoffset', '1.5', ...picture(), ...sound(), ...X264, ...AAC),
    durationSeconds: 9.5,
  },
  {
    ...made('sound late.mkv', 25, ...picture(), '-itsoffset', '1.5', ...sound(), ...X264, ...AAC),
    durationSeconds: 9.5,
  },
  video('fragmented.mp4', [...X264, ...AAC, '-movflags', 'frag_keyframe+empty_moov+default_base_moof']),
  video('open groups.mkv', [...X264, '-g', '50', '-bf', '3', '-x264opts', 'open-gop=1', ...AAC]),
  video('one keyframe.mp4', [...X264, '-g', '10000', '-sc_threshold', '0', ...AAC]),
  // A pixel format that cannot be passed through, so it is cut at constant intervals.
  longVideo('a quarter of an hour.mp4', 900, 'yuv422p'),
  IS_FULL
    ? { ...longVideo('two hours.mp4', HOURS_SECONDS), copied: ['720p', 'audio'] }
    : { ...made('two hours.mp4', 1, ...picture(SMALL_HOURS), ...X264), durationSeconds: HOURS_SECONDS },
];

/** Makes a source in the folder, under its name. @returns its path */
export async function makeSource(folder: string, source: Source): Promise<string> {
  const path = join(folder, source.name);
  const half = join(folder, `half of ${source.name}`);
  await source.make(half);
  await rename(half, path);
  return path;
}

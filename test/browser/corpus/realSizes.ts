import { AAC, made, MEDIUM, picture, sound, X264, type Picture, type Source } from './source.js';

const REAL_SECONDS = 3;
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-pix_fmt', 'yuv420p'];
const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-row-mt', '1', '-pix_fmt', 'yuv420p'];
const AV1 = ['-c:v', 'libsvtav1', '-preset', '12', '-pix_fmt', 'yuv420p'];
const OPUS = ['-c:a', 'libopus'];
const INTERLACED = { rate: '50', filters: ['interlace'] };

/** A picture of a real-world size, kept short: all of its pixels are encoded up to five times. */
function real(name: string, size: string, encoders: string[], shown: Picture = {}, framesPerSecond = 25): Source {
  const beats = { seconds: REAL_SECONDS, beatSeconds: 1 };
  const source = made(name, framesPerSecond, ...picture({ size, ...shown, ...beats }), ...sound(beats), ...encoders);
  return { ...source, durationSeconds: REAL_SECONDS };
}

/** Real-world sizes: levels, memory and the ladder depend on the size, so faults in them show only here. */
export const REAL_SIZES: readonly Source[] = [
  real('h264, 480p.mp4', '854x480', [...X264, ...AAC]),
  real('h264, 720p.mov', '1280x720', [...MEDIUM, '-c:a', 'pcm_s16le']),
  real('h264, 1366 by 768.mkv', '1366x768', [...X264, '-c:a', 'libvorbis']),
  real('h264, 1080p.mp4', '1920x1080', [...MEDIUM, ...AAC]),
  real('h264, 1080p at 50.ts', '1920x1080', [...X264, ...AAC], { rate: '50' }, 50),
  real('h264, 1080i.ts', '1920x1080', [...X264, '-flags', '+ilme+ildct', ...AAC], INTERLACED),
  real('h264, 1080p portrait.mp4', '1080x1920', [...X264, ...AAC]),
  real('h264, 2160p.mp4', '3840x2160', [...X264, ...AAC]),
  real('hevc, 480p.mkv', '854x480', [...X265, '-c:a', 'ac3']),
  real('hevc, 1080p.mp4', '1920x1080', [...X265, '-tag:v', 'hvc1', ...AAC]),
  real('hevc, 2160p portrait.mp4', '2160x3840', [...X265, '-tag:v', 'hvc1', ...AAC]),
  real('vp8, 480p.webm', '640x480', ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libvorbis']),
  real('vp9, 720p.webm', '1280x720', [...VP9, ...OPUS]),
  real('vp9, 1080p.webm', '1920x1080', [...VP9, ...OPUS]),
  real('vp9, 2160p.webm', '3840x2160', [...VP9, ...OPUS]),
  real('av1, 720p.webm', '1280x720', [...AV1, ...OPUS]),
  real('av1, 1080p.mp4', '1920x1080', [...AV1, ...AAC]),
  real('av1, 2160p portrait.mp4', '2160x3840', [...AV1, ...AAC]),
  real('mpeg2, 576i.ts', '720x576', ['-c:v', 'mpeg2video', '-b:v', '6M', '-flags', '+ilme+ildct', '-c:a', 'mp2'], {
    rate: '50',
    filters: ['interlace', 'setsar=64/45'],
  }),
  real('mpeg2, 1080p.ts', '1920x1080', ['-c:v', 'mpeg2video', '-b:v', '20M', '-c:a', 'ac3']),
  real('mpeg4, 480p.avi', '640x480', ['-c:v', 'mpeg4', '-b:v', '3M', '-c:a', 'libmp3lame']),
  real('prores, 1080p.mov', '1920x1080', ['-c:v', 'prores_ks', '-profile:v', '0', '-c:a', 'pcm_s24le']),
  real('prores, 2160p.mov', '3840x2160', ['-c:v', 'prores_ks', '-profile:v', '0', '-c:a', 'pcm_s24le']),
  real('mjpeg, 720p.avi', '1280x720', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj422p', '-c:a', 'pcm_s16le']),
];

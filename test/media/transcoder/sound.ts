import { ffmpegLog, ffprobe } from '../../support/media.js';

/** The loudness of a file, measured with other arguments than those under test. */
export async function loudnessOf(
  path: string,
): Promise<{ integratedLufs: number; truePeakDbtp: number; sampleRate: number }> {
  const log = await ffmpegLog('-i', path, '-af', 'loudnorm=print_format=json', '-f', 'null', '-');
  const { input_i: loudness, input_tp: peak } = JSON.parse(log.slice(log.lastIndexOf('{'), log.lastIndexOf('}') + 1));
  const rate = await ffprobe('-of', 'csv=p=0', '-show_entries', 'stream=sample_rate', path);
  return { integratedLufs: numberOf(loudness), truePeakDbtp: numberOf(peak), sampleRate: Number(rate.trim()) };
}

/** By ffmpeg's other meter. The range is how far quiet and loud passages are apart. */
export async function ebur128Of(
  path: string,
): Promise<{ integratedLufs: number; rangeLu: number; truePeakDbtp: number }> {
  const log = await ffmpegLog('-i', path, '-af', 'ebur128=peak=true:framelog=verbose', '-f', 'null', '-');
  const summary = log.slice(log.lastIndexOf('Summary:'));
  const value = (pattern: RegExp): number => Number.parseFloat(pattern.exec(summary)?.[1] ?? '');
  return {
    integratedLufs: value(/\bI: +(\S+) LUFS/),
    rangeLu: value(/LRA: +(\S+) LU/),
    truePeakDbtp: value(/Peak: +(\S+) dBFS/),
  };
}

function numberOf(text: string): number {
  return text === '-inf' ? -Infinity : Number(text);
}

/** When sound is first and last heard. */
export async function heard(path: string): Promise<{ fromSeconds: number; toSeconds: number }> {
  const log = await ffmpegLog('-i', path, '-af', 'silencedetect=noise=-50dB:d=0.1', '-f', 'null', '-');
  const times = (name: string): number[] =>
    [...log.matchAll(new RegExp(`silence_${name}: (-?[\\d.]+)`, 'g'))].map(([, time]) => Number(time));
  const [first = 0] = times('end');
  return { fromSeconds: first, toSeconds: times('start').at(-1) ?? Number.NaN };
}

/** The frequency of a tone, from its zero crossings in half a second, to the nearest 20 Hz. */
export async function toneHz(path: string, fromSeconds: number): Promise<number> {
  const cut = `atrim=start=${fromSeconds}:duration=0.5,astats=measure_overall=none:measure_perchannel=Zero_crossings`;
  const log = await ffmpegLog('-i', path, '-af', cut, '-f', 'null', '-');
  const [, crossings = ''] = /Zero crossings: (\d+)/.exec(log) ?? [];
  return Math.round(Number(crossings) / 20) * 20;
}

import type { FrameRate } from '../../../ports/transcoder.js';

/** '00:00:08.023000000' */
export function clockSeconds(text: string | undefined): number | null {
  const [, hours, minutes, secondsOf] = /^(\d{2,4}):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(text ?? '') ?? [];
  return secondsOf === undefined ? null : Number(hours) * 3_600 + Number(minutes) * 60 + Number(secondsOf);
}

export function frameRate(text: string | undefined): FrameRate | null {
  const parsed = ratio(text, '/');
  return parsed === null ? null : { numerator: parsed.up, denominator: parsed.down };
}

export function perSecond({ numerator, denominator }: FrameRate): number {
  return numerator / denominator;
}

/** '30000/1001' or '64:45'; null for '0/0' and '0:1', ffmpeg's words for unknown. */
export function ratio(text: string | undefined, separator: string): { up: number; down: number } | null {
  const [up, down] = (text ?? '').split(separator).map(Number);
  return up !== undefined && down !== undefined && up > 0 && down > 0 ? { up, down } : null;
}

export function positive(text: string | undefined): number | null {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : null;
}

export function seconds(text: string | undefined): number | null {
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

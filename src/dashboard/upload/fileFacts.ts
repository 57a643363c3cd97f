import { microsOf } from '../lib/credits.js';
import { feasible, ratePerMinute, type Choice, type PriceList } from '../processing/choice.js';
import { QUALITIES } from '../lib/videoStates.js';
import type { Quality } from '../generated/graphql.js';

/** What the browser reads in a file before it is sent. The service measures it again, exactly, after the upload. */
export interface FileFacts {
  readonly durationSeconds: number;
  /** Zero for sound alone. */
  readonly width: number;
  readonly height: number;
}

const SHORT_SIDE: Readonly<Partial<Record<Quality, number>>> = { P720: 720, P1080: 1080, P1440: 1440, P2160: 2160 };
const MS_PER_MINUTE = 60_000n;

/** About what a file will cost, in micro-credits: at most the quality that its picture supports is charged. */
export function estimateMicros(choice: Choice, facts: FileFacts, prices: PriceList): bigint {
  const best = QUALITIES.indexOf(supportedQuality(facts));
  const quality = QUALITIES[Math.min(best, QUALITIES.indexOf(choice.quality))]!;
  const rate = microsOf(ratePerMinute(feasible({ ...choice, quality }), prices));
  return (BigInt(Math.round(facts.durationSeconds * 1000)) * rate) / MS_PER_MINUTE;
}

/** The same rule as the service's: the largest quality whose long or short side the picture reaches. */
function supportedQuality({ width, height }: FileFacts): Quality {
  if (width === 0 || height === 0) return 'AUDIO';
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  const reached = QUALITIES.filter((quality) => {
    const side = SHORT_SIDE[quality];
    return side !== undefined && (short >= side || long * 9 >= side * 16);
  });
  return reached.at(-1) ?? 'P480';
}

/** Reads the facts; null for files that this browser cannot open, such as MKV or AVI in most. */
export function readFileFacts(file: File): Promise<FileFacts | null> {
  const address = URL.createObjectURL(file);
  const media = document.createElement('video');
  return new Promise<FileFacts | null>((resolve) => {
    media.preload = 'metadata';
    media.muted = true;
    media.addEventListener('loadedmetadata', () => {
      const { duration, videoWidth: width, videoHeight: height } = media;
      // A file that a browser recorded has no length until it is read to its end.
      resolve(Number.isFinite(duration) && duration > 0 ? { durationSeconds: duration, width, height } : null);
    });
    media.addEventListener('error', () => resolve(null));
    media.src = address;
  }).finally(() => {
    media.removeAttribute('src');
    media.load();
    URL.revokeObjectURL(address);
  });
}

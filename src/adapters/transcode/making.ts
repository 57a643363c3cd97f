import type {
  EncodedPartRung,
  EncodedRung,
  EncodePartRequest,
  EncodeRequest,
  RungMaking,
} from '../../ports/transcoder.js';
import { comparedRungs, meanLikeness, measureLikeness } from './likeness.js';
import { profileOf, SAME } from './profiles.js';
import type { RunProgram } from './runProgram.js';
import { chooseSamples, samplesOfPart } from './samples.js';

export interface Making {
  preset: string;
  ffmpegVersion: string;
  runFfmpeg: RunProgram;
}

/** Finished rungs, with how each was made. @throws only the signal's reason. */
export async function withMaking(
  request: EncodeRequest,
  encoded: readonly EncodedRung[],
  { preset, ffmpegVersion, runFfmpeg }: Making,
): Promise<EncodedRung[]> {
  const compared = await comparedRungs(request.rungs, request.outputDir);
  const samples = chooseSamples(compared[0]?.segments ?? []);
  const found = await measureLikeness(request, compared, samples, runFfmpeg);
  return encoded.map((rung, index) => {
    const wanted = request.rungs[index]!;
    const likeness = wanted.copy === true ? SAME : (found.get(rung.quality) ?? null);
    return { ...rung, making: { profile: profileOf(wanted, preset), ffmpegVersion, likeness } };
  });
}

/** The same of a part: held against the source are those of the film's samples that lie in it. */
export async function withPartMaking(
  request: EncodePartRequest,
  encoded: readonly EncodedPartRung[],
  { preset, ffmpegVersion, runFfmpeg }: Making,
): Promise<EncodedPartRung[]> {
  const { rungs, part, probe, outputDir, borders = null } = request;
  const samples = samplesOfPart(part, { rate: rungs[0]!.frameRate, borders }, probe.durationMs);
  const compared = samples.length === 0 ? [] : await comparedRungs(rungs, outputDir);
  const found = await measureLikeness(request, compared, samples, runFfmpeg);
  return encoded.map((rung, index) => {
    const likeness = found.get(rung.quality) ?? null;
    return { ...rung, making: { profile: profileOf(rungs[index]!, preset), ffmpegVersion, likeness } };
  });
}

/** How a rung was made whose parts were made like this, perhaps on several machines. */
export function joinedMaking(parts: readonly RungMaking[]): RungMaking {
  const namesOf = (key: 'profile' | 'ffmpegVersion'): string => [...new Set(parts.map((part) => part[key]))].join(', ');
  return {
    profile: namesOf('profile'),
    ffmpegVersion: namesOf('ffmpegVersion'),
    likeness: meanLikeness(parts.flatMap(({ likeness }) => likeness ?? [])),
  };
}

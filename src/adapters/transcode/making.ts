import type { EncodedRung, EncodeRequest } from '../../ports/transcoder.js';
import { comparedRungs, measureLikeness } from './likeness.js';
import { profileOf, SAME } from './profiles.js';
import type { RunProgram } from './runProgram.js';

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
  const found = await measureLikeness(request, await comparedRungs(request, encoded), runFfmpeg);
  return encoded.map((rung, index) => {
    const wanted = request.rungs[index]!;
    const likeness = wanted.copy === true ? SAME : (found.get(rung.quality) ?? null);
    return { ...rung, making: { profile: profileOf(wanted, preset), ffmpegVersion, likeness } };
  });
}

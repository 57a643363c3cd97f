import type { Failure } from '../domain/media/pipeline/attempt.service.js';
import { EncodeFailedError, UnusableSourceError } from '../ports/transcoder.js';

/** Where trying again would give the same; null where it may help, because the fault is ours. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof UnusableSourceError) return { code: 'UNUSABLE_SOURCE', message: error.message };
  if (error instanceof EncodeFailedError && error.code !== 'OUT_OF_DISK') {
    return { code: error.code === 'ENCODER_FAILED' ? 'PROCESSING_FAILED' : error.code, message: error.message };
  }
  if (error instanceof ChunkFailedError) return error.failure;
  return null;
}

/** Whether it may be the disk's, and is to be believed when it happens again. */
export function isInDoubt(error: unknown): boolean {
  return (error instanceof UnusableSourceError || error instanceof EncodeFailedError) && error.inDoubt;
}

/** For logs only. */
export function technicalTailOf(error: unknown): string {
  return error instanceof UnusableSourceError || error instanceof EncodeFailedError ? error.technicalTail : '';
}

/** Somebody who helped found out that the video cannot be made. */
export class ChunkFailedError extends Error {
  override readonly name = 'ChunkFailedError';

  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

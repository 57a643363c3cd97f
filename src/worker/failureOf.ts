import type { Failure } from '../domain/media/pipeline/attempt.service.js';
import { EncodeFailedError, UnusableSourceError } from '../ports/transcoder.js';

/** The failure, if a retry would end the same way; null if a retry may help because the service is at fault. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof UnusableSourceError) return { code: 'UNUSABLE_SOURCE', message: error.message };
  if (error instanceof EncodeFailedError && error.code !== 'OUT_OF_DISK') {
    return { code: error.code === 'ENCODER_FAILED' ? 'PROCESSING_FAILED' : error.code, message: error.message };
  }
  if (error instanceof ChunkFailedError) return error.failure;
  return null;
}

/** Whether the disk may be at fault; such an error counts only if it happens again. */
export function isInDoubt(error: unknown): boolean {
  return (error instanceof UnusableSourceError || error instanceof EncodeFailedError) && error.inDoubt;
}

/** For logs only. */
export function technicalTailOf(error: unknown): string {
  return error instanceof UnusableSourceError || error instanceof EncodeFailedError ? error.technicalTail : '';
}

/** A helping worker found that the video cannot be processed. */
export class ChunkFailedError extends Error {
  override readonly name = 'ChunkFailedError';

  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

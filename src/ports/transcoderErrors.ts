export type UnusableSourceCode =
  | 'EMPTY_FILE'
  | 'NOT_MEDIA'
  | 'PLAYLIST'
  | 'TRUNCATED'
  | 'UNREADABLE'
  | 'NO_TRACKS'
  | 'NO_DURATION'
  | 'TOO_LONG'
  | 'TOO_MANY_STREAMS'
  | 'UNSUPPORTED_CODEC'
  | 'ABSURD_RESOLUTION'
  | 'ABSURD_SOUND';

/** The file cannot be used. `message` is for the person who uploaded it. */
export class UnusableSourceError extends Error {
  override readonly name = 'UnusableSourceError';

  constructor(
    readonly code: UnusableSourceCode,
    message: string,
    /** The last lines of the tool's output. For logs only, because it may contain parts of the file. */
    readonly technicalTail = '',
    /** Whether a hanging or broken disk would look the same, so that the error needs confirmation. */
    readonly inDoubt = false,
  ) {
    super(message);
  }
}

export type EncodeFailedCode =
  /** The source ends early or cannot be decoded; a retry gives the same result. */
  | 'SOURCE_DAMAGED'
  /** It exceeded the limits on time, memory or output. */
  | 'LIMIT_EXCEEDED'
  /** Our disk is full; a later retry can help. */
  | 'OUT_OF_DISK'
  | 'ENCODER_FAILED';

/** The encode failed. `message` is for the person who owns the video. */
export class EncodeFailedError extends Error {
  override readonly name = 'EncodeFailedError';

  constructor(
    readonly code: EncodeFailedCode,
    message: string,
    /** The last lines of ffmpeg's output. For logs only. */
    readonly technicalTail = '',
    /** As in {@link UnusableSourceError}. */
    readonly inDoubt = false,
  ) {
    super(message);
  }
}

/**
 * A chunk differs from what a single encode would have made. A retry gives the same result: encode the video in one go.
 */
export class ChunkUnfitError extends Error {
  override readonly name = 'ChunkUnfitError';
}

/** The system killed ffmpeg: the machine is short of memory, or this file needs too much of it. */
export class TranscoderKilledError extends Error {
  override readonly name = 'TranscoderKilledError';
}

/** ffmpeg or its sandbox does not run on this machine. That is the operator's problem, not the file's. */
export class TranscoderUnavailableError extends Error {
  override readonly name = 'TranscoderUnavailableError';
}

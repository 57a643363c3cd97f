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
    /** The last lines of the tool, for logs only: it can contain what the file contains. */
    readonly technicalTail = '',
    /** Whether a disk that hangs or breaks would look the same: not to be believed at once. */
    readonly inDoubt = false,
  ) {
    super(message);
  }
}

export type EncodeFailedCode =
  /** The source ends early or cannot be decoded: trying again gives the same. */
  | 'SOURCE_DAMAGED'
  /** It ran into the limits on time, memory or output. */
  | 'LIMIT_EXCEEDED'
  /** Our disk is full: trying again later can help. */
  | 'OUT_OF_DISK'
  | 'ENCODER_FAILED';

/** The encode failed. `message` is for the person who owns the video. */
export class EncodeFailedError extends Error {
  override readonly name = 'EncodeFailedError';

  constructor(
    readonly code: EncodeFailedCode,
    message: string,
    /** The last lines of ffmpeg, for logs only. */
    readonly technicalTail = '',
    /** As with {@link UnusableSourceError}. */
    readonly inDoubt = false,
  ) {
    super(message);
  }
}

/** A chunk of a video did not come out as it would have in one go. Trying again gives the same: make it in one go. */
export class ChunkUnfitError extends Error {
  override readonly name = 'ChunkUnfitError';
}

/** The system killed ffmpeg: the machine is short of memory, or this file takes too much of it. */
export class TranscoderKilledError extends Error {
  override readonly name = 'TranscoderKilledError';
}

/** ffmpeg or its sandbox does not run on this machine: an operator's problem, not the file's. */
export class TranscoderUnavailableError extends Error {
  override readonly name = 'TranscoderUnavailableError';
}

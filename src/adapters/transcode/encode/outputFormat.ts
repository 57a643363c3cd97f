export const SEGMENT_SECONDS = 4;
export const INIT_FILE = 'init.mp4';

/** A source that goes on after its announced end is cut here: what is delivered was paid for. */
export const OVERRUN_SECONDS = 2;

/** Metadata stays behind: a telephone writes where its owner lives into it. */
export const NO_METADATA = ['-map_metadata', '-1', '-map_chapters', '-1'];

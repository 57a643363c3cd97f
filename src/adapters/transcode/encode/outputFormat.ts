export const INIT_FILE = 'init.mp4';
export const FIRST_SEGMENT_FILE = 'seg_00000.m4s';

/** Output stops this long after the source's announced end, because only that was paid for. */
export const OVERRUN_SECONDS = 2;

/** Drops metadata: phones write their owner's location into it. */
export const NO_METADATA = ['-map_metadata', '-1', '-map_chapters', '-1'];

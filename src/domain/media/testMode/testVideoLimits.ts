/** What a test video may be: enough to try a site, and too little to host one. */
export const TEST_VIDEO_LIMITS = {
  /** At a time. */
  videos: 20,
  seconds: 60,
  sizeBytes: 200_000_000,
  days: 7,
} as const;

import type { Wishes } from './drafts.js';

/** What a file is to become; chosen before it is sent. */
export interface UploadWishes extends Wishes {
  readonly title: string;
}

/**
 * `waiting`: for its turn, or for the network. `lostFile`: the page was loaded again, and a page may not open a file
 * by itself: the same one has to be chosen once more.
 */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'lostFile' | 'done' | 'failed';

/** What is kept over a reload: enough to know the same file again. The address works only with the session's cookie. */
export interface KeptUpload {
  readonly videoId: string;
  readonly url: string;
  readonly title: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly lastModified: number;
}

/** One file on its way, as shown. */
export interface UploadItem extends KeptUpload {
  readonly state: UploadState;
  readonly sentBytes: number;
  /** Over the last seconds; undefined while nothing moves. */
  readonly bytesPerSecond: number | undefined;
  /** Why it is `failed`, or why it waits. */
  readonly error: unknown;
}

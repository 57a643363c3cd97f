import type { CreateVideoInput } from '../generated/graphql.js';
import type { Wishes } from './drafts.js';

/** What a test video does wrong on purpose. */
export type TestFault = Required<Pick<CreateVideoInput, 'testFault' | 'testFaultSeconds'>>;

/** The options of a file, chosen before it is sent. */
export interface UploadWishes extends Wishes, Partial<TestFault> {
  readonly title: string;
}

/**
 * `waiting`: for its turn, or for the network. `lostFile`: the page was reloaded and may not open a file by itself, so
 * the user must choose the same file again.
 */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'lostFile' | 'done' | 'failed';

/** Kept over a reload: enough to recognize the same file. The address works only with the session's cookie. */
export interface KeptUpload {
  readonly videoId: string;
  readonly url: string;
  readonly title: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly lastModified: number;
}

/** One upload, as shown. */
export interface UploadItem extends KeptUpload {
  readonly state: UploadState;
  readonly sentBytes: number;
  /** Over the last seconds; undefined while nothing is sent. */
  readonly bytesPerSecond: number | undefined;
  /** Why it is `failed`, or why it waits. */
  readonly error: unknown;
}

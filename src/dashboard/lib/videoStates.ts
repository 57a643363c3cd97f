import { words } from '#words/videoStates.js';
import type { Quality, RenditionQuality, VideoRowFragment, VideoStatus } from '../generated/graphql.js';

/** The label and color of each status. */
export const STATUS: Record<VideoStatus, { readonly label: string; readonly color: string }> = {
  AWAITING_UPLOAD: { label: words.awaitingUpload, color: 'gray' },
  UPLOADING: { label: words.uploading, color: 'blue' },
  UPLOADED: { label: words.uploaded, color: 'stream' },
  QUEUED: { label: words.queued, color: 'blue' },
  PROCESSING: { label: words.processing, color: 'blue' },
  READY: { label: words.ready, color: 'teal' },
  FAILED: { label: words.failed, color: 'red' },
};

/** Lowest first, as in the price list. */
export const QUALITIES: readonly Quality[] = ['AUDIO', 'P480', 'P720', 'P1080', 'P1440', 'P2160'];

const QUALITY_LABEL: Record<RenditionQuality, string> = {
  AUDIO: words.audioOnly,
  P360: '360p',
  P432: '432p',
  P480: '480p',
  P720: '720p',
  P1080: '1080p',
  P1440: '1440p',
  P2160: '2160p',
};

export function showQuality(quality: RenditionQuality): string {
  return QUALITY_LABEL[quality];
}

/** True while a job of it runs or waits. */
export function isInProgress({ status }: { readonly status: VideoStatus }): boolean {
  return status === 'QUEUED' || status === 'PROCESSING';
}

/** True while its status changes by itself. */
export function isMoving(video: VideoRowFragment): boolean {
  if (video.status === 'UPLOADED') return !video.measured || video.autoProcess;
  return video.status === 'UPLOADING' || isInProgress(video);
}

const CREDITS_CODES = new Set(['INSUFFICIENT_CREDITS', 'DEBT_OUTSTANDING']);

/** Whether it is processed by itself once there are enough credits. */
export function needsCredits({
  status,
  autoProcess,
  failure,
}: Pick<VideoRowFragment, 'status' | 'autoProcess' | 'failure'>): boolean {
  return status === 'UPLOADED' && autoProcess && failure !== null && CREDITS_CODES.has(failure.code);
}

/** Whether a video waits for its owner to accept a price. */
export function isWaitingForQuote({ status, measured }: Pick<VideoRowFragment, 'status' | 'measured'>): boolean {
  return measured && status === 'UPLOADED';
}

/** Measured and not being processed: a price can be requested and accepted. */
export function canBeProcessed({ status, measured }: VideoRowFragment): boolean {
  return measured && (status === 'UPLOADED' || status === 'FAILED');
}

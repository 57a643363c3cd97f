import { parseVideoId } from '../../domain/shared/ids.js';
import { AppError } from '../../errors.js';

/** The UUID of a video named as `vid_…` or by its UUID. @throws VIDEO_NOT_FOUND for what names none. */
export function videoUuid(id: string): string {
  const uuid = parseVideoId(id);
  if (uuid === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
  return uuid;
}

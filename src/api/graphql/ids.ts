import { parseVideoId } from '../../domain/shared/ids.js';
import { AppError } from '../../errors.js';

/** The UUID of a video given as `vid_…` or as its UUID. @throws VIDEO_NOT_FOUND for an invalid id */
export function videoUuid(id: string): string {
  const uuid = parseVideoId(id);
  if (uuid === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
  return uuid;
}

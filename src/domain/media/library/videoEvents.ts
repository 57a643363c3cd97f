import { appendEventSql } from '../../shared/events/appendEvent.js';

export type VideoEventType =
  | 'video.uploaded'
  | 'video.playable'
  | 'video.ready'
  | 'video.failed'
  | 'video.deleted'
  | 'video.restored';

/**
 * SQL for the RETURNING of a statement on `video`: writes the event with the video as the statement leaves it.
 *
 * @param nth SQL; pass it for events that happen once per attempt or deletion, and omit it for those that happen once per
 * video
 */
export function videoEvent(type: VideoEventType, nth?: string): string {
  return appendEventSql(type, {
    accountId: 'account_id',
    fact: nth === undefined ? 'id' : `id || ':' || ${nth}`,
    data: {
      uuid: 'id',
      title: 'title',
      status: 'status',
      metadata: 'metadata',
      durationSeconds: 'duration_ms / 1000.0',
      playableRungs: 'playable_rungs',
      failure: `case when failure_code is not null
        then jsonb_build_object('code', failure_code, 'message', failure_message) end`,
    },
  });
}

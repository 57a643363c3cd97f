import { execute, type Sql } from '../../../db/sql.js';
import type { OpenUpload } from '../../../ports/uploadStaging.js';
import { IDLE } from './upload.sql.js';

const PAGE = 100;

/**
 * Open uploads that nobody writes to: those that expired or lost their video, or else those that have received bytes.
 * Earliest expiry first. Each page continues after the previous one, so the cost per upload does not grow with their
 * number.
 */
export async function* idleUploads(sql: Sql, lost: boolean): AsyncGenerator<OpenUpload> {
  for (let after = { afterTime: '-infinity', afterId: '' }; ;) {
    const rows = await execute(sql, IDLE, { lost, ...after, most: PAGE });
    for (const row of rows) {
      after = { afterTime: row.expires_at, afterId: row.id };
      yield {
        accountId: row.account_id,
        uploadId: row.id,
        videoId: row.video_id,
        sizeBytes: Number(row.size_bytes),
      };
    }
    if (rows.length < PAGE) return;
  }
}

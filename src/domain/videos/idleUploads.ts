import type { Sql } from '../../db/sql.js';
import type { OpenUpload, UploadRef } from '../../ports/uploadStaging.js';
import { IDLE } from './uploadStatements.js';

const PAGE = 100;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Open uploads that nobody writes to: those that ran out or lost their video, or else those that bytes came for. */
export async function* idleUploads(sql: Sql, lost: boolean): AsyncGenerator<OpenUpload> {
  for (let after: UploadRef = { accountId: NIL_UUID, uploadId: '' }; ;) {
    const rows = await sql.query<{ account_id: string; video_id: string; id: string; size_bytes: string }>(IDLE, [
      lost,
      after.accountId,
      after.uploadId,
      PAGE,
    ]);
    for (const row of rows) {
      after = { accountId: row.account_id, uploadId: row.id };
      yield { ...after, videoId: row.video_id, sizeBytes: Number(row.size_bytes) };
    }
    if (rows.length < PAGE) return;
  }
}

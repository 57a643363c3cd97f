import { execute, type Sql, statement } from '../../../db/sql.js';
import type { MultipartRows } from '../../../ports/uploadStaging.js';

const FIND = statement<{ accountId: string; uploadId: string }, Row>(
  'upload-multipart',
  `
    select video_id, size_bytes, multipart_id, part_bytes from upload
    where account_id = :accountId and id = :uploadId and finished_at is null`,
);

const BEGIN = statement<{
  accountId: string;
  uploadId: string;
  multipartId: string;
  partBytes: number;
  insteadOf: string | null;
}>(
  'upload-multipart-begin',
  `
    update upload set multipart_id = :multipartId, part_bytes = :partBytes
    where account_id = :accountId and id = :uploadId and finished_at is null and multipart_id is not distinct from :insteadOf
    returning id`,
);

interface Row {
  readonly video_id: string;
  readonly size_bytes: string | null;
  readonly multipart_id: string | null;
  readonly part_bytes: string | null;
}

/** Where the uploads of a bucket look up and store their multipart upload. */
export function multipartRows(sql: Sql): MultipartRows {
  return {
    async find({ accountId, uploadId }) {
      const [row] = await execute(sql, FIND, { accountId, uploadId });
      if (row === undefined) return null;
      const { multipart_id: id, part_bytes: partBytes } = row;
      const multipart = id === null ? null : { id, partBytes: Number(partBytes) };
      return { videoId: row.video_id, sizeBytes: Number(row.size_bytes), multipart };
    },
    async begin({ accountId, uploadId }, id, partBytes, insteadOf) {
      return (await execute(sql, BEGIN, { accountId, uploadId, multipartId: id, partBytes, insteadOf })).length > 0;
    },
  };
}

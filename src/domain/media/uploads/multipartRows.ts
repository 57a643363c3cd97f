import type { Sql, Statement } from '../../../db/sql.js';
import type { MultipartRows } from '../../../ports/uploadStaging.js';

const FIND: Statement = {
  name: 'upload-multipart',
  text: `
    select video_id, size_bytes, multipart_id, part_bytes from upload
    where account_id = $1 and id = $2 and finished_at is null`,
};

const BEGIN: Statement = {
  name: 'upload-multipart-begin',
  text: `
    update upload set multipart_id = $3, part_bytes = $4
    where account_id = $1 and id = $2 and finished_at is null and multipart_id is not distinct from $5
    returning id`,
};

interface Row {
  readonly video_id: string;
  readonly size_bytes: string | null;
  readonly multipart_id: string | null;
  readonly part_bytes: string | null;
}

/** Where the uploads of a bucket find and keep their multipart upload. */
export function multipartRows(sql: Sql): MultipartRows {
  return {
    async find({ accountId, uploadId }) {
      const [row] = await sql.query<Row>(FIND, [accountId, uploadId]);
      if (row === undefined) return null;
      const { multipart_id: id, part_bytes: partBytes } = row;
      const multipart = id === null ? null : { id, partBytes: Number(partBytes) };
      return { videoId: row.video_id, sizeBytes: Number(row.size_bytes), multipart };
    },
    async begin({ accountId, uploadId }, id, partBytes, insteadOf) {
      return (await sql.query(BEGIN, [accountId, uploadId, id, partBytes, insteadOf])).length > 0;
    },
  };
}

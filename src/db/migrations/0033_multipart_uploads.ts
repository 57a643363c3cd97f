import { Migration } from '@mikro-orm/migrations';

/**
 * Where an upload goes straight into a bucket: which of the bucket's multipart uploads its parts are in, and how long
 * each part but the last is. Whoever goes on with the upload, in whatever process, cuts it at the same places.
 */
export class Migration0033MultipartUploads extends Migration {
  override up(): void {
    this.addSql(`
      alter table upload
        add column multipart_id text,
        add column part_bytes bigint check (part_bytes > 0),
        add constraint upload_multipart_whole check ((multipart_id is null) = (part_bytes is null))`);
  }
}

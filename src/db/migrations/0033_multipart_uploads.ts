import { Migration } from '@mikro-orm/migrations';

/**
 * For uploads that go straight into a bucket: which multipart upload holds the parts, and the length of each part but
 * the last. Any process that resumes the upload cuts it at the same places.
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

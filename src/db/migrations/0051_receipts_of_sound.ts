import { Migration } from '@mikro-orm/migrations';

/** SSIM does not apply to sound, but receipts of passthrough sound said 1. */
export class Migration0051ReceiptsOfSound extends Migration {
  override up(): void {
    this.addSql(`
      update rendition set receipt = jsonb_set(receipt, '{ssim}', 'null')
      where quality = 'audio' and receipt ->> 'ssim' is not null`);
  }
}

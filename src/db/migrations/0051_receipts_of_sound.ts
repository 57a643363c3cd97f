import { Migration } from '@mikro-orm/migrations';

/** Sound is not compared with anything: receipts of copied sound said 1 all the same. */
export class Migration0051ReceiptsOfSound extends Migration {
  override up(): void {
    this.addSql(`
      update rendition set receipt = jsonb_set(receipt, '{ssim}', 'null')
      where quality = 'audio' and receipt ->> 'ssim' is not null`);
  }
}

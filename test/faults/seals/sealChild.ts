import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

import { FileSealArchive } from '../../../src/adapters/seals/fileSealArchive.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { LedgerAudit } from '../../../src/domain/ledger/seals/ledgerAudit.js';
import type { SealArchive } from '../../../src/ports/sealArchive.js';

/**
 * A nightly run in a separate process, which stops at one point and reports it, to be killed there: before the nth head
 * is archived, in the middle of its line, or after it.
 */
const { DATABASE_URL: url, ARCHIVE: dir, POINT: point = 'nowhere', NTH: nth = '1' } = process.env;
if (!url || !dir) throw new Error('DATABASE_URL and ARCHIVE are needed');

const archive = new FileSealArchive({ dir });
let appended = 0;
const slow: SealArchive = {
  records: () => archive.records(),
  async append(record) {
    appended += 1;
    const isHere = appended === Number(nth);
    if (isHere && point === 'before') await standStill();
    if (isHere && point === 'within') {
      await appendFile(join(dir, 'ledger-seals.jsonl'), JSON.stringify(record).slice(0, 40));
      await standStill();
    }
    await archive.append(record);
    if (isHere && point === 'after') await standStill();
  },
};

const db = await PostgresDatabase.connect({ url, maxConnections: 4 });
process.stdout.write('started\n');
await new LedgerAudit({ db, archive: slow }).nightly();
process.stdout.write('done\n');
await db.close();

function standStill(): Promise<never> {
  process.stdout.write('here\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
}

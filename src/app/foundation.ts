import { join, resolve } from 'node:path';

import { FolderMailer } from '../adapters/mail/folder.js';
import { PgBossQueue } from '../adapters/queue/pgBossQueue.js';
import { openStaging, openStores } from '../adapters/store/openStores.js';
import { previousMasterKeysOf, type Config } from '../config/config.js';
import { PostgresDatabase } from '../db/database.js';
import { multipartRows } from '../domain/media/uploads/multipartRows.js';
import { deriveKey } from '../domain/shared/secrets/masterKey.js';
import type { Logger } from '../logger.js';
import type { Mailer } from '../ports/mailer.js';
import { bucketOf, storesOf } from '../config/storeSettings.js';
import { WorkFolders } from '../worker/workFolder.js';
import type { AppOptions } from './options.js';

export type Foundation = Awaited<ReturnType<typeof createFoundation>>;

/** What everything else depends on: database, stores, queue, email and keys. */
export async function createFoundation({ role, config, masterKey, runtimeUrl, publicUrl, logger }: AppOptions) {
  const dataDir = resolve(config.DATA_DIR);
  const masterKeys = { current: masterKey, previous: previousMasterKeysOf(config) };
  const db = await PostgresDatabase.connect({
    url: runtimeUrl,
    maxConnections: config.DATABASE_POOL_SIZE,
    log: (message) => logger.warn(message),
  });
  const { kind, fallback } = storesOf(config);
  const stores = await openStores({ dataDir, kind, fallback, bucket: bucketOf(config) });
  const { store, multiparts } = stores;
  const workFolders = new WorkFolders(join(dataDir, 'work'));
  return {
    dataDir,
    masterKeys,
    ownHost: new URL(publicUrl).hostname,
    grantKey: deriveKey(masterKey, 'playback-grant'),
    previousGrantKeys: masterKeys.previous.map((key) => deriveKey(key, 'playback-grant')),
    db,
    stores,
    store,
    staging: await openStaging({ dir: join(dataDir, 'uploads'), kind, rows: multipartRows(db.sql), multiparts }),
    queue: new PgBossQueue({
      url: runtimeUrl,
      logger,
      works: role === 'all' || role === 'worker',
      finishedJobHours: config.JOB_HOURS,
    }),
    mailer: await createMailer(config, dataDir, logger),
    workFolders,
    /** Folder that must have free space for the files being made. */
    volumes: [
      { name: 'store', freeBytes: () => store.freeBytes() },
      { name: 'work folder', takesSource: store.lendsCopies, freeBytes: () => workFolders.freeBytes() },
    ],
  };
}

async function createMailer(config: Config, dataDir: string, logger: Logger): Promise<Mailer> {
  const from = config.MAIL_FROM;
  if (config.SMTP_URL) {
    const { SmtpMailer } = await import('../adapters/mail/smtp.js');
    return new SmtpMailer({ url: config.SMTP_URL, from });
  }
  return new FolderMailer({ folder: join(dataDir, 'mail'), from, logger });
}

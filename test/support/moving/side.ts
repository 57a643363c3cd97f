import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { ScratchFiles } from '../../../src/adapters/archive/scratchFiles.js';
import { TarReader, TarWriter } from '../../../src/adapters/archive/tarArchive.js';
import { DiskObjectStore } from '../../../src/adapters/store/disk.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { CaptionService } from '../../../src/domain/media/captions/caption.service.js';
import { MediaKeyService } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { KeyService } from '../../../src/domain/accounts/keys/keys.service.js';
import { WebhookSecrets } from '../../../src/domain/accounts/webhooks/webhookSecrets.js';
import { WebhookService } from '../../../src/domain/accounts/webhooks/webhooks.service.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { exportAccount, type ExportReport } from '../../../src/domain/operations/moving/exportAccount.js';
import { ExportKey } from '../../../src/domain/operations/moving/exportKey.js';
import { importAccount, type ImportReport } from '../../../src/domain/operations/moving/importAccount.js';
import { StatementService } from '../../../src/domain/payments/billing/statement.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { MasterKeys } from '../../../src/domain/shared/secrets/keyring.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { createTestDatabase, type TestDatabase } from '../database.js';

export const PASSPHRASE = 'a passphrase for tests';

/** A service that accounts leave or enter: a database, a store, and its own master key. */
export class Side {
  readonly masterKeys: MasterKeys = { current: randomBytes(32), previous: [] };
  readonly key = new ExportKey(randomBytes(32));
  readonly wallet: WalletService;
  readonly keys: KeyService;
  readonly webhookSecrets: WebhookSecrets;
  readonly webhooks: WebhookService;
  readonly mediaKeys: MediaKeyService;
  readonly captions: CaptionService;

  private constructor(
    readonly origin: string,
    readonly database: TestDatabase,
    readonly db: PostgresDatabase,
    readonly dir: string,
    readonly store: ObjectStore,
  ) {
    this.wallet = new WalletService(db);
    this.keys = new KeyService({ db });
    this.webhookSecrets = new WebhookSecrets(this.masterKeys);
    const sender = { check: (url: string) => Promise.resolve(url) };
    this.webhooks = new WebhookService({ db, secrets: this.webhookSecrets, sender });
    this.mediaKeys = new MediaKeyService({ db, masterKeys: this.masterKeys });
    this.captions = new CaptionService(db);
  }

  /** @param given on disk by default */
  static async open(origin: string, given?: ObjectStore): Promise<Side> {
    const database = await createTestDatabase();
    const dir = await mkdtemp(join(tmpdir(), 'dhara-side-'));
    const db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 10 });
    return new Side(origin, database, db, dir, given ?? (await DiskObjectStore.open({ dir: join(dir, 'store') })));
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.database.drop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Runs SQL with values. */
  query<Row extends object>(text: string, ...values: readonly unknown[]): Promise<Row[]> {
    return this.db.sql.query<Row>({ name: '', text }, values);
  }

  /** An account with a user. */
  async account(email = `owner-${randomBytes(4).toString('hex')}@example.com`): Promise<string> {
    const id = newId();
    await this.query(
      `insert into auth."user" (id, email, name, "emailVerified") values ($1, $2, 'An owner', true)`,
      id,
      email,
    );
    return id;
  }

  put(key: string, content: string | Buffer): Promise<unknown> {
    return this.store.put(key, Readable.from([Buffer.from(content)]));
  }

  /** Keys of all objects, with their contents. */
  async objects(accountId: string): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const root of ['posters', 'sources', 'videos']) {
      for await (const { key } of this.store.list(`${root}/${accountId}/`)) {
        found[key] = (await buffer((await this.store.get(key))!.body)).toString('base64');
      }
    }
    return found;
  }

  async export(
    accountId: string,
    passphrase: string | null = PASSPHRASE,
  ): Promise<{ bytes: Buffer; report: ExportReport }> {
    await using scratch = await ScratchFiles.open(join(this.dir, 'moving'));
    const chunks: Buffer[] = [];
    const output = new Writable({ write: (chunk: Buffer, _encoding, done) => (chunks.push(chunk), done()) });
    const statements = new StatementService({ db: this.db, wallet: this.wallet });
    const archive = new TarWriter(output);
    const { db, store, masterKeys, key, origin } = this;
    const report = await exportAccount(
      { db, store, masterKeys, key, origin, statements },
      { accountId, passphrase, archive, scratch },
    );
    return { bytes: Buffer.concat(chunks), report };
  }

  /** @param from whose signature is trusted */
  async import(
    bytes: Buffer | AsyncIterable<Uint8Array>,
    from: Side,
    passphrase: string | null = PASSPHRASE,
  ): Promise<ImportReport> {
    await using scratch = await ScratchFiles.open(join(this.dir, 'moving'));
    const archive = new TarReader(Buffer.isBuffer(bytes) ? inChunks(bytes) : bytes);
    return await importAccount(this, { archive, trustedKey: from.key.publicKey, passphrase, scratch });
  }

  /** What an import that failed must have left: nothing. */
  async leftovers(accountId: string): Promise<unknown> {
    const rows = await this.query<{ found: string }>(
      `select 'account' as found from account where id = $1
       union all select 'user' from auth."user" where id = $1
       union all select 'video' from video where account_id = $1
       union all select 'key' from api_key where account_id = $1
       union all select 'posting' from ledger_tx where owner_id = $1
       union all select 'import' from account_import where account_id = $1`,
      accountId,
    );
    const scratch = await readdir(join(this.dir, 'moving')).catch(() => []);
    return { rows, objects: Object.keys(await this.objects(accountId)), scratch };
  }

  async faults(): Promise<readonly unknown[]> {
    return (await verifyLedger(this.db)).faults;
  }
}

export const NOTHING = { rows: [], objects: [], scratch: [] };

/** As a network or a disk would deliver it. */
export async function* inChunks(bytes: Buffer, size = 5000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

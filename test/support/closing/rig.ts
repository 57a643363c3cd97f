import { pino } from 'pino';

import { AppError } from '../../../src/errors.js';
import type { Viewer } from '../../../src/domain/accounts/viewer.js';
import { KeyService } from '../../../src/domain/accounts/keys/keys.service.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { ClosingService } from '../../../src/domain/operations/closing/closing.service.js';
import { ErasureService } from '../../../src/domain/operations/closing/erasure.service.js';
import { WebhookBodies } from '../../../src/domain/payments/inbox/webhookBodies.js';
import type { TopUpService } from '../../../src/domain/payments/topUps/topUp.service.js';
import { newId } from '../../../src/domain/shared/ids.js';
import type { Database } from '../../../src/db/sql.js';
import { factsOf, PaymentsRig } from '../payments.js';
import { Pipeline, pipelineFolder } from '../worker/pipeline.js';

export const CREDIT = 1_000_000n;
export const PASSWORD = 'correct horse battery';

/** Payments, videos and closing on one database, with the role of the service. */
export class ClosingRig {
  readonly keys: KeyService;
  readonly testMode: TestModeService;
  readonly closings: ClosingService;
  readonly erasures: ErasureService;

  private constructor(
    readonly payments: PaymentsRig,
    readonly pipeline: Pipeline,
    private readonly folder: Awaited<ReturnType<typeof pipelineFolder>>,
  ) {
    this.keys = new KeyService({ db: payments.db });
    this.testMode = new TestModeService(payments.db);
    this.closings = this.service();
    this.erasures = this.erasuresWith(payments.topUps);
  }

  erasuresWith(topUps: Pick<TopUpService, 'get'>): ErasureService {
    const { db, providers } = this.payments;
    return new ErasureService({
      db,
      closings: this.closings,
      videos: this.pipeline.videos,
      bin: this.pipeline.bin,
      topUps,
      webhookBodies: new WebhookBodies({ db, providers, keepDays: 90 }),
      logger: pino({ level: 'silent' }),
    });
  }

  static async start(): Promise<ClosingRig> {
    const payments = await PaymentsRig.start();
    const folder = await pipelineFolder();
    const pipeline = await Pipeline.start({
      databaseUrl: payments.database.runtimeUrl,
      dir: folder.path,
      works: false,
    });
    return new ClosingRig(payments, pipeline, folder);
  }

  /** A service of another process, or with a database or top-ups that break. */
  service(db: Database = this.payments.db, topUps: Pick<TopUpService, 'get'> = this.payments.topUps): ClosingService {
    const { refunds } = this.payments;
    return new ClosingService({
      db,
      queue: this.pipeline.queue,
      topUps,
      refunds,
      logger: pino({ level: 'silent' }),
      identity: {
        provePassword: async (_, password) => {
          if (password !== PASSWORD) throw new AppError('INVALID_INPUT', 'This password is wrong.');
          return Promise.resolve();
        },
      },
    });
  }

  async stop(): Promise<void> {
    await this.pipeline.stop();
    await this.payments.stop();
    await this.folder[Symbol.asyncDispose]();
  }

  /** A user with an account, as its session sees it. */
  async owner(email = `${newId()}@example.com`, changes: Partial<Viewer> = {}): Promise<Viewer> {
    const id = newId();
    await this.payments.admin.query(
      `insert into auth."user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
       values ($1, 'Asha Rao', $2, true, now(), now())`,
      [id, email],
    );
    await this.payments.admin.query('select open_account($1)', [id]);
    return {
      userId: id,
      sessionId: newId(),
      accessToken: null,
      email,
      emailVerified: true,
      name: 'Asha Rao',
      twoFactorEnabled: false,
      twoFactorPassed: false,
      accountId: id,
      mode: 'live',
      role: 'owner',
      suspended: false,
      view: null,
      ...changes,
    };
  }

  /** Where files are. */
  get dir(): string {
    return this.folder.path;
  }

  close(viewer: Viewer, service = this.closings) {
    return service.close(viewer, { email: viewer.email, password: PASSWORD });
  }

  /** A paid top-up of so many rupees. */
  async paid(accountId: string, amount = '100') {
    const topUp = await this.payments.topUp(accountId, amount);
    const facts = factsOf(topUp);
    await this.payments.deliver([facts.captured]);
    return { topUp, facts };
  }

  /** Moves so many credits to CREATIVE and buys a video of a minute for 1.5 of them. */
  async job(accountId: string, credits = 2n) {
    const move = { from: 'MASTER', to: 'CREATIVE', amountMicros: credits * CREDIT, idempotencyKey: newId() } as const;
    await this.payments.wallet.allocate(accountId, move);
    const videoId = await this.pipeline.paperVideo(accountId);
    const attempt = await this.pipeline.buy(accountId, videoId, '720p');
    return { accountId, videoId, attempt };
  }

  /** The chore's next look at this account, which it takes within the hour. */
  async settle(accountId: string): Promise<void> {
    await this.payments.admin.query('update account_closing set settled_at = null where account_id = $1', [accountId]);
    await this.closings.settleDue();
  }

  rows<Row extends object>(text: string, values: unknown[] = []): Promise<(Row & Record<string, unknown>)[]> {
    return this.payments.rows(text, values);
  }
}

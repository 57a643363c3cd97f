import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import { lockWallet } from '../../ledger/lockWallet.js';
import { post } from '../../ledger/posting.js';
import type { BinService } from '../../media/library/bin.service.js';
import { ifItExists, type VideoService } from '../../media/library/video.service.js';
import type { WebhookBodies } from '../../payments/inbox/webhookBodies.js';
import type { TopUpService } from '../../payments/topUps/topUp.service.js';
import { isUuid } from '../../shared/ids.js';
import type { ClosingService } from './closing.service.js';
import {
  BATCH,
  type ClosingRow,
  ERASE_ROWS,
  FIND_ACCOUNT,
  FIND_OPEN,
  FINISH_ERASURE,
  LAPSED,
  LOCK_LAPSE,
  TAKE_DUE,
  VIDEOS_LEFT,
} from './closing.sql.js';
import { type Consequences, coveredByPayments } from './settleClosing.js';

/** What an erasure waits for. Workers remove files within a day; a webhook of a payment keeps its body for a week. */
export type Waiting = 'charges' | 'videos' | 'uploads' | 'files' | 'webhooks';

export interface ErasureDeps {
  readonly db: Database;
  readonly closings: Pick<ClosingService, 'bothModes' | 'closeToErase' | 'consequences' | 'settle'>;
  readonly videos: Pick<VideoService, 'delete'>;
  readonly bin: Pick<BinService, 'deleteForever'>;
  readonly topUps: Pick<TopUpService, 'get'>;
  readonly webhookBodies: Pick<WebhookBodies, 'redactOf'>;
  readonly logger: Logger;
}

/**
 * Erases the personal data of closed accounts that can no longer be reopened. The books stay, under an id that leads to
 * nobody. Every step finds out what is left, so an erasure can be cut off anywhere and repeated.
 */
export class ErasureService {
  constructor(private readonly deps: ErasureDeps) {}

  /** Erases what is due. Runs nightly. @returns how many accounts are done */
  async eraseDue(signal?: AbortSignal): Promise<number> {
    let done = 0;
    for (const closing of await execute(this.deps.db.sql, TAKE_DUE)) {
      if (signal?.aborted) break;
      try {
        if ((await this.erase(closing, signal)) === null) done += 1;
      } catch (error) {
        // One account must not keep the others waiting.
        const accountId = closing.account_id;
        this.deps.logger.error({ scope: 'job', accountId, err: error }, 'could not erase an account');
      }
    }
    return done;
  }

  /** For operators: the account with this id or address, and what erasing it ends. @throws ACCOUNT_NOT_FOUND */
  async preview(account: string): Promise<{ accountId: string; isErased: boolean; consequences: Consequences }> {
    const { id, erased } = await this.find(account);
    return { accountId: id, isErased: erased, consequences: await this.deps.closings.consequences(id) };
  }

  /**
   * For operators: closes the account with this id or address and erases it, without the 30 days.
   *
   * @returns what it waits for; workers finish it then. `null` if it is done
   * @throws ACCOUNT_NOT_FOUND; FORBIDDEN for staff and the demo account
   */
  async eraseNow(account: string, reason: string): Promise<{ accountId: string; waitsFor: Waiting | null }> {
    const { id: accountId, erased } = await this.find(account);
    if (erased) return { accountId, waitsFor: null };
    await this.deps.closings.closeToErase(accountId, reason);
    const [closing] = await execute(this.deps.db.sql, FIND_OPEN, { accountId });
    // The chore may have been faster.
    return { accountId, waitsFor: closing ? await this.erase(closing) : null };
  }

  private async find(account: string): Promise<{ id: string; erased: boolean }> {
    const id = isUuid(account) ? account : null;
    const [found] = await execute(this.deps.db.sql, FIND_ACCOUNT, { id, email: account.trim().toLowerCase() });
    if (!found) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    return found;
  }

  private async erase(closing: ClosingRow, signal?: AbortSignal): Promise<Waiting | null> {
    const { db, closings, webhookBodies } = this.deps;
    const accountId = closing.account_id;
    const accountIds = await closings.bothModes(accountId);
    const isSettled = await closings.settle(closing);
    await this.deleteVideos(accountIds, signal);
    if (isSettled) await this.lapse(closing);
    await webhookBodies.redactOf(accountId, signal);
    for (const id of accountIds) {
      for (;;) {
        signal?.throwIfAborted();
        const [erased] = await execute(db.sql, ERASE_ROWS, { accountId: id });
        if (erased!.changed === 0) break;
      }
    }
    // Nobody settles an account that is erased, so what it paid would never be refunded.
    if (!isSettled) return 'charges';
    const [finished] = await execute(db.sql, FINISH_ERASURE, { accountId });
    return finished!.left_over as Waiting | null;
  }

  private async deleteVideos(accountIds: readonly string[], signal?: AbortSignal): Promise<void> {
    const { db, videos, bin } = this.deps;
    for (;;) {
      const page = await execute(db.sql, VIDEOS_LEFT, { accountIds });
      for (const { account_id: accountId, id, in_bin: isInBin } of page) {
        signal?.throwIfAborted();
        // Another process may be faster.
        await ifItExists(() => (isInBin ? bin.deleteForever(accountId, id) : videos.delete(accountId, id)));
      }
      if (page.length < BATCH) return;
    }
  }

  /**
   * Ends credits that no payment stands for, once. What a payment stands for stays in the wallet: if it was not refunded,
   * staff still owe it.
   */
  private async lapse({ account_id: accountId, id }: ClosingRow): Promise<void> {
    const { db, topUps } = this.deps;
    await db.transaction(async ({ sql }) => {
      const { MASTER } = await lockWallet(sql, accountId);
      const [row] = await execute(sql, LOCK_LAPSE, { accountId, id });
      if (!row || row.lapsed_micros !== null) return;
      // Under the lock: a payment that arrives, or a refund that fails, changes both sums together.
      const owed = await coveredByPayments({ db, topUps }, accountId);
      const micros = MASTER > owed ? MASTER - owed : 0n;
      await execute(sql, LAPSED, { accountId, id, micros: micros.toString() });
      if (micros === 0n) return;
      await post(sql, {
        ownerId: accountId,
        type: 'ADJUSTMENT',
        idempotencyKey: `closing:lapsed:${id}`,
        deltas: { MASTER: -micros, ADJUSTMENT: micros },
      });
    });
  }
}

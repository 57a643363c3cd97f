import { type Database, execute, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { AccountService, AccountSummary } from '../../accounts/account.service.js';
import { recordAudit } from '../../shared/audit.js';
import { lockStaff, needsSecondPerson } from '../../accounts/staff.js';
import { isUuid, parseVideoId } from '../../shared/ids.js';
import { ACCOUNTS_BY_KEY_PREFIX, LOCK_KEY_LIMIT } from '../../accounts/keys/apiKey.sql.js';
import type { KeyRecord, KeyService } from '../../accounts/keys/keys.service.js';
import { ACCOUNT_OF_VIDEO } from '../../media/library/video.sql.js';
import type { Explanation } from '../../playback/explain/explanation.js';
import type { PlaybackService } from '../../playback/playback.service.js';
import { accountsByPaymentReference } from '../../payments/settlement/directory.js';
import { readAuditLog, type AuditFilter, type AuditLine } from '../../shared/auditLog.js';
import { checkedReason } from '../../shared/reason.js';

const MAX_FOUND = 20;
const MAX_SEARCH_LENGTH = 320;
const KEY_BEGINNING = /^dk_[a-z]{4}_[0-9A-Za-z]{1,49}$/;
/** The length of the stored prefix of a key. */
const KEY_PREFIX_LENGTH = 12;

const EMAILS = statement<{ accountIds: readonly string[] }, { id: string; email: string }>(
  'support-account-emails',
  'select id, email from auth."user" where id = any (:accountIds::uuid[])',
);

/** Who of the staff acts, on which account, and why. */
export interface StaffOrder {
  readonly actorId: string;
  readonly accountId: string;
  readonly reason: string;
}

/**
 * What support staff may do to accounts. The caller must have checked that the viewer is staff.
 *
 * Every change and its entry in the audit trail are one transaction, so neither exists without the other.
 */
export class SupportService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly accounts: AccountService;
      readonly keys: KeyService;
      readonly playback: Pick<PlaybackService, 'explain'>;
    },
  ) {}

  /**
   * Finds accounts by a part of the email address, an account id, a key (or its first 12 characters), a video id, or
   * the provider's id of an order or a payment.
   */
  async find(search: string): Promise<AccountSummary[]> {
    const text = search.trim();
    if (text === '' || text.length > MAX_SEARCH_LENGTH || text.includes('\0')) return [];
    if (KEY_BEGINNING.test(text)) {
      const prefix = text.slice(0, KEY_PREFIX_LENGTH);
      return this.accountsOf(await execute(this.deps.db.sql, ACCOUNTS_BY_KEY_PREFIX, { prefix, most: MAX_FOUND }));
    }
    const byNameOrId = (await this.deps.accounts.find(text)).slice(0, MAX_FOUND);
    const videoId = parseVideoId(text);
    if (byNameOrId.length > 0) return byNameOrId;
    if (videoId !== null) return this.accountsOf(await execute(this.deps.db.sql, ACCOUNT_OF_VIDEO, { videoId }));
    return this.accounts(await accountsByPaymentReference(this.deps.db, text));
  }

  /** Returns `null` if the account does not exist. */
  async account(accountId: string): Promise<AccountSummary | null> {
    if (!isUuid(accountId)) return null;
    return (await this.deps.accounts.find(accountId))[0] ?? null;
  }

  /** The email addresses of account ids, in order; `null` for an unknown id. */
  async emails(accountIds: readonly string[]): Promise<(string | null)[]> {
    const rows = await execute(this.deps.db.sql, EMAILS, { accountIds });
    const emails = new Map(rows.map(({ id, email }) => [id, email]));
    return accountIds.map((id) => emails.get(id) ?? null);
  }

  /**
   * Sets how many playback tokens a key may mint per UTC day, from its next request on.
   *
   * @throws API_KEY_NOT_FOUND; INVALID_INPUT for a bad quota or reason; APPROVAL_REQUIRED for a key of one's own
   * account, a colleague's, or that of one's referrer or invitee: see `StaffRequestService`
   */
  setDailyQuota(order: StaffOrder & { apiKeyId: string; dailyQuota: number }): Promise<KeyRecord> {
    const { actorId, accountId, apiKeyId, dailyQuota } = order;
    const reason = checkedReason(order.reason);
    if (!isUuid(accountId) || !isUuid(apiKeyId)) throw new AppError('API_KEY_NOT_FOUND', 'API key not found.');
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      await lockStaff(sql, actorId);
      if (await needsSecondPerson(sql, actorId, accountId)) {
        throw new AppError(
          'APPROVAL_REQUIRED',
          'This account is close to you. Another member of staff must approve it.',
        );
      }
      const [before] = await execute(sql, LOCK_KEY_LIMIT, { accountId, apiKeyId });
      const key = await this.deps.keys.setDailyQuota(accountId, apiKeyId, dailyQuota, sql);
      await recordAudit(tx, {
        accountId,
        actorId,
        action: 'api_key.set_daily_quota',
        subject: apiKeyId,
        reason,
        details: { from: before?.daily_limit, to: dailyQuota },
      });
      return key;
    });
  }

  /** @throws ACCOUNT_NOT_FOUND, INVALID_INPUT */
  async suspend({ accountId, actorId, reason }: StaffOrder): Promise<AccountSummary> {
    if (accountId.toLowerCase() === actorId) throw new AppError('FORBIDDEN', 'You can’t suspend your own account.');
    await this.deps.accounts.suspend(accountId, actorId, reason);
    return this.deps.accounts.get(accountId);
  }

  /** @throws ACCOUNT_NOT_FOUND, INVALID_INPUT */
  async resume({ accountId, actorId, reason }: StaffOrder): Promise<AccountSummary> {
    if (accountId.toLowerCase() === actorId) throw new AppError('FORBIDDEN', 'You can’t resume your own account.');
    await this.deps.accounts.resume(accountId, actorId, reason);
    return this.deps.accounts.get(accountId);
  }

  /**
   * Explains an owner's playback. The audit trail names what was found, and never a token or a key that was pasted.
   *
   * @throws ACCOUNT_NOT_FOUND, INVALID_INPUT
   */
  async explainPlayback(order: StaffOrder & { subject: string; site: string | null }): Promise<Explanation> {
    const reason = checkedReason(order.reason);
    const { id: accountId } = await this.deps.accounts.get(order.accountId);
    const explained = await this.deps.playback.explain(accountId, order.subject, order.site);
    await recordAudit(this.deps.db, {
      accountId,
      actorId: order.actorId,
      action: 'playback.explain',
      subject: explained.viewId ?? explained.keyId ?? accountId,
      reason,
      details: { subject: explained.subject, failed: explained.failedRule ?? 'nothing' },
    });
    return explained;
  }

  /** Staff actions, newest first. @throws INVALID_PARAMETER for a bad cursor. */
  auditLog(filter: AuditFilter, page: { first: number; after: string | null }): Promise<AuditLine[]> {
    return readAuditLog(this.deps.db, filter, page);
  }

  private accountsOf(rows: readonly { account_id: string }[]): Promise<AccountSummary[]> {
    return this.accounts(rows.map((row) => row.account_id));
  }

  private async accounts(accountIds: readonly string[]): Promise<AccountSummary[]> {
    const found = await Promise.all(accountIds.map((accountId) => this.account(accountId)));
    return found.filter((account) => account !== null);
  }
}

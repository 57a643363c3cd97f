import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import type { Mailer } from '../../../ports/mailer.js';
import { recordAudit } from '../audit.js';
import { isUuid, SYSTEM_OWNER } from '../ids.js';
import { ifProcessLockIsFree } from '../processLock.js';
import { checkedReason } from '../reason.js';
import { type AlertRow, ANNOUNCED, COUNT_OPEN, LIST, RESOLVE, UNANNOUNCED } from './alert.sql.js';

/** An alert as staff see it. */
export interface Alert {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
  readonly accountId: string | null;
  readonly times: number;
  readonly raisedAt: Date;
  readonly lastRaisedAt: Date;
  readonly resolvedAt: Date | null;
}

/** Alerts for staff: raised by `raiseAlert`, then logged and emailed, listed, and resolved by a person. */
export class AlertService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly mailer: Mailer;
      readonly logger: Logger;
      /** Where alerts are emailed; `null` if they are only logged and listed. */
      readonly mailTo: string | null;
    },
  ) {}

  /**
   * Logs and emails new alerts, each once unless the process dies in between. Only one process at a time does this,
   * under its own advisory lock. A lock on the rows would make a transaction that raises one of them again,
   * perhaps while it posts to the ledger, wait for the mail server.
   * @returns the number of alerts announced
   */
  async announce(): Promise<number> {
    const { db, logger, mailer, mailTo } = this.deps;
    const announced = await ifProcessLockIsFree(db, 'alerts', async () => {
      const alerts = (await execute(db.sql, UNANNOUNCED)).map(alertOf);
      if (alerts.length === 0) return 0;
      for (const { kind, subject, accountId, message } of alerts) {
        logger.error({ scope: 'alert', kind, subject, accountId }, message);
      }
      if (mailTo !== null) {
        const text = alerts.map((alert) => `${alert.kind} (${alert.subject})\n${alert.message}\n`).join('\n');
        const subject = `Dhara: ${alerts.length === 1 ? alerts[0]!.kind : `${alerts.length} alerts`}`;
        await mailer.send({ to: mailTo, subject, text });
      }
      await execute(db.sql, ANNOUNCED, { ids: alerts.map((alert) => alert.id) });
      return alerts.length;
    });
    return announced ?? 0;
  }

  /** Newest first. @param page `after` is the id of the previous page's last alert. */
  async list(page: { first: number; after: string | null; resolved?: boolean }): Promise<Alert[]> {
    if (page.after !== null && !isUuid(page.after)) {
      throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
    }
    const rows = await execute(this.deps.db.sql, LIST, {
      resolved: page.resolved ?? false,
      after: page.after,
      first: page.first,
    });
    return rows.map(alertOf);
  }

  /** How many are open, by kind. */
  countOpen(): Promise<{ kind: string; count: number }[]> {
    return execute(this.deps.db.sql, COUNT_OPEN);
  }

  /** Marks an alert as resolved. @throws NOT_FOUND if it is not open; INVALID_INPUT for a bad reason. */
  async resolve(alertId: string, actorId: string, reason: string): Promise<Alert> {
    const checked = checkedReason(reason);
    return this.deps.db.transaction(async (tx) => {
      const [row] = isUuid(alertId) ? await execute(tx.sql, RESOLVE, { alertId, actorId }) : [];
      if (!row) throw new AppError('NOT_FOUND', 'Open alert not found.');
      await recordAudit(tx, {
        accountId: row.account_id ?? SYSTEM_OWNER,
        actorId,
        action: 'alert.resolve',
        subject: `${row.kind}: ${row.subject}`,
        reason: checked,
      });
      return alertOf(row);
    });
  }
}

function alertOf(row: AlertRow): Alert {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    message: row.message,
    accountId: row.account_id,
    times: row.times,
    raisedAt: new Date(row.raised_at),
    lastRaisedAt: new Date(row.last_raised_at),
    resolvedAt: row.resolved_at === null ? null : new Date(row.resolved_at),
  };
}

import { type Database, execute, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { NotificationChoice } from './notificationChoice.entity.js';

/**
 * The kinds of news that owners choose themselves, with their defaults. A channel without a default does not exist for
 * that kind. All other emails are about security and money, and are always sent.
 */
const NOTIFICATION_DEFAULTS = {
  'video.ready': { email: true, dashboard: true },
  'video.failed': { email: true, dashboard: true },
  'wallet.low': { email: true, dashboard: null },
  'wallet.runway_short': { email: true, dashboard: null },
  'webhook.disabled': { email: true, dashboard: null },
} as const;

export type NotificationKind = keyof typeof NOTIFICATION_DEFAULTS;

const NOTIFICATION_KINDS = Object.keys(NOTIFICATION_DEFAULTS) as NotificationKind[];

export interface Notification {
  readonly kind: NotificationKind;
  readonly email: boolean;
  /** A message in the open dashboard; `null` if there is none for this kind. */
  readonly dashboard: boolean | null;
}

type Choice = Pick<NotificationChoice, 'email' | 'dashboard'>;

/** Keeps what is not given. */
const CHOOSE = statement<
  { accountId: string; kind: NotificationKind; email: boolean | null; dashboard: boolean | null },
  Choice
>(
  'notification-choose',
  `
    insert into notification_choice as c (account_id, kind, email, dashboard)
    values (:accountId, :kind, :email, :dashboard)
    on conflict (account_id, kind) do update set
      email = coalesce(excluded.email, c.email), dashboard = coalesce(excluded.dashboard, c.dashboard)
    returning email, dashboard`,
);

export function isNotificationKind(kind: string): kind is NotificationKind {
  return Object.hasOwn(NOTIFICATION_DEFAULTS, kind);
}

/** What owners want to hear of, and how. */
export class NotificationService {
  constructor(private readonly db: Database) {}

  /** All kinds, in one order. */
  async list(accountId: string): Promise<Notification[]> {
    const choices = await this.db.em().find(NotificationChoice, { accountId });
    return NOTIFICATION_KINDS.map((kind) =>
      notificationOf(
        kind,
        choices.find((choice) => choice.kind === kind),
      ),
    );
  }

  /** Changes what is given, and keeps the rest. @throws INVALID_INPUT for a channel that the kind does not have */
  async choose(
    accountId: string,
    kind: NotificationKind,
    { email = null, dashboard = null }: { readonly email?: boolean | null; readonly dashboard?: boolean | null },
  ): Promise<Notification> {
    if (dashboard !== null && NOTIFICATION_DEFAULTS[kind].dashboard === null) {
      throw new AppError('INVALID_INPUT', 'The dashboard shows no message of this kind.');
    }
    const [choice] = await execute(this.db.sql, CHOOSE, { accountId, kind, email, dashboard });
    return notificationOf(kind, choice);
  }
}

function notificationOf(kind: NotificationKind, choice: Choice | undefined): Notification {
  const { email, dashboard } = NOTIFICATION_DEFAULTS[kind];
  return {
    kind,
    email: choice?.email ?? email,
    dashboard: dashboard === null ? null : (choice?.dashboard ?? dashboard),
  };
}

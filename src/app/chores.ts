import { forgetExpiredSessions } from '../domain/accounts/userSession.js';
import { forgetDeletedEndpoints } from '../domain/accounts/webhooks/webhooks.service.js';
import type { Chore } from '../worker/chores.js';
import type { Services } from './services.js';

/** Per-minute chores besides the sweep. Each finds out itself whether there is anything to do. */
export function minuteChores({
  alerts,
  closings,
  notices,
  paymentInbox,
  payments,
  platformTotals,
  reconciler,
  referrals,
  refunds,
}: Services): Chore[] {
  return [
    { name: 'alerts', run: () => alerts.announce() },
    { name: 'sandbox webhooks', run: async (signal) => (await payments.sandbox?.sender.deliverDue(signal)) ?? 0 },
    { name: 'payment webhooks', run: (signal) => paymentInbox.drain(signal) },
    { name: 'refund requests', run: (signal) => refunds.retry(signal) },
    { name: 'payment reconciler', run: (signal) => reconciler.reconcile(signal) },
    { name: 'emails', run: (signal) => notices.send(signal) },
    { name: 'closed accounts', run: (signal) => closings.settleDue(signal) },
    { name: 'platform totals', run: (signal) => platformTotals.measureDue(signal) },
    { name: 'referrals', run: (signal) => referrals.deliver(signal) },
  ];
}

/** Nightly chores. They are called every 15 minutes, so that a missed night is caught up. */
export function nightChores({
  analytics,
  bin,
  brands,
  closings,
  db,
  erasures,
  eventLog,
  expiredQuotes,
  ledgerAudit,
  notices,
  remeasure,
  storage,
  videoActivity,
  videos,
  webhookBodies,
}: Services): Chore[] {
  return [
    { name: 'event log', run: (signal) => eventLog.keep(signal) },
    { name: 'activity of videos', run: (signal) => videoActivity.forget(signal) },
    { name: 'views', run: (signal) => analytics.keep(signal) },
    { name: 'months of views', run: (signal) => analytics.buildMonths(signal) },
    { name: 'logos', run: (signal) => brands.prune(signal) },
    { name: 'bin', run: (signal) => bin.purgeDue(signal) },
    { name: 'erased accounts', run: (signal) => erasures.eraseDue(signal) },
    { name: 'credits of erased accounts', run: (signal) => closings.settleErased(signal) },
    { name: 'test videos', run: (signal) => videos.expireTestVideos({ signal }) },
    { name: 'deleted videos', run: (signal) => videos.forgetDeleted(signal) },
    { name: 'deleted webhook endpoints', run: (signal) => forgetDeletedEndpoints(db.sql, signal) },
    { name: 'webhook bodies', run: (signal) => webhookBodies.redact(signal) },
    { name: 'expired sessions', run: (signal) => forgetExpiredSessions(db.sql, signal) },
    { name: 'old emails', run: (signal) => notices.forget(signal) },
    { name: 'expired quotes', run: (signal) => expiredQuotes.forget(signal) },
    { name: 'storage nights', run: async (signal) => (await storage.runDueNights(signal)).length },
    { name: 'storage measuring', run: (signal) => remeasure.runDue(signal) },
    { name: 'ledger audit', run: (signal) => ledgerAudit.nightly(signal) },
  ];
}

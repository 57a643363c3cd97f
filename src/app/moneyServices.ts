import { systemClock } from '../adapters/clock/systemClock.js';
import { createPaymentProviders } from '../adapters/payments/index.js';
import { FileSealArchive } from '../adapters/seals/fileSealArchive.js';
import { BillingDetailsService } from '../domain/payments/billing/billingDetails.service.js';
import { InvoiceService } from '../domain/payments/billing/invoice.service.js';
import { LowBalanceService } from '../domain/payments/billing/lowBalance.service.js';
import { StatementService } from '../domain/payments/billing/statement.service.js';
import { ClockService } from '../domain/shared/clock/clock.service.js';
import { mendStoredTimes } from '../domain/media/objects/storedObject.sql.js';
import { PaymentInbox } from '../domain/payments/inbox/inbox.js';
import { PaymentReconciler } from '../domain/payments/inbox/reconciler.js';
import { RefundService } from '../domain/payments/refunds/refund.service.js';
import { SupportPayments } from '../domain/payments/support/supportPayments.service.js';
import { TopUpService } from '../domain/payments/topUps/topUp.service.js';
import { WebhookBodies } from '../domain/payments/inbox/webhookBodies.js';
import { deriveKey } from '../domain/shared/secrets/masterKey.js';
import { ReferralService } from '../domain/payments/referrals/referral.service.js';
import { SealReconciler } from '../domain/ledger/seals/reconcileSeals.js';
import { LedgerAudit } from '../domain/ledger/seals/ledgerAudit.js';
import { lastingSecret } from '../domain/shared/secrets/lastingSecrets.js';
import { StorageService } from '../domain/payments/storage/storage.service.js';
import { MICROS_PER_CREDIT } from '../domain/ledger/credits.js';
import { WalletService } from '../domain/ledger/wallet.service.js';
import { isTrial, sealsDirOf } from '../config/config.js';
import { paymentOptionsOf } from '../config/paymentSettings.js';
import { sellerOf } from '../config/sellerSettings.js';
import type { Foundation } from './foundation.js';
import type { AppOptions } from './options.js';

export type MoneyServices = Awaited<ReturnType<typeof createMoneyServices>>;

/** Services for credits: top-ups, spending, and documents. */
export async function createMoneyServices(
  { config, masterKey, publicUrl, logger }: AppOptions,
  { db, masterKeys }: Foundation,
) {
  const { hasSandbox, ...paymentOptions } = paymentOptionsOf(config, isTrial(config));
  const payments = createPaymentProviders({
    ...paymentOptions,
    db,
    logger,
    publicUrl,
    sandboxSecret: hasSandbox ? deriveKey(masterKey, 'payment-sandbox').toString('hex') : null,
  });
  const { providers, rates } = payments;
  // Hashes of payers must survive a change of the master key.
  const paymentDeps = { db, logger, providers, payerKey: await lastingSecret(db, masterKeys, 'payer') };
  const paymentInbox = new PaymentInbox(paymentDeps);
  const wallet = new WalletService(db);
  const clock = new ClockService({ db, machine: systemClock(), mendStored: mendStoredTimes });
  const seller = sellerOf(config);
  const sealArchive = new FileSealArchive({ dir: sealsDirOf(config) });
  const staffLimitMicros = BigInt(config.ADJUSTMENT_LIMIT_CREDITS) * MICROS_PER_CREDIT;
  const maxRateAgeHours = config.USD_INR_RATE_MAX_AGE_HOURS;
  return {
    payments,
    paymentInbox,
    topUps: new TopUpService({ db, publicUrl, providers, rates, maxRateAgeHours }),
    refunds: new RefundService({ ...paymentDeps, staffLimitMicros }),
    reconciler: new PaymentReconciler(paymentDeps),
    webhookBodies: new WebhookBodies({ db, providers, keepDays: config.WEBHOOK_BODY_DAYS }),
    staffLimitMicros,
    supportPayments: new SupportPayments({ db, inbox: paymentInbox }),
    wallet,
    clock,
    storage: new StorageService(db, clock),
    sealArchive,
    sealReconciler: new SealReconciler({ db, archive: sealArchive }),
    ledgerAudit: new LedgerAudit({ db, archive: sealArchive, clock }),
    seller,
    statements: new StatementService({ db, wallet }),
    billingDetails: new BillingDetailsService(db),
    invoices: new InvoiceService({ db, seller }),
    lowBalance: new LowBalanceService(db),
    referrals: new ReferralService({ db, logger, publicUrl }),
  };
}
